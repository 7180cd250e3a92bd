import { Type } from '../../keyspace/kinds.js';
import type { ConsumerGroup } from '../../keyspace/values/stream-group.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { groupAt, groupToChange, noKeyOrGroup } from './group-lookup.js';
import { parseBound, replyId } from './id-argument.js';
import { replyCounter } from './reply-counter.js';
import { idArguments } from './write.js';

export function xack(call: Call): void {
  const at = groupToChange(call, call.read(1, Type.stream), call.arg(1), call.arg(2));
  if (at === undefined) {
    call.reply.integer(0);
    return;
  }
  let acknowledged = 0;
  for (const acknowledgedId of idArguments(call, 3)) {
    if (at.group.acknowledge(acknowledgedId)) acknowledged++;
  }
  call.effects.counted(acknowledged);
  call.reply.integer(acknowledged);
}

/** Which pending entries are asked for; `first` and `last` hold the ids. */
interface PendingRange {
  readonly minIdle: number;
  readonly count: number;
  /** The index of the consumer's name; 0 for all consumers. */
  readonly consumerAt: number;
}

export function xpending(call: Call): void {
  const { argc } = call;
  if (argc !== 3 && (argc < 6 || argc > 9)) throw errors.syntax;
  const range = argc === 3 ? undefined : parseRange(call);
  const key = call.arg(1);
  const at = groupAt(call, call.read(1, Type.stream), key, call.arg(2));
  if (at === undefined) throw noKeyOrGroup(key, call.arg(2));
  if (range === undefined) replySummary(call, at.group);
  else replyRange(call, at.group, range);
}

function parseRange(call: Call): PendingRange {
  let at = 3;
  let minIdle = 0;
  if (call.arg(3).is('idle')) {
    minIdle = call.integer(4);
    if (call.argc < 8) throw errors.syntax;
    at = 5;
  }
  const count = Math.max(call.integer(at + 2), 0);
  parseBound(call.arg(at), first, 'first');
  parseBound(call.arg(at + 1), last, 'last');
  return { minIdle, count, consumerAt: call.argc > at + 3 ? at + 3 : 0 };
}

function replySummary({ reply }: Call, group: ConsumerGroup): void {
  const { pending } = group;
  reply.array(4);
  reply.integer(pending.count);
  if (pending.count === 0) {
    reply.null();
    reply.null();
    reply.nullArray();
    return;
  }
  pending.first();
  replyId(reply, pending.readId(id));
  pending.last();
  replyId(reply, pending.readId(id));
  const consumers = group.sortedConsumers().filter((consumer) => consumer.pending.count > 0);
  reply.array(consumers.length);
  for (const consumer of consumers) {
    reply.array(2);
    reply.bulkText(consumer.name);
    reply.bulkInteger(consumer.pending.count);
  }
}

function replyRange(call: Call, group: ConsumerGroup, { minIdle, count, consumerAt }: PendingRange): void {
  const { reply, now } = call;
  const consumer = consumerAt === 0 ? undefined : group.consumers.get(call.text(consumerAt));
  if (consumerAt !== 0 && consumer === undefined) {
    reply.array(0);
    return;
  }
  const tree = consumer === undefined ? group.pending : consumer.pending;
  const mark = reply.defer();
  let found = 0;
  for (let more = count > 0 && tree.ceiling(first); more; more = found < count && tree.next()) {
    tree.readId(id);
    if (id.compare(last) > 0) break;
    if (consumer !== undefined) group.pending.find(id);
    const idle = now - group.deliveryTime;
    if (minIdle !== 0 && idle < minIdle) continue;
    reply.array(4);
    replyId(reply, id);
    reply.bulkText(group.owner.name);
    reply.integer(Math.max(idle, 0));
    replyCounter(reply, group.deliveryCount);
    found++;
  }
  reply.finishArray(mark, found);
}

const first = new StreamId();
const last = new StreamId();
const id = new StreamId();
