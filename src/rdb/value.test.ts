import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { Crc64 } from '../bytes/crc64.js';
import { type RandomSource, seededRandom } from '../bytes/random.js';
import type { Database } from '../keyspace/database.js';
import { valueDigest } from '../keyspace/digest.js';
import { type Entry, NO_ENTRY } from '../keyspace/entry.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { entryMemory } from '../keyspace/memory.js';
import { HashValue } from '../keyspace/values/hash-value.js';
import { ListValue } from '../keyspace/values/list-value.js';
import { SetValue } from '../keyspace/values/set-value.js';
import { SortedSetValue } from '../keyspace/values/sorted-set-value.js';
import { StreamValue } from '../keyspace/values/stream-value.js';
import { setString } from '../keyspace/values/string-value.js';
import { StreamId } from '../structures/stream/stream-id.js';
import { CorruptData } from './byte-source.js';
import { dumpValue, isIntactPayload, loadPayload, serializedLength } from './dump.js';

const text = Bytes.of;
const KEY = text('key');
const COPY = text('copy');

function newKeyspace(): Keyspace {
  return new Keyspace({ databases: 1, clock: new ManualClock(), random: seededRandom(1) });
}

const ROUNDS = 100;

/** Functions that create values of every type, small and large, at `KEY`. */
const MAKERS: Record<string, (keyspace: Keyspace, db: Database) => void> = {
  'a short string': (keyspace, db) => setString(keyspace, db, NO_ENTRY, KEY, text('hello')),
  'an integer': (keyspace, db) => setString(keyspace, db, NO_ENTRY, KEY, text('-12345')),
  'a long string': (keyspace, db) => setString(keyspace, db, NO_ENTRY, KEY, text('abcdefgh'.repeat(500))),
  'a short list': (keyspace, db) => fillList(keyspace, db, 5),
  'a long list': (keyspace, db) => fillList(keyspace, db, 400),
  'a few integers': (keyspace, db) => fillSet(keyspace, db, 20, ''),
  'a few members': (keyspace, db) => fillSet(keyspace, db, 10, 'member'),
  'many members': (keyspace, db) => fillSet(keyspace, db, 300, 'member'),
  'a small hash': (keyspace, db) => fillHash(keyspace, db, 10),
  'a large hash': (keyspace, db) => fillHash(keyspace, db, 600),
  'a small sorted set': (keyspace, db) => fillSortedSet(keyspace, db, 10),
  'a large sorted set': (keyspace, db) => fillSortedSet(keyspace, db, 200),
  'a stream': (keyspace, db) => fillStream(keyspace, db, 12),
  'a long stream': (keyspace, db) => fillStream(keyspace, db, 400),
};

function fillList(keyspace: Keyspace, db: Database, length: number): void {
  const list = new ListValue().open(keyspace, db, ListValue.create(keyspace, db, KEY, 9));
  for (let i = 0; i < length; i++) list.pushTail(text(i % 3 === 0 ? `${i}` : `${'element'.repeat(6)} ${i}`));
}

function fillSet(keyspace: Keyspace, db: Database, length: number, prefix: string): void {
  const set = new SetValue().create(keyspace, db, KEY);
  for (let i = 0; i < length; i++) set.add(text(`${prefix}${i}`));
}

function fillHash(keyspace: Keyspace, db: Database, length: number): void {
  const hash = new HashValue().create(keyspace, db, KEY);
  for (let i = 0; i < length; i++) hash.set(text(`field ${i}`), text(`${i}`));
}

function fillStream(keyspace: Keyspace, db: Database, length: number): void {
  const stream = StreamValue.create(keyspace, db, KEY);
  for (let i = 1; i <= length; i++) {
    const fields = ['n', `${i}`, i % 5 === 0 ? 'other' : 'text', 'value'].map(text);
    stream.append(StreamId.of(i, i), fields, 0, 2, keyspace.limits);
  }
  stream.delete(StreamId.of(3, 3));
  const group = stream.createGroup('group', StreamId.of(5, 5), 5);
  for (const name of ['first', 'second']) {
    const consumer = group.createConsumer(name, 1);
    for (let i = name.length; i < length; i += 2) group.assign(StreamId.of(i, i), consumer, i, 1);
  }
}

function fillSortedSet(keyspace: Keyspace, db: Database, length: number): void {
  const sortedSet = new SortedSetValue().create(keyspace, db, KEY);
  for (let i = 0; i < length; i++) sortedSet.add(text(`member ${i}`), i % 7 === 0 ? i / 4 : i);
}

for (const [name, make] of Object.entries(MAKERS)) {
  test(`${name} is the same after being written and read`, () => {
    for (const compresses of [true, false]) {
      const keyspace = newKeyspace();
      const db = keyspace.databases[0]!;
      make(keyspace, db);
      const entry = db.find(KEY);
      const payload = dumpValue(keyspace, db, entry, compresses).copy();
      assert.ok(isIntactPayload(payload));
      assert.equal(serializedLength(keyspace, db, entry, compresses), payload.length - 11);
      const copy = loadPayload(payload, keyspace, db).store(COPY);
      assert.equal(db.encoding(copy), db.encoding(entry));
      assert.equal(valueDigest(keyspace, db, copy), valueDigest(keyspace, db, entry));
      assert.ok(entryMemory(db, copy) > 0);
    }
  });

  test(`${name}, damaged in any way, is refused or read as a valid value, and leaks nothing`, () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0]!;
    make(keyspace, db);
    const payload = dumpValue(keyspace, db, db.find(KEY), true).toBuffer();
    keyspace.remove(db, db.find(KEY));
    checkDamaged(keyspace, payload);
  });
}

