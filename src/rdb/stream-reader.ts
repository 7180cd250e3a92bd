import { Bytes } from '../bytes/bytes.js';
import { type Counter, counter } from '../keyspace/counter.js';
import type { Database } from '../keyspace/database.js';
import { MAX_TIME } from '../keyspace/expiry-queue.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Encoding, Type } from '../keyspace/kinds.js';
import type { Consumer, ConsumerGroup } from '../keyspace/values/stream-group.js';
import { countUpTo } from '../keyspace/values/stream-progress.js';
import { StreamValue } from '../keyspace/values/stream-value.js';
import { isValidListpack } from '../structures/listpack/listpack-format.js';
import { isValidStreamBlock } from '../structures/stream/stream-block-check.js';
import { StreamId } from '../structures/stream/stream-id.js';
import { CorruptData } from './byte-source.js';
import type { RdbReader } from './rdb-reader.js';
import type { LoadedValue } from './value-reader.js';

/** The three forms: before 7.0 with less information about the stream, from 7.2 on with more about consumers. */
type Form = 1 | 2 | 3;

export function readStream(reader: RdbReader, keyspace: Keyspace, db: Database, form: Form): LoadedValue {
  const stream = new StreamValue(db.arena);
  try {
    readBlocks(reader, stream);
    readCounts(reader, stream, form);
    const groups = reader.length();
    for (let i = 0; i < groups; i++) readGroup(reader, stream, form);
  } catch (error) {
    keyspace.release(stream);
    throw error;
  }
  return {
    store: (key) => keyspace.replace(db, key, Type.stream, Encoding.stream, db.addObject(stream)),
    discard: () => keyspace.release(stream),
  };
}

function readBlocks(reader: RdbReader, stream: StreamValue): void {
  const blocks = reader.length();
  for (let i = 0; i < blocks; i++) {
    const key = reader.string();
    if (key.length !== ID_BYTES) throw new CorruptData('the id of a block of a stream is damaged');
    id.decode(key.buf, key.start);
    if (stream.blocks.find(id)) throw new CorruptData('a stream has a block twice');
    const listpack = reader.string();
    if (!isValidListpack(listpack.buf, listpack.start, listpack.end, true) || !isValidStreamBlock(listpack)) {
      throw new CorruptData('a block of a stream is damaged');
    }
    stream.loadBlock(id, listpack);
  }
}

function readCounts(reader: RdbReader, stream: StreamValue, form: Form): void {
  stream.length = reader.length();
  if (stream.length > 0 && stream.blocks.count === 0) throw new CorruptData('a stream has lost its blocks');
  readId(reader, stream.lastId);
  if (form === 1) {
    stream.entriesAdded = stream.length;
    if (stream.length > 0) stream.findFirstId();
    else stream.firstId.setGreatest(); // As in Redis; elsewhere 0-0 stands for none.
    return;
  }
  readId(reader, stream.firstId);
  readId(reader, stream.maxDeletedId);
  stream.entriesAdded = counter(reader.unsigned64());
}

function readGroup(reader: RdbReader, stream: StreamValue, form: Form): void {
  const name = reader.string().toString();
  readId(reader, id);
  const entriesRead: Counter =
    form === 1 ? countUpTo(stream, id) : counter(BigInt.asIntN(64, reader.unsigned64()));
  if (stream.groups.has(name)) throw new CorruptData('a stream has a group twice');
  const group = stream.createGroup(name, id, entriesRead);
  const placeholder = group.createConsumer(PLACEHOLDER, 0);
  const pending = reader.length();
  for (let i = 0; i < pending; i++) {
    readRawId(reader);
    const time = readTime(reader);
    const count = counter(reader.unsigned64());
    if (group.pending.find(id)) throw new CorruptData('an entry is pending twice');
    group.assign(id, placeholder, time, count);
  }
  readConsumers(reader, group, placeholder, form);
}

/** Pending entries belong to a placeholder at first. At the end each must have a consumer. */
function readConsumers(reader: RdbReader, group: ConsumerGroup, placeholder: Consumer, form: Form): void {
  const consumers = reader.length();
  for (let i = 0; i < consumers; i++) {
    const name = reader.string().toString();
    if (group.consumers.has(name)) throw new CorruptData('Duplicate stream consumer detected');
    const consumer = group.createConsumer(name, readTime(reader));
    // The time of its last successful read, which 7.0 does not have.
    if (form === 3) reader.milliseconds();
    const pending = reader.length();
    for (let j = 0; j < pending; j++) {
      readRawId(reader);
      if (!group.pending.find(id)) throw new CorruptData('Consumer entry not found in group global PEL');
      if (group.owner !== placeholder) {
        throw new CorruptData('Stream consumer PEL entry already has a consumer assigned');
      }
      group.assign(id, consumer, group.deliveryTime, group.deliveryCount);
    }
  }
  if (placeholder.pending.count > 0) throw new CorruptData('a pending entry has no consumer');
  group.removeConsumer(placeholder);
}

function readId(reader: RdbReader, into: StreamId): void {
  const ms = reader.unsigned64();
  into.setMs(ms).setSeq(reader.unsigned64());
}

function readRawId(reader: RdbReader): void {
  const { buf, start } = reader.source.bytes(ID_BYTES, view);
  id.decode(buf, start);
}

/** Cannot be a consumer's name, because names consist of bytes. */
const PLACEHOLDER = '\u0100';
const ID_BYTES = 16;
const id = new StreamId();
const view = new Bytes();

/** A 64-bit time. A value too close to 2^63 becomes the latest valid time. */
function readTime(reader: RdbReader): number {
  return Math.min(reader.milliseconds(), MAX_TIME);
}
