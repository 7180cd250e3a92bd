import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomSource, seededRandom } from '../../bytes/random.js';
import { Arena } from '../arena/arena.js';
import { IdTree } from './id-tree.js';
import { StreamId } from './stream-id.js';

/** A tree and the same records in a map; a record's words are derived from its ID. */
class Pair {
  readonly arena = new Arena();
  readonly emptyBytes = this.arena.usedBytes;
  readonly tree: IdTree;
  readonly ids = new Set<number>();

  constructor(ownWords: number) {
    this.tree = new IdTree(this.arena, ownWords);
  }

  add(number: number): void {
    if (this.ids.has(number)) return;
    this.ids.add(number);
    this.tree.insert(idOf(number));
    this.tree.setWord(0, number * 7);
  }

  remove(number: number): void {
    assert.equal(this.tree.remove(idOf(number)), this.ids.delete(number));
  }

  check(): void {
    const { tree } = this;
    const sorted = [...this.ids].sort((a, b) => a - b);
    assert.equal(tree.count, sorted.length);
    let at = 0;
    for (let more = tree.first(); more; more = tree.next()) {
      assert.equal(numberOf(tree.readId(new StreamId())), sorted[at++]);
      assert.equal(tree.word(0), numberOf(tree.readId(new StreamId())) * 7);
    }
    assert.equal(at, sorted.length);
    for (let more = tree.last(); more; more = tree.previous()) {
      assert.equal(numberOf(tree.readId(new StreamId())), sorted[--at]);
    }
    assert.equal(at, 0);
  }

  checkSearches(random: RandomSource, below: number): void {
    const { tree } = this;
    const sorted = [...this.ids].sort((a, b) => a - b);
    for (let i = 0; i < 50; i++) {
      const sought = random.integer(below);
      assert.equal(tree.find(idOf(sought)), this.ids.has(sought));
      assert.equal(found(tree, tree.floor(idOf(sought))), sorted.filter((one) => one <= sought).at(-1));
      assert.equal(
        found(tree, tree.ceiling(idOf(sought))),
        sorted.find((one) => one >= sought),
      );
    }
  }
}

/** IDs that differ in each of their halves and words. */
function idOf(number: number): StreamId {
  const id = StreamId.of(Math.floor(number / 64), 0);
  id.msHigh = 0xffff_fff0;
  id.seqHigh = number & 32 ? 0x8000_0000 : 1;
  id.seqLow = (number & 31) * 0x0800_0000;
  return id;
}

function numberOf(id: StreamId): number {
  return id.msLow * 64 + (id.seqHigh === 1 ? 0 : 32) + id.seqLow / 0x0800_0000;
}

function found(tree: IdTree, isThere: boolean): number | undefined {
  return isThere ? numberOf(tree.readId(new StreamId())) : undefined;
}

test('records are found by ID and visited in both directions, whatever the order of insertion', () => {
  for (const ownWords of [1, 5, 12]) {
    for (const [name, order] of Object.entries({
      ascending: (i: number) => i,
      descending: (i: number) => 4000 - i,
      scattered: (i: number) => (i * 1699) % 4001,
    })) {
      const pair = new Pair(ownWords);
      for (let i = 0; i < 4000; i++) pair.add(order(i));
      pair.check();
      pair.checkSearches(seededRandom(name.length), 4100);
    }
  }
});

test('records are added and removed at random', () => {
  const random = seededRandom(5);
  const pair = new Pair(1);
  for (let round = 0; round < 60; round++) {
    const grows = random.integer(2) === 0;
    for (let i = 0; i < 300; i++) {
      if (grows) pair.add(random.integer(6000));
      else pair.remove([...pair.ids][random.integer(Math.max(pair.ids.size, 1))] ?? 0);
    }
    pair.check();
    pair.checkSearches(random, 6000);
  }
});

test('an emptied tree has freed all its memory', () => {
  for (const fromTheEnd of [false, true]) {
    const pair = new Pair(1);
    for (let i = 0; i < 3000; i++) pair.add(i);
    for (let i = 0; i < 3000; i++) pair.remove(fromTheEnd ? 2999 - i : i);
    pair.check();
    assert.equal(pair.arena.usedBytes, pair.emptyBytes);
    assert.equal(pair.tree.bytes, 0);
    pair.add(1);
    pair.check();
  }
});

test('a tree is freed leaf by leaf', () => {
  const pair = new Pair(5);
  for (let i = 0; i < 5000; i++) pair.add(i);
  let leaves = 0;
  for (let more = pair.tree.dismantle(); more; leaves++) more = pair.tree.freeLeaf();
  assert.ok(leaves > 100);
  assert.equal(pair.arena.usedBytes, pair.emptyBytes);
});

test('few records use little memory, and many in order use little more than their size', () => {
  const one = new Pair(1);
  one.add(1);
  assert.ok(one.tree.bytes <= 40);
  const many = new Pair(1);
  for (let i = 0; i < 10_000; i++) many.add(i);
  assert.ok(many.tree.bytes < 10_000 * 20 * 1.06);
});
