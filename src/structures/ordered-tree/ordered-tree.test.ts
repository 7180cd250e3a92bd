import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { seededRandom } from '../../bytes/random.js';
import { Arena } from '../arena/arena.js';
import type { Ref } from '../arena/ref.js';
import { Dict } from '../dict/dict.js';
import { KeyedHash } from '../dict/keyed-hash.js';
import { OrderedTree } from './ordered-tree.js';
import { LEAF_CAPACITY } from './ordered-tree-node.js';

/** A tree, its dictionary, and the same elements in a sorted array. */
class Pair {
  readonly arena = new Arena();
  readonly members = new Dict(this.arena, new KeyedHash({ key0: 1, key1: 2 }), 2);
  readonly tree = new OrderedTree(this.members);
  readonly sorted: { score: number; member: string }[] = [];
  readonly emptyBytes = this.arena.usedBytes;

  refOf(member: string): Ref {
    return this.members.find(Bytes.of(member));
  }

  add(score: number, member: string): void {
    const bytes = Bytes.of(member);
    const ref = this.members.insert(bytes, this.members.hash(bytes));
    this.tree.insert(score, bytes, ref);
    this.sorted.splice(this.rank(score, member), 0, { score, member });
  }

  /** Adds an element above all others. */
  append(score: number, member: string): void {
    const bytes = Bytes.of(member);
    this.tree.append(score, this.members.insert(bytes, this.members.hash(bytes)));
    this.sorted.push({ score, member });
  }

  remove(rank: number): void {
    const [{ score, member } = { score: 0, member: '' }] = this.sorted.splice(rank, 1);
    assert.equal(this.tree.remove(score, Bytes.of(member), this.refOf(member)), true);
    this.members.remove(this.refOf(member));
  }

  update(rank: number, newScore: number): void {
    const [{ score, member } = { score: 0, member: '' }] = this.sorted.splice(rank, 1);
    this.tree.update(score, Bytes.of(member), this.refOf(member), newScore);
    this.sorted.splice(this.rank(newScore, member), 0, { score: newScore, member });
  }

  removeRanks(from: number, to: number): void {
    const refs = new Int32Array(LEAF_CAPACITY);
    for (let left = to - from; left > 0; ) {
      const taken = this.tree.take(from, left, refs);
      assert.ok(taken > 0);
      for (let i = 0; i < taken; i++) this.members.remove(refs[i] as Ref);
      left -= taken;
    }
    this.sorted.splice(from, to - from);
  }

