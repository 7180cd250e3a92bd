import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { systemClock } from '../../bytes/clock.js';
import { seededRandom } from '../../bytes/random.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { Keyspace } from '../keyspace.js';
import { Encoding } from '../kinds.js';
import { LargeSortedSet } from './large-sorted-set.js';
import { HIGHEST, LOWEST } from './sorted-set-range.js';
import { AddMode, AddResult, SortedSetValue } from './sorted-set-value.js';

function emptyKeyspace(): Keyspace {
  return new Keyspace({ databases: 2, clock: systemClock, random: seededRandom(1) });
}

function contents(sortedSet: SortedSetValue): [string, number][] {
  const found: [string, number][] = [];
  for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) {
    found.push([sortedSet.member.toString(), sortedSet.memberScore]);
  }
  return found;
}

function fill(sortedSet: SortedSetValue, count: number): void {
  for (let i = 0; i < count; i++) sortedSet.add(Bytes.of(`member ${i}`), (i * 7919) % 1000);
}

test('both encodings give the same results', () => {
  const keyspace = emptyKeyspace();
  const db = keyspace.databases[0]!;
  const packed = new SortedSetValue().create(keyspace, db, Bytes.of('packed'));
  keyspace.limits.zsetMaxListpackEntries = 0;
  const large = new SortedSetValue().create(keyspace, db, Bytes.of('large'));
  keyspace.limits.zsetMaxListpackEntries = 1000;
  for (const each of [packed, large]) fill(each, 300);
  assert.equal(packed.encoding, Encoding.listpack);
  assert.equal(large.encoding, Encoding.skiplist);
  assert.deepEqual(contents(packed), contents(large));
  for (const range of [
    { min: 100, minExclusive: false, max: 300, maxExclusive: true },
    { min: 100, minExclusive: true, max: 300, maxExclusive: false },
    { min: 5, minExclusive: true, max: 5, maxExclusive: false },
    { min: -Infinity, minExclusive: false, max: Infinity, maxExclusive: false },
  ]) {
    assert.equal(packed.ranksByScore(range), large.ranksByScore(range));
    assert.deepEqual([packed.from, packed.to], [large.from, large.to]);
  }
  for (const member of ['member 0', 'member 17', 'absent']) {
    assert.equal(packed.rank(Bytes.of(member)), large.rank(Bytes.of(member)));
    assert.equal(packed.score(Bytes.of(member)), large.score(Bytes.of(member)));
    assert.equal(packed.remove(Bytes.of(member)), large.remove(Bytes.of(member)));
  }
  for (const each of [packed, large]) each.removeRanks(10, 100);
  assert.deepEqual(contents(packed), contents(large));
});

test('a walk can go in both directions and turn around', () => {
  const keyspace = emptyKeyspace();
  for (const entries of [0, 1000]) {
    keyspace.limits.zsetMaxListpackEntries = entries;
    const sortedSet = new SortedSetValue().begin(keyspace, keyspace.databases[0]!);
    fill(sortedSet, 200);
    const all = contents(sortedSet);
    const backwards: [string, number][] = [];
    for (let ok = sortedSet.seek(199); ok; ok = sortedSet.previous()) {
      backwards.push([sortedSet.member.toString(), sortedSet.memberScore]);
    }
    assert.deepEqual(backwards.reverse(), all);
    sortedSet.seek(100);
    sortedSet.next();
    sortedSet.previous();
    sortedSet.previous();
    assert.equal(sortedSet.member.toString(), all[99]![0]);
    assert.equal(sortedSet.seek(200), false);
    assert.equal(sortedSet.seek(-1), false);
    sortedSet.discard();
  }
});

test('add returns what it did', () => {
  const keyspace = emptyKeyspace();
  const sortedSet = new SortedSetValue().begin(keyspace, keyspace.databases[0]!);
  const member = Bytes.of('m');
  assert.equal(sortedSet.add(member, 1, AddMode.onlyExisting), AddResult.refused);
  assert.equal(sortedSet.add(member, 1), AddResult.added);
  assert.equal(sortedSet.add(member, 1), AddResult.same);
  assert.equal(sortedSet.add(member, 2, AddMode.onlyNew), AddResult.refused);
  assert.equal(sortedSet.add(member, 2, AddMode.increment), AddResult.updated);
  assert.equal(sortedSet.newScore, 3);
  assert.equal(sortedSet.add(member, 2, AddMode.onlyGreater), AddResult.refused);
  assert.equal(sortedSet.add(member, Infinity), AddResult.updated);
  assert.equal(sortedSet.add(member, -Infinity, AddMode.increment), AddResult.notANumber);
  assert.equal(sortedSet.score(member), Infinity);
});

