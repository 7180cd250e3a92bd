import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { FLAG } from '../../src/commands/flag.js';
import { commandTable } from '../../src/engine/running/command-table.js';
import { Snapshot } from '../../src/persistence/snapshot/snapshot.js';
import { TestEngine, type Word } from './support/engine.js';
import { RandomCommands, SWEEPING } from './support/random-commands.js';

/** Takes a snapshot in the smallest possible steps, and calls `between` after each. */
function takeSnapshot(engine: TestEngine, between: (step: number) => void): Buffer {
  const chunks: Buffer[] = [];
  const snapshot = new Snapshot(engine.engine.keyspace, engine.format, {
    hasChecksum: true,
    onChunk: (chunk) => chunks.push(chunk),
    limits: LIMITS,
  });
  for (let step = 0; ; step++) {
    between(step);
    if (snapshot.step(0)) break;
  }
  assert.equal(snapshot.written, snapshot.total);
  return Buffer.concat(chunks);
}

/** A low limit for large values keeps the tests fast. */
const LIMITS = { collection: 4000, string: 20_000 };

function digestOf(file: Buffer): string {
  const copy = new TestEngine();
  copy.load(file);
  return copy.digest;
}

function filled(random: RandomSource): { engine: TestEngine; commands: RandomCommands } {
  const engine = new TestEngine();
  const commands = new RandomCommands(random);
  commands.fill(engine);
  return { engine, commands };
}

const ROUNDS = 8;

for (let round = 0; round < ROUNDS; round++) {
  test(`a snapshot contains the data of the moment it began, whatever commands run during it (${round})`, () => {
    const random = seededRandom(round);
    const { engine, commands } = filled(random);
    for (let repeat = 0; repeat < 3; repeat++) {
      const before = engine.digest;
      const run: string[] = [];
      const file = takeSnapshot(engine, () => {
        for (let n = random.integer(8); n > 0; n--) run.push(commands.run(engine).join(' ').slice(0, 100));
      });
      assert.equal(digestOf(file), before, run.join('\n'));
    }
  });
}

test('a snapshot is unaffected by any single command that runs before the first entry is saved', () => {
  const { engine, commands } = filled(seededRandom(100));
  for (const name of commands.names) {
    const before = engine.digest;
    const file = takeSnapshot(engine, (step) => {
      if (step > 0) return;
      for (let n = 0; n < 10; n++) commands.runCommand(engine, name);
    });
    assert.equal(digestOf(file), before, name);
  }
});

/** Large values, each with a repeatable change at its beginning, middle or end. */
const LARGE_VALUES: Record<string, readonly [fill: (i: number) => Word[], change: (i: number) => Word[]]> = {
  string: [
    (i) => ['SETRANGE', 'key', i * 500, `part ${i}`],
    (i) => ['SETRANGE', 'key', 449_000 - i * 31, 'new'],
  ],
  list: [(i) => ['RPUSH', 'key', 'e'.repeat(200) + i], (i) => ['LSET', 'key', (i * 37) % 900, 'new']],
  set: [(i) => ['SADD', 'key', `member ${i}`], (i) => ['SREM', 'key', `member ${i * 7}`]],
  hash: [
    (i) => ['HSET', 'key', `field ${i}`, i],
    (i) => ['HSET', 'key', `field ${i * 7}`, 'n'.repeat(i % 60)],
  ],
  stream: [
    (i) => ['XADD', 'key', `${i + 1}-0`, 'field', 'v'.repeat(100) + i],
    (i) => (i % 3 === 0 ? ['XADD', 'key', '*', 'new', i] : ['XDEL', 'key', `${i * 89}-0`]),
  ],
  'sorted set': [(i) => ['ZADD', 'key', i, `member ${i}`], (i) => ['ZADD', 'key', -i, `member ${i * 7}`]],
};

for (const [name, [fill, change]] of Object.entries(LARGE_VALUES)) {
  for (const first of [0, 5]) {
    test(`a large ${name} changed at every step from ${first} on is saved in its initial state`, () => {
      const engine = new TestEngine();
      for (let i = 0; i < 900; i++) engine.run(...fill(i));
      const before = engine.digest;
      let changes = 0;
      const file = takeSnapshot(engine, (step) => {
        if (step < first) return;
        engine.run(...change(++changes));
        if (changes === 6) engine.run('RENAME', 'key', 'other');
        if (changes === 7) engine.run('RENAME', 'other', 'key');
      });
      assert.ok(changes >= 2);
      assert.equal(digestOf(file), before);
    });
  }
}

for (const words of SWEEPING) {
  test(`a snapshot keeps data that ${words.join(' ')} removes while it is written`, () => {
    const random = seededRandom(7);
    const { engine, commands } = filled(random);
    for (let i = 0; i < 50; i++) engine.run('SET', `other:${i}`, i);
    engine.run('SELECT', 1);
    for (let i = 0; i < 50; i++) engine.run('SET', `string:${i}`, i);
    const before = engine.digest;
    const file = takeSnapshot(engine, (step) => {
      if (step % 3 === 1) engine.run(...words);
      commands.run(engine);
    });
    assert.equal(digestOf(file), before);
  });
}

test('after a snapshot is aborted halfway, the next one is complete', () => {
  const random = seededRandom(9);
  const { engine, commands } = filled(random);
  const { keyspace } = engine.engine;
  for (let steps = 0; steps < 12; steps++) {
    const given = new Snapshot(keyspace, engine.format, {
      hasChecksum: false,
      onChunk: () => {},
      limits: LIMITS,
    });
    for (let step = 0; step < steps * 20; step++) {
      commands.run(engine);
      if (given.step(0)) break;
    }
    if (keyspace.changeGuard !== undefined) {
      given.discard();
      while (!given.step(0)) commands.run(engine);
    }
    assert.equal(keyspace.changeGuard, undefined);
    const before = engine.digest;
    assert.equal(digestOf(takeSnapshot(engine, () => commands.run(engine))), before);
  }
});

test('memory that a snapshot retains is freed at its end', () => {
  const { engine } = filled(seededRandom(11));
  const { keyspace } = engine.engine;
  takeSnapshot(engine, (step) => {
    if (step === 5)
      for (const db of keyspace.databases) db.keys.forEach((entry) => void keyspace.remove(db, entry));
  });
  while (keyspace.releaseSome(1000));
  assert.equal(keyspace.pendingReleases, 0);
  for (const db of keyspace.databases) assert.equal(db.arena.usedBytes, 0);
});

test('every write command is among the random commands', () => {
  const tried = new Set(new RandomCommands(seededRandom(1)).names);
  const missing: string[] = [];
  for (const command of commandTable) {
    for (const each of command.subcommands ?? [command]) {
      // Function libraries are not keys.
      if (command.name === 'function') continue;
      // These change keys like DEL and RESTORE, and need other servers.
      if (command.name === 'migrate' || command.name === 'restore-asking') continue;
      const isSweeping = SWEEPING.some(([name]) => name === each.name.toUpperCase());
      if ((each.flagBits & FLAG.write) !== 0 && !tried.has(each.fullName) && !isSweeping)
        missing.push(each.fullName);
    }
  }
  assert.deepEqual(missing, []);
});
