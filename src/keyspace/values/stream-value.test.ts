import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { seededRandom } from '../../bytes/random.js';
import { Element } from '../../structures/element.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Database } from '../database.js';
import { Keyspace } from '../keyspace.js';
import { StreamCursor } from './stream-cursor.js';
import { StreamValue } from './stream-value.js';

const MIN_ID = new StreamId();
const MAX_ID = new StreamId().setGreatest();

function keyspace(): Keyspace {
  return new Keyspace({ databases: 2, clock: new ManualClock(), random: seededRandom(1) });
}

function streamAt(space: Keyspace, key = 's'): StreamValue {
  return StreamValue.create(space, space.databases[0] as Database, Bytes.of(key));
}

function append(space: Keyspace, stream: StreamValue, ms: number, ...words: string[]): void {
  stream.append(StreamId.of(ms, 0), words.map(Bytes.of), 0, words.length / 2, space.limits);
}

function entries(stream: StreamValue, from = MIN_ID, to = MAX_ID, reverse = false): string[] {
  const cursor = new StreamCursor();
  const element = new Element();
  const found: string[] = [];
  if (reverse) cursor.openReverse(stream, from, to);
  else cursor.open(stream, from, to);
  while (reverse ? cursor.previous() : cursor.next()) {
    let text = `${cursor.id}:`;
    for (let i = 0; i < cursor.fieldCount; i++) {
      text += ` ${cursor.readField(element).toString()}`;
      text += `=${cursor.readValue(element).toString()}`;
    }
    found.push(text);
  }
  return found;
}

test('entries are walked in both directions, within bounds', () => {
  const space = keyspace();
  space.limits.streamNodeMaxEntries = 3;
  const stream = streamAt(space);
  for (let i = 1; i <= 10; i++)
    append(space, stream, i, 'n', String(i), ...(i % 4 === 0 ? ['more', 'x'] : []));
  const all = entries(stream);
  assert.equal(all.length, 10);
  assert.equal(all[3], '4-0: n=4 more=x');
  assert.deepEqual(entries(stream, MIN_ID, MAX_ID, true), [...all].reverse());
  assert.deepEqual(entries(stream, StreamId.of(3, 1), StreamId.of(6, 5)), all.slice(3, 6));
  assert.deepEqual(entries(stream, StreamId.of(3, 1), StreamId.of(6, 5), true), all.slice(3, 6).reverse());
  assert.deepEqual(entries(stream, StreamId.of(30, 1), MAX_ID), []);
  assert.deepEqual(entries(stream, MIN_ID, StreamId.of(0, 5), true), []);
});

test('a block is removed with its last entry', () => {
  const space = keyspace();
  space.limits.streamNodeMaxEntries = 3;
  const stream = streamAt(space);
  for (let i = 1; i <= 9; i++) append(space, stream, i, 'n', String(i));
  for (const ms of [4, 6, 5]) assert.equal(stream.delete(StreamId.of(ms, 0)), true);
  assert.equal(stream.delete(StreamId.of(5, 0)), false);
  assert.equal(stream.blocks.count, 2);
  assert.equal(stream.length, 6);
  assert.equal(entries(stream).length, 6);
});

test('releasing a stream in steps frees all its memory', () => {
  const space = keyspace();
  const { arena } = space.databases[0] as Database;
  const before = arena.usedBytes;
  const stream = new StreamValue(arena);
  for (let i = 1; i <= 20_000; i++) append(space, stream, i, 'field', String(i));
  const group = stream.createGroup('g', MIN_ID, 0);
  for (const name of ['alice', 'bob']) group.createConsumer(name, 0);
  for (let i = 1; i <= 5000; i++) {
    const consumer = group.consumers.get(i % 2 === 0 ? 'alice' : 'bob');
    assert.ok(consumer !== undefined);
    group.assign(StreamId.of(i, 0), consumer, i, 1);
  }
  assert.ok(Math.abs(stream.memory() / (arena.usedBytes - before) - 1) < 0.1);
  let rounds = 1;
  while (stream.release(50) === 50) rounds++;
  assert.ok(rounds > 8);
  assert.equal(arena.usedBytes, before);
});

test('a copy shares nothing with the original', () => {
  const space = keyspace();
  const stream = streamAt(space);
  for (let i = 1; i <= 300; i++) append(space, stream, i, 'n', String(i));
  const group = stream.createGroup('g', StreamId.of(2, 0), 2);
  group.assign(StreamId.of(1, 0), group.createConsumer('alice', 5), 7, 3);
  const other = space.databases[1] as Database;
  const copy = StreamValue.open(other, stream.copyTo(space, other, Bytes.of('t')));
  const before = entries(stream);
  assert.deepEqual(entries(copy), before);
  stream.trim({ kind: 'length', max: 0 }, false, 0);
  group.acknowledge(StreamId.of(1, 0));
  assert.deepEqual(entries(copy), before);
  const copied = copy.groups.get('g');
  assert.ok(copied !== undefined);
  assert.ok(copied.pending.find(StreamId.of(1, 0)));
  assert.equal(copied.owner.name, 'alice');
  assert.equal(copied.deliveryTime, 7);
  assert.equal(copied.deliveryCount, 3);
});

test('delivery counts and times are exact in 64 bits', () => {
  const space = keyspace();
  const group = streamAt(space).createGroup('g', MIN_ID, 0);
  const consumer = group.createConsumer('alice', 0);
  for (const count of [1, 0xffff_ffff, 2 ** 53 - 1, 2n ** 63n - 1n]) {
    for (const time of [0, 1_700_000_000_000, -5]) {
      group.assign(StreamId.of(1, 1), consumer, time, count);
      assert.equal(group.deliveryCount, count);
      assert.equal(group.deliveryTime, time);
    }
  }
});
