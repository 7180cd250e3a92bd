import type { Bytes } from '../../bytes/bytes.js';
import { StreamCursor } from '../../keyspace/values/stream-cursor.js';
import { byName, type Consumer, type ConsumerGroup } from '../../keyspace/values/stream-group.js';
import type { StreamValue } from '../../keyspace/values/stream-value.js';
import type { RequestWriter } from '../../resp/request-encoder.js';
import { Element } from '../../structures/element.js';
import { StreamId } from '../../structures/stream/stream-id.js';

/** Writes the commands that create a stream: its entries, its counters, its groups with all pending entries. */
export function writeStreamCommands(writer: RequestWriter, key: Bytes, stream: StreamValue): void {
  if (stream.length === 0) {
    writer.begin(7).text('XADD').argument(key).text('MAXLEN').text(0).text('0-1').text('x').text('y');
  }
  for (cursor.open(stream, MIN_ID, MAX_ID); cursor.next(); ) {
    const { fieldCount } = cursor;
    writer
      .begin(3 + fieldCount * 2)
      .text('XADD')
      .argument(key)
      .text(cursor.id.toString());
    for (let i = 0; i < fieldCount; i++) {
      writer.argument(cursor.readField(element).toBytes());
      writer.argument(cursor.readValue(element).toBytes());
    }
  }
  writer.begin(7).text('XSETID').argument(key).text(stream.lastId.toString());
  writer.text('ENTRIESADDED').text(stream.entriesAdded);
  writer.text('MAXDELETEDID').text(stream.maxDeletedId.toString());
  for (const group of byName(stream.groups)) writeGroup(writer, key, group);
}

function writeGroup(writer: RequestWriter, key: Bytes, group: ConsumerGroup): void {
  writer.begin(7).text('XGROUP').text('CREATE').argument(key).text(group.name).text(group.lastId.toString());
  writer.text('ENTRIESREAD').text(group.entriesRead);
  for (const consumer of group.sortedConsumers()) writeConsumer(writer, key, group, consumer);
}

function writeConsumer(writer: RequestWriter, key: Bytes, group: ConsumerGroup, consumer: Consumer): void {
  const { pending } = consumer;
  if (pending.count === 0) {
    writer.begin(5).text('XGROUP').text('CREATECONSUMER').argument(key).text(group.name).text(consumer.name);
    return;
  }
  for (let more = pending.first(); more; more = pending.next()) {
    pending.readId(id);
    group.pending.find(id);
    writer
      .begin(12)
      .text('XCLAIM')
      .argument(key)
      .text(group.name)
      .text(consumer.name)
      .text(0)
      .text(id.toString());
    writer.text('TIME').text(group.deliveryTime).text('RETRYCOUNT').text(group.deliveryCount);
    writer.text('JUSTID').text('FORCE');
  }
}

const cursor = new StreamCursor();
const element = new Element();
const id = new StreamId();
const MIN_ID = new StreamId().setLeast();
const MAX_ID = new StreamId().setGreatest();
