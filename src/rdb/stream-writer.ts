import { Bytes } from '../bytes/bytes.js';
import { byName, type ConsumerGroup } from '../keyspace/values/stream-group.js';
import type { StreamValue } from '../keyspace/values/stream-value.js';
import type { Ref } from '../structures/arena/ref.js';
import { Listpack } from '../structures/listpack/listpack.js';
import { StreamId } from '../structures/stream/stream-id.js';
import type { RdbWriter } from './rdb-writer.js';

/** Writes a stream: its blocks as they are, its metadata, its groups with their pending entries. */
export function writeStream(writer: RdbWriter, stream: StreamValue): void {
  const { blocks, arena } = stream;
  writer.length(blocks.count);
  for (let more = blocks.first(); more; more = blocks.next()) {
    blocks.readId(id).encode(idBytes, 0);
    writer.string(idView);
    writer.string(pack.open(arena, blocks.word(0) as Ref).whole(view));
  }
  writeStreamTail(writer, stream);
}

/** Everything after the blocks. */
export function writeStreamTail(writer: RdbWriter, stream: StreamValue): void {
  writer.length(stream.length);
  writeId(writer, stream.lastId);
  writeId(writer, stream.firstId);
  writeId(writer, stream.maxDeletedId);
  writer.unsigned64(stream.entriesAdded);
  writer.length(stream.groups.size);
  for (const group of byName(stream.groups)) writeGroup(writer, group);
}

function writeGroup(writer: RdbWriter, group: ConsumerGroup): void {
  const { pending } = group;
  writer.string(Bytes.of(group.name));
  writeId(writer, group.lastId);
  writer.unsigned64(group.entriesRead);
  writer.length(pending.count);
  for (let more = pending.first(); more; more = pending.next()) {
    writeRawId(writer, pending.readId(id));
    writer.milliseconds(group.deliveryTime);
    writer.unsigned64(group.deliveryCount);
  }
  writer.length(group.consumers.size);
  for (const consumer of group.sortedConsumers()) {
    writer.string(Bytes.of(consumer.name));
    writer.milliseconds(consumer.seenTime);
    writer.length(consumer.pending.count);
    for (let more = consumer.pending.first(); more; more = consumer.pending.next()) {
      writeRawId(writer, consumer.pending.readId(id));
    }
  }
}

function writeId(writer: RdbWriter, { ms, seq }: StreamId): void {
  writer.unsigned64(ms);
  writer.unsigned64(seq);
}

function writeRawId(writer: RdbWriter, written: StreamId): void {
  written.encode(idBytes, 0);
  writer.sink.bytes(idBytes, 0, ID_BYTES);
}

const ID_BYTES = 16;
const idBytes = Buffer.alloc(ID_BYTES);
const idView = new Bytes(idBytes);
const id = new StreamId();
const view = new Bytes();
const pack = new Listpack();