  rank(score: number, member: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.sorted[middle]!;
      if (other.score < score || (other.score === score && other.member < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  forward(): { score: number; member: string }[] {
    const found = [];
    const view = new Bytes();
    this.tree.seek(0);
    for (let { leaf } = this.tree; leaf !== 0; leaf = this.tree.leafAfter(leaf)) {
      for (let i = 0; i < this.tree.sizeOf(leaf); i++) {
        const member = this.members.key(this.tree.memberAt(leaf, i), view).toString();
        found.push({ score: this.tree.scoreAt(leaf, i), member });
      }
    }
    return found;
  }

  backward(): number[] {
    const found = [];
    this.tree.seek(this.tree.length - 1);
    for (let { leaf } = this.tree; leaf !== 0; leaf = this.tree.leafBefore(leaf)) {
      for (let i = this.tree.sizeOf(leaf) - 1; i >= 0; i--) found.push(this.tree.scoreAt(leaf, i));
    }
    return found;
  }

  check(): void {
    assert.equal(this.tree.length, this.sorted.length);
    assert.deepEqual(this.forward(), this.sorted);
    assert.deepEqual(this.backward(), this.sorted.map(({ score }) => score).reverse());
    const view = new Bytes();
    const step = Math.max(1, this.sorted.length >> 6);
    for (let rank = 0; rank < this.sorted.length; rank += step) {
      const { score, member } = this.sorted[rank]!;
      assert.equal(this.tree.seek(rank), true);
      const ref = this.tree.memberAt(this.tree.leaf, this.tree.index);
      assert.equal(this.members.key(ref, view).toString(), member);
      assert.equal(this.tree.rank(score, Bytes.of(member)), rank);
      assert.equal(
        this.tree.countBelow(score, false),
        this.sorted.findIndex((e) => e.score >= score),
      );
      const above = this.sorted.findIndex((e) => e.score > score);
      assert.equal(this.tree.countBelow(score, true), above < 0 ? this.sorted.length : above);
    }
    assert.equal(this.tree.seek(-1), false);
    assert.equal(this.tree.seek(this.sorted.length), false);
    assert.equal(this.tree.countBelow(-Infinity, false), 0);
    assert.equal(this.tree.countBelow(Infinity, true), this.sorted.length);
  }
}

function randomChanges(
  pair: Pair,
  changes: number,
  growth: number,
  scores: () => number,
  seed: number,
): void {
  const random = seededRandom(seed);
  let serial = pair.sorted.length;
  for (let i = 0; i < changes; i++) {
    const dice = random.next();
    const rank = random.integer(pair.sorted.length);
    if (pair.sorted.length === 0 || dice < growth) pair.add(scores(), `m${random.integer(1e9)}-${serial++}`);
    else if (dice < growth + 0.1) pair.update(rank, scores());
    else if (dice < growth + 0.101) pair.removeRanks(rank, Math.min(pair.sorted.length, rank + 300));
    else pair.remove(rank);
  }
}

test('a tree equals a sorted array during random changes, while it grows and shrinks', () => {
  const random = seededRandom(7);
  const pair = new Pair();
  for (const [round, growth] of [0.85, 0.2, 0.9, 0.05, 0.7].entries()) {
    randomChanges(pair, 4000, growth, () => random.integer(1000) / 8, round);
    pair.check();
  }
});

test('members decide the order of equal scores', () => {
  const pair = new Pair();
  randomChanges(pair, 5000, 0.8, () => 0, 3);
  pair.check();
  for (let rank = 0; rank < pair.sorted.length; rank += 97) {
    const { member } = pair.sorted[rank]!;
    assert.equal(pair.tree.countBelowMember(Bytes.of(member), false), rank);
    assert.equal(pair.tree.countBelowMember(Bytes.of(member), true), rank + 1);
    assert.equal(pair.tree.countBelowMember(Bytes.of(`${member}\0`), false), rank + 1);
  }
  assert.equal(pair.tree.countBelowMember(Bytes.of(''), true), 0);
  assert.equal(pair.tree.countBelowMember(Bytes.of('\xff'), false), pair.sorted.length);
});

test('members are distinguished by any byte, and by their length', () => {
  const pair = new Pair();
  const random = seededRandom(13);
  const lengths = [0, 1, 3, 4, 5, 7, 8, 31, 126, 127, 128, 129, 130, 200, 1000];
  for (const length of lengths) {
    for (const end of ['', 'x', '\0', '\xff', 'xyz', 'a'])
      pair.add(random.integer(2), 'a'.repeat(length) + end + length);
  }
  pair.check();
  for (let rank = 0; rank < pair.sorted.length; rank += 2) pair.update(rank, 5);
  pair.check();
});

test('elements inserted in order, or in reverse order, fill the leaves', () => {
  for (const direction of [1, -1]) {
    const pair = new Pair();
    for (let i = 0; i < 5000; i++) pair.add(i * direction, `member ${i}`);
    pair.check();
    assert.ok(pair.tree.bytes < 5000 * 14, `${pair.tree.bytes} bytes for 5000 elements`);
  }
});

test('removing elements from either end empties the tree and frees all its memory', () => {
  for (const fromEnd of [false, true]) {
    const pair = new Pair();
    randomChanges(pair, 6000, 1, () => pair.sorted.length % 777, 5);
    while (pair.sorted.length > 0) {
      pair.removeRanks(fromEnd ? pair.sorted.length - 1 : 0, fromEnd ? pair.sorted.length : 1);
      if (pair.sorted.length % 1000 === 0) pair.check();
    }
    assert.equal(pair.tree.bytes, 0);
    assert.equal(pair.arena.usedBytes, pair.emptyBytes);
    pair.add(1, 'again');
    pair.check();
  }
});

test('a range of any length can be removed anywhere', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 40; round++) {
    const pair = new Pair();
    randomChanges(pair, 1500, 1, () => random.integer(50), round);
    const from = random.integer(pair.sorted.length);
    pair.removeRanks(from, from + random.integer(pair.sorted.length - from + 1));
    pair.check();
    pair.removeRanks(0, pair.sorted.length);
    assert.equal(pair.arena.usedBytes, pair.emptyBytes);
  }
});

test('infinite scores and both zeros are ordered correctly', () => {
  const pair = new Pair();
  pair.add(Infinity, 'top');
  pair.add(-Infinity, 'bottom');
  pair.add(0, 'b');
  pair.add(-0, 'a');
  pair.add(-0, 'c');
  assert.deepEqual(
    pair.forward().map(({ member }) => member),
    ['bottom', 'a', 'b', 'c', 'top'],
  );
  pair.check();
});

test('the leaves of a dismantled tree are freed one by one', () => {
  const pair = new Pair();
  randomChanges(pair, 5000, 1, () => pair.sorted.length, 1);
  let elements = 0;
  for (let leaf = pair.tree.dismantle(); leaf !== 0; ) {
    const next = pair.tree.leafAfter(leaf);
    elements += pair.tree.sizeOf(leaf);
    pair.tree.freeLeaf(leaf);
    leaf = next;
  }
  assert.equal(elements, 5000);
  assert.equal(pair.tree.bytes, 0);
});

test('a tree that was filled by appending equals a sorted array, also during later changes', () => {
  const random = seededRandom(3);
  const pair = new Pair();
  for (let i = 0; i < 10_000; i++) pair.append(i >> 1, `m${i & 1}-${i}`);
  pair.check();
  randomChanges(pair, 4000, 0.4, () => random.integer(5000), 4);
  pair.check();
});