test('removing keys frees all memory of sorted sets, that of a large one in steps', () => {
  const keyspace = emptyKeyspace();
  const db = keyspace.databases[0]!;
  const before = db.arena.usedBytes;
  const sortedSet = new SortedSetValue().create(keyspace, db, Bytes.of('small'));
  fill(sortedSet, 100);
  sortedSet.create(keyspace, db, Bytes.of('large'));
  fill(sortedSet, 5000);
  assert.ok(sortedSet.large.memory() > 5000 * 40);
  for (const key of ['small', 'large']) keyspace.remove(db, keyspace.write(db, Bytes.of(key)));
  assert.equal(keyspace.pendingReleases, 1);
  let rounds = 0;
  while (keyspace.releaseSome(500)) rounds++;
  assert.ok(rounds >= 9);
  assert.equal(db.arena.usedBytes, before);
});

test('a sorted set can be copied to another database', () => {
  const keyspace = emptyKeyspace();
  const [db, other] = keyspace.databases as [(typeof keyspace.databases)[0], (typeof keyspace.databases)[0]];
  for (const count of [20, 2000]) {
    const sortedSet = new SortedSetValue().create(keyspace, db, Bytes.of(`from ${count}`));
    fill(sortedSet, count);
    const all = contents(sortedSet);
    const entry = sortedSet.copyTo(other, Bytes.of(`to ${count}`));
    sortedSet.removeRanks(0, 10);
    const copy = new SortedSetValue().open(keyspace, other, entry);
    assert.deepEqual(contents(copy), all);
    assert.equal(copy.encoding, sortedSet.encoding);
  }
});

test('a loaded listpack is used as it is, or converted if it is too long', () => {
  const keyspace = emptyKeyspace();
  const db = keyspace.databases[0]!;
  const whole = new Bytes();
  const source = new SortedSetValue().begin(keyspace, db);
  fill(source, 100);
  for (const [max, encoding] of [
    [100, Encoding.listpack],
    [99, Encoding.skiplist],
  ] as const) {
    keyspace.limits.zsetMaxListpackEntries = max;
    const adopted = new SortedSetValue().adopt(keyspace, db, Listpack.load(db.arena, source.packed(whole)));
    assert.equal(adopted.encoding, encoding);
    assert.deepEqual(contents(adopted), contents(source));
    adopted.store(Bytes.of(`key ${max}`));
    assert.equal(adopted.length, 100);
  }
});

test('a computed result is packed if it is small and its members are short', () => {
  const keyspace = emptyKeyspace();
  const db = keyspace.databases[0]!;
  for (const [count, length, encoding] of [
    [128, 10, Encoding.listpack],
    [129, 10, Encoding.skiplist],
    [2, 65, Encoding.skiplist],
  ] as const) {
    const large = new LargeSortedSet(db.arena, db.keyedHash);
    for (let i = 0; i < count; i++) {
      const member = Bytes.of(String(i).padStart(length, '.'));
      large.rescore(large.collect(member, large.dict.hash(member), 0), count - i);
    }
    large.order();
    const result = new SortedSetValue().adoptLarge(keyspace, db, large);
    result.packIfSmall();
    assert.equal(result.encoding, encoding);
    assert.deepEqual(
      contents(result).map(([, score]) => score),
      Array.from({ length: count }, (_, i) => i + 1),
    );
    assert.equal(result.ranksByLex({ min: LOWEST, max: HIGHEST }), count);
    result.discard();
  }
});

test('a computed result is in the order of scores and then of members, whatever they are', () => {
  const keyspace = emptyKeyspace();
  const db = keyspace.databases[0]!;
  const random = seededRandom(5);
  const scores = [-Infinity, -1e300, -2.5, -1, -0, 0, 5e-324, 0.1, 0.30000000000000004, 7, 2 ** 53, Infinity];
  const beginnings = [
    '',
    'a',
    'abc',
    'abcd',
    'abcdefg',
    'abcdefgh',
    'abcdefgh\0',
    'abcd\0\0',
    '\xff\xfe',
    '\0',
  ];
  const expected: { score: number; member: Buffer }[] = [];
  const large = new LargeSortedSet(db.arena, db.keyedHash);
  for (let i = 0; i < 2_000; i++) {
    const score = scores[random.integer(scores.length)] as number;
    const text = `${beginnings[random.integer(beginnings.length)]}${i === 0 ? '' : random.integer(2) === 0 ? i : `\0${i}`}`;
    const member = Bytes.of(text);
    if (large.dict.find(member) !== 0) continue;
    large.collect(member, large.dict.hash(member), score);
    expected.push({ score: score + 0, member: Buffer.from(text, 'latin1') });
  }
  large.order();
  expected.sort((a, b) =>
    a.score < b.score ? -1 : a.score > b.score ? 1 : Buffer.compare(a.member, b.member),
  );
  const result = new SortedSetValue().adoptLarge(keyspace, db, large);
  assert.deepEqual(
    contents(result).map(([member, score]) => [member, score + 0]),
    expected.map(({ score, member }) => [member.toString('latin1'), score]),
  );
  assert.equal(large.tree.rank(Infinity, Bytes.of('\xff\xff\xff')), expected.length);
  result.discard();
});
