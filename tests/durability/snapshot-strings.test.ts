import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Snapshot } from '../../src/persistence/snapshot/snapshot.js';
import { TestEngine, type Word } from './support/engine.js';

/** Too long to be written at once, and longer than one piece. */
const LENGTH = 3 << 20;
const MIDDLE = LENGTH / 2;

/** Commands that repeatedly change or remove a huge string. */
const CHANGES: Record<string, (i: number) => Word[]> = {
  SETRANGE: (i) => ['SETRANGE', 'huge', (i * 70_001) % LENGTH, `new ${i}`],
  'SETRANGE of a large part': (i) => ['SETRANGE', 'huge', i * 1000, Buffer.alloc(200_000, 65 + (i % 26))],
  'SETRANGE beyond the end': (i) => ['SETRANGE', 'huge', LENGTH - 10 + i * 5, 'longer and longer'],
  SETBIT: (i) => ['SETBIT', 'huge', i * 1_000_003, i & 1],
  BITFIELD: (i) => ['BITFIELD', 'huge', 'SET', 'u8', i * 800_000, i, 'INCRBY', 'i64', MIDDLE * 8 - i, i],
  APPEND: (i) => ['APPEND', 'huge', `more ${i}`],
  'SET to a string of the same length': (i) => ['SET', 'huge', Buffer.alloc(LENGTH, 97 + (i % 26))],
  'SET to a short string': (i) => ['SET', 'huge', `short ${i}`],
  INCR: (i) => (i === 0 ? ['SET', 'huge', 1] : ['INCR', 'huge']),
  DEL: (i) => ['DEL', i === 0 ? 'huge' : 'none'],
  EXPIRE: () => ['EXPIRE', 'huge', 100],
  RENAME: (i) => (i % 2 === 0 ? ['RENAME', 'huge', 'other'] : ['SETRANGE', 'other', MIDDLE, 'renamed']),
  'COPY to and from it': (i) =>
    i % 2 === 0 ? ['COPY', 'huge', `copy ${i}`] : ['COPY', `copy ${i - 1}`, 'huge', 'REPLACE'],
  GETDEL: (i) => ['GETDEL', i === 0 ? 'huge' : 'none'],
  PFADD: (i) => ['PFADD', 'huge', i],
  FLUSHALL: () => ['FLUSHALL'],
};

/** Takes a snapshot and runs the command before every step, starting at step `first`. */
function snapshotUnder(engine: TestEngine, change: (i: number) => Word[], first: number): Buffer {
  const chunks: Buffer[] = [];
  const { keyspace } = engine.engine;
  const snapshot = new Snapshot(keyspace, engine.format, {
    hasChecksum: true,
    onChunk: (chunk) => void chunks.push(chunk),
  });
  let changes = 0;
  for (let step = 0; ; step++) {
    if (step >= first) engine.run(...change(changes++));
    if (snapshot.step(0)) break;
  }
  assert.ok(changes > 5, 'the snapshot ended too soon');
  return Buffer.concat(chunks);
}

for (const [name, change] of Object.entries(CHANGES)) {
  for (const first of [0, 20]) {
    test(`a huge string under ${name} from step ${first} on is saved in its initial state`, () => {
      const engine = new TestEngine();
      const contents = Buffer.alloc(LENGTH);
      for (let at = 0; at + 4 <= LENGTH; at += 4) contents.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
      engine.run('SET', 'before', 1);
      engine.run('SET', 'huge', contents);
      const { digest } = engine;
      const file = snapshotUnder(engine, change, first);
      const loaded = new TestEngine();
      loaded.load(file);
      assert.equal(loaded.digest, digest);
    });
  }
}

test('only edited pieces of a huge string are copied, and none if the string is replaced', () => {
  const engine = new TestEngine();
  const { keyspace } = engine.engine;
  const take = (): Snapshot =>
    new Snapshot(keyspace, engine.format, { hasChecksum: false, onChunk: () => {} });
  engine.run('SET', 'huge', Buffer.alloc(64 << 20, 'x'));
  const edited = take();
  engine.run('SETBIT', 'huge', 8 * (32 << 20), 1);
  engine.run('SETRANGE', 'huge', 100, 'abc');
  engine.run('APPEND', 'huge', 'abc');
  assert.ok(edited.maxKept > 0 && edited.maxKept < 1 << 20, `${edited.maxKept} bytes were copied`);
  edited.step(Number.POSITIVE_INFINITY);
  const replaced = take();
  engine.run('SET', 'huge', 'short');
  assert.equal(replaced.maxKept, 0);
  replaced.step(Number.POSITIVE_INFINITY);
});
