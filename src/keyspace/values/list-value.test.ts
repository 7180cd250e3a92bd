import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { systemClock } from '../../bytes/clock.js';
import { systemRandom } from '../../bytes/random.js';
import { Element } from '../../structures/element.js';
import { isValidListpack } from '../../structures/listpack/listpack-format.js';
import type { Database } from '../database.js';
import type { Entry } from '../entry.js';
import { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';
import { forEachListNode, ListLoader, listNodeCount } from './list-nodes.js';
import { ListValue } from './list-value.js';

interface Setup {
  readonly keyspace: Keyspace;
  readonly db: Database;
  readonly entry: Entry;
  readonly list: ListValue;
}

const KEY = Bytes.of('list');

function setUp(fill = -2, packedThreshold = 1 << 30): Setup {
  const keyspace = new Keyspace({ databases: 1, clock: systemClock, random: systemRandom() });
  keyspace.limits.listMaxListpackSize = fill;
  keyspace.limits.listPackedThreshold = packedThreshold;
  const db = keyspace.databases[0] as Database;
  const entry = ListValue.create(keyspace, db, KEY, 3);
  return { keyspace, db, entry, list: new ListValue().open(keyspace, db, entry) };
}

function forwards(list: ListValue): string[] {
  const element = new Element();
  const found: string[] = [];
  for (let standing = list.seek(0); standing; standing = list.next())
    found.push(list.read(element).toString());
  return found;
}

function backwards(list: ListValue): string[] {
  const element = new Element();
  const found: string[] = [];
  for (let standing = list.seek(-1); standing; standing = list.previous()) {
    found.unshift(list.read(element).toString());
  }
  return found;
}

function nodes(db: Database, entry: Entry): { count: number; plain: boolean }[] {
  const found: { count: number; plain: boolean }[] = [];
  forEachListNode(db, entry, (bytes, plain) => {
    assert.ok(plain || isValidListpack(bytes.buf, bytes.start, bytes.end, true));
    found.push({ count: plain ? 1 : bytes.buf.readUInt16LE(bytes.start + 4), plain });
  });
  assert.equal(found.length, listNodeCount(db, entry));
  return found;
}

type Step = readonly [action: string, at: number, value: string];

/** Does the same to the list and to an array. */
function apply(list: ListValue, model: string[], [action, at, value]: Step): void {
  const bytes = Bytes.of(value);
  const index = model.length === 0 ? 0 : at % model.length;
  if (action === 'push head' || model.length === 0) {
    list.pushHead(bytes);
    model.unshift(value);
  } else if (action === 'push tail') {
    list.pushTail(bytes);
    model.push(value);
  } else if (action === 'pop head') {
    list.removeHead();
    model.shift();
  } else if (action === 'pop tail') {
    list.removeTail();
    model.pop();
  } else if (action === 'remove range') {
    const count = Math.min(model.length - index, value.length);
    list.removeRange(index, count);
    model.splice(index, count);
  } else {
    assert.ok(list.seek(at % 2 === 0 ? index : index - model.length));
    applyAt(list, model, action, index, value);
  }
}

function applyAt(list: ListValue, model: string[], action: string, index: number, value: string): void {
  const bytes = Bytes.of(value);
  if (action === 'replace') {
    list.replace(bytes);
    model[index] = value;
  } else if (action === 'before') {
    list.insertBefore(bytes);
    model.splice(index, 0, value);
  } else if (action === 'after') {
    list.insertAfter(bytes);
    model.splice(index + 1, 0, value);
  } else {
    const back = action === 'remove back';
    const standing = back ? list.removeAndRetreat() : list.removeAndAdvance();
    model.splice(index, 1);
    const expected = back ? model[index - 1] : model[index];
    assert.equal(standing, expected !== undefined);
    if (expected !== undefined) assert.ok(list.equals(Bytes.of(expected)));
  }
}

const ACTIONS = [
  ...['push head', 'push tail', 'push head', 'push tail', 'pop head', 'pop tail', 'remove range'],
  ...['replace', 'before', 'after', 'before', 'after', 'remove', 'remove back'],
];
const step = fc.tuple(
  fc.constantFrom(...ACTIONS),
  fc.nat(),
  fc.oneof(
    fc.integer().map(String),
    fc.constantFrom('', 'a', 'x'.repeat(70), 'y'.repeat(900), 'z'.repeat(5000)),
  ),
);

describe('ListValue', () => {
  for (const [fill, threshold] of [
    [-2, 1 << 30],
    [-1, 1 << 30],
    [3, 1 << 30],
    [1, 1 << 30],
    [0, 1 << 30],
    [-2, 60],
    [4, 1],
  ] as const) {
    it(`behaves as an array with nodes of ${fill} and elements of ${threshold} bytes apart`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
          const { keyspace, db, entry, list } = setUp(fill, threshold);
          const model: string[] = [];
          for (const each of steps) {
            apply(list, model, each);
            assert.equal(list.length, model.length);
          }
          list.open(keyspace, db, entry);
          assert.deepEqual(forwards(list), model);
          assert.deepEqual(backwards(list), model);
          assert.equal(list.seek(model.length), false);
          assert.equal(list.seek(-model.length - 1), false);
          if (model.length > 0)
            assert.equal(
              nodes(db, entry).reduce((sum, { count }) => sum + count, 0),
              model.length,
            );
          keyspace.remove(db, entry);
          while (keyspace.releaseSome(10));
          assert.equal(db.arena.usedBytes, 0);
        }),
        { numRuns: 60 },
      );
    });
  }

  it('is one block until a node is full, then a chain of full nodes', () => {
    const { db, entry, list } = setUp(100);
    for (let i = 0; i < 100; i++) list.pushTail(Bytes.of(`e${i}`));
    assert.equal(db.encoding(entry), Encoding.packedList);
    for (let i = 100; i < 250; i++) list.pushTail(Bytes.of(`e${i}`));
    assert.equal(db.encoding(entry), Encoding.quicklist);
    assert.deepEqual(
      nodes(db, entry).map(({ count }) => count),
      [100, 100, 50],
    );
  });

  it('keeps large elements in nodes of their own', () => {
    const { db, entry, list } = setUp(-2, 10);
    for (const text of ['a', 'b', 'x'.repeat(10), 'c', 'y'.repeat(20)]) list.pushTail(Bytes.of(text));
    assert.deepEqual(nodes(db, entry), [
      { count: 2, plain: false },
      { count: 1, plain: true },
      { count: 1, plain: false },
      { count: 1, plain: true },
    ]);
  });

  it('uses little more memory than its elements, whichever end it grows at', () => {
    for (const end of ['pushHead', 'pushTail'] as const) {
      const { db, list } = setUp();
      const before = db.arena.usedBytes;
      for (let i = 0; i < 100_000; i++) list[end](Bytes.of(`element${i % 10}`));
      assert.ok((db.arena.usedBytes - before) / 100_000 < 10 * 1.02);
    }
  });

  it('frees the unused room of a node that pops have nearly emptied', () => {
    for (const end of ['removeHead', 'removeTail'] as const) {
      const { db, list } = setUp();
      for (let i = 0; i < 3000; i++) list.pushTail(Bytes.of(`element${i % 10}`));
      for (let i = 0; i < 2999; i++) list[end]();
      assert.ok(db.arena.usedBytes < 1024);
    }
  });
});