function checkDamaged(keyspace: Keyspace, payload: Buffer): void {
  const db = keyspace.databases[0]!;
  const random = seededRandom(payload.length);
  releaseAll(keyspace);
  const before = db.arena.usedBytes;
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const damaged = damage(payload, random);
    if (!restoreAndUse(keyspace, db, damaged)) refused++;
    releaseAll(keyspace);
    assert.equal(db.arena.usedBytes, before, `round ${round}: ${damaged.toString('hex').slice(0, 400)}`);
  }
  assert.ok(refused > 0);
}

/** Values in forms that only old versions wrote, without the footer. */
const OLD_FORMS: Record<string, string> = {
  'a list, element by element': '01 03 0161 c005 00',
  'a sorted set with scores as text': '03 03 0161 03312e35 0162 ff 0163 fe',
  'a zipmap': '09 0e 02 0161 010031 0162 0201323300 ff',
  'a ziplist of two': '0a 10 10000000 0d000000 0200 000161 03f6 ff',
  'a hash as a ziplist': '0d 10 10000000 0d000000 0200 000161 03f6 ff',
  'a sorted set as a ziplist': '0c 10 10000000 0d000000 0200 000161 03f6 ff',
  'a quicklist of ziplists':
    '0e 02 10 10000000 0d000000 0200 000161 03f6 ff 0d 0d000000 0a000000 0100 00f1 ff',
};

for (const [name, form] of Object.entries(OLD_FORMS)) {
  test(`${name} is read; if damaged, it is refused or read as a valid value`, () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0]!;
    const payload = withFooter(Buffer.from(form.replaceAll(' ', ''), 'hex'));
    assert.ok(restoreAndUse(keyspace, db, payload));
    checkDamaged(keyspace, payload);
  });
}

function releaseAll(keyspace: Keyspace): void {
  while (keyspace.releaseSome(1000));
}

/** Changes, cuts out or repeats some bytes, and makes the checksum right again. */
function damage(payload: Buffer, random: RandomSource): Buffer {
  const value = payload.subarray(0, payload.length - 10);
  const at = random.integer(value.length);
  const length = random.integer(Math.min(16, value.length - at)) + 1;
  let changed: Buffer;
  switch (random.integer(4)) {
    case 0:
      changed = Buffer.concat([value.subarray(0, at), value.subarray(at + length)]);
      break;
    case 1:
      changed = Buffer.concat([value.subarray(0, at + length), value.subarray(at)]);
      break;
    case 2:
      changed = Buffer.from(value);
      changed[random.integer(Math.min(12, value.length))] = random.integer(256);
      break;
    default:
      changed = Buffer.from(value);
      changed[at] = (changed[at] as number) ^ (1 << random.integer(8));
  }
  return withFooter(changed);
}

function withFooter(value: Buffer): Buffer {
  const whole = Buffer.concat([value, Buffer.from([10, 0]), Buffer.alloc(8)]);
  new Crc64().update(whole, 0, whole.length - 8).writeTo(whole, whole.length - 8);
  return whole;
}

/** Reads the payload. If it is accepted, runs operations on the value that would fail on invalid data. */
function restoreAndUse(keyspace: Keyspace, db: Database, payload: Buffer): boolean {
  const bytes = new Bytes(payload);
  assert.ok(isIntactPayload(bytes));
  let entry: Entry;
  try {
    entry = loadPayload(bytes, keyspace, db).store(COPY);
  } catch (error) {
    assert.ok(error instanceof CorruptData, String(error));
    assert.equal(db.find(COPY), 0);
    return false;
  }
  const digest = valueDigest(keyspace, db, entry);
  const again = loadPayload(dumpValue(keyspace, db, entry, true).copy(), keyspace, db).store(KEY);
  assert.equal(valueDigest(keyspace, db, again), digest);
  keyspace.remove(db, again);
  keyspace.remove(db, entry);
  return true;
}

test('a payload of a newer version, or one that is truncated or changed, is not intact', () => {
  const keyspace = newKeyspace();
  const db = keyspace.databases[0]!;
  setString(keyspace, db, NO_ENTRY, KEY, text('hello'));
  const payload = dumpValue(keyspace, db, db.find(KEY), true).toBuffer();
  assert.ok(isIntactPayload(new Bytes(payload)));
  assert.ok(!isIntactPayload(new Bytes(payload.subarray(2))));
  assert.ok(!isIntactPayload(new Bytes(payload.subarray(0, 9))));
  for (let i = 0; i < payload.length; i++) {
    const changed = Buffer.from(payload);
    changed[i] = (changed[i] as number) ^ 1;
    assert.ok(!isIntactPayload(new Bytes(changed)));
  }
  const newer = Buffer.from(payload);
  newer[newer.length - 10] = 11;
  new Crc64().update(newer, 0, newer.length - 8).writeTo(newer, newer.length - 8);
  assert.ok(!isIntactPayload(new Bytes(newer)));
});