describe('ListLoader', () => {
  it('builds the same list from the nodes of another', () => {
    for (const [length, threshold] of [
      [3, 1 << 30],
      [3000, 1 << 30],
      [20, 9],
    ] as const) {
      const { keyspace, db, entry, list } = setUp(-2, threshold);
      for (let i = 0; i < length; i++) list.pushTail(Bytes.of(`element${i}`));
      const loader = new ListLoader(keyspace, db);
      forEachListNode(db, entry, (bytes, plain) =>
        plain ? loader.addPlain(bytes) : loader.addPacked(bytes),
      );
      const { encoding, value } = loader.finish();
      const copy = keyspace.create(db, Bytes.of('copy'), Type.list, encoding, value);
      assert.equal(encoding, db.encoding(entry));
      assert.deepEqual(nodes(db, copy), nodes(db, entry));
      assert.deepEqual(forwards(new ListValue().open(keyspace, db, copy)), forwards(list));
    }
  });

  it('frees everything when it is discarded', () => {
    const { keyspace, db } = setUp();
    const used = db.arena.usedBytes;
    for (const count of [1, 5]) {
      const loader = new ListLoader(keyspace, db);
      for (let i = 0; i < count; i++) loader.addPacked(new Bytes(Buffer.from('0900000001000501ff', 'hex')));
      assert.equal(loader.isEmpty, false);
      loader.discard();
      assert.equal(db.arena.usedBytes, used);
    }
  });
});
