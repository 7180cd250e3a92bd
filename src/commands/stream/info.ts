import { Type } from '../../keyspace/kinds.js';
import { StreamCursor } from '../../keyspace/values/stream-cursor.js';
import { byName, type Consumer, type ConsumerGroup } from '../../keyspace/values/stream-group.js';
import { lag, UNKNOWN_COUNT } from '../../keyspace/values/stream-progress.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import type { Reply } from '../../resp/reply.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { errors, wrongSubcommandArguments } from '../errors.js';
import { helpHandler } from '../help.js';
import { noGroup } from './group-lookup.js';
import { replyId } from './id-argument.js';
import { radixTreeNodes } from './radix-tree.js';
import { replyEntry } from './range.js';
import { replyCounter } from './reply-counter.js';

/** The default COUNT of XINFO STREAM FULL. */
const USUAL_COUNT = 10;

function stream(call: Call): void {
  const shown = theStream(call);
  const count = fullCount(call);
  const { reply } = call;
  reply.map(count === undefined ? 10 : 9);
  replyCounts(reply, shown);
  if (count === undefined) {
    reply.bulkText('groups');
    reply.integer(shown.groups.size);
    reply.bulkText('first-entry');
    replyEdge(reply, cursor.open(shown, MIN_ID, MAX_ID).next());
    reply.bulkText('last-entry');
    replyEdge(reply, cursor.openReverse(shown, MIN_ID, MAX_ID).previous());
    return;
  }
  reply.bulkText('entries');
  replyFirstEntries(reply, shown, count);
  reply.bulkText('groups');
  reply.array(shown.groups.size);
  for (const group of byName(shown.groups)) replyFullGroup(reply, shown, group, count);
}

function theStream(call: Call): StreamValue {
  const entry = call.read(2, Type.stream);
  if (entry === 0) throw errors.noSuchKey;
  return StreamValue.open(call.db, entry);
}

/** The number of entries of each kind that FULL shows, 0 for all; undefined without FULL. */
function fullCount(call: Call): number | undefined {
  const { argc } = call;
  if (argc === 3) return undefined;
  const isRight = (argc === 4 || (argc === 6 && call.arg(4).is('count'))) && call.arg(3).is('full');
  if (!isRight) throw wrongSubcommandArguments(call.text(1), 'xinfo');
  if (argc === 4) return USUAL_COUNT;
  const count = call.integer(5);
  return count < 0 ? USUAL_COUNT : count;
}

function replyCounts(reply: Reply, shown: StreamValue): void {
  reply.bulkText('length');
  reply.integer(shown.length);
  reply.bulkText('radix-tree-keys');
  reply.integer(shown.blocks.count);
  reply.bulkText('radix-tree-nodes');
  reply.integer(radixTreeNodes(shown.blocks));
  reply.bulkText('last-generated-id');
  replyId(reply, shown.lastId);
  reply.bulkText('max-deleted-entry-id');
  replyId(reply, shown.maxDeletedId);
  reply.bulkText('entries-added');
  replyCounter(reply, shown.entriesAdded);
  reply.bulkText('recorded-first-entry-id');
  replyId(reply, shown.firstId);
}

function replyEdge(reply: Reply, isThere: boolean): void {
  if (isThere) replyEntry(reply, cursor);
  else reply.null();
}

function replyFirstEntries(reply: Reply, shown: StreamValue, count: number): void {
  const mark = reply.defer();
  let found = 0;
  for (cursor.open(shown, MIN_ID, MAX_ID); cursor.next(); ) {
    replyEntry(reply, cursor);
    if (++found === count) break;
  }
  reply.finishArray(mark, found);
}

function replyFullGroup(reply: Reply, shown: StreamValue, group: ConsumerGroup, count: number): void {
  const { pending } = group;
  reply.map(7);
  reply.bulkText('name');
  reply.bulkText(group.name);
  replyProgress(reply, shown, group);
  reply.bulkText('pel-count');
  reply.integer(pending.count);
  reply.bulkText('pending');
  let left = count === 0 ? pending.count : Math.min(count, pending.count);
  reply.array(left);
  for (let more = pending.first(); more && left > 0; more = pending.next(), left--) {
    reply.array(4);
    replyId(reply, pending.readId(id));
    reply.bulkText(group.owner.name);
    reply.integer(group.deliveryTime);
    replyCounter(reply, group.deliveryCount);
  }
  reply.bulkText('consumers');
  reply.array(group.consumers.size);
  for (const consumer of group.sortedConsumers()) replyFullConsumer(reply, group, consumer, count);
}

function replyProgress(reply: Reply, shown: StreamValue, group: ConsumerGroup): void {
  reply.bulkText('last-delivered-id');
  replyId(reply, group.lastId);
  reply.bulkText('entries-read');
  if (group.entriesRead === UNKNOWN_COUNT) reply.null();
  else replyCounter(reply, group.entriesRead);
  reply.bulkText('lag');
  const unread = lag(shown, group);
  if (unread === undefined) reply.null();
  else replyCounter(reply, unread);
}

function replyFullConsumer(reply: Reply, group: ConsumerGroup, consumer: Consumer, count: number): void {
  const { pending } = consumer;
  reply.map(4);
  reply.bulkText('name');
  reply.bulkText(consumer.name);
  reply.bulkText('seen-time');
  reply.integer(consumer.seenTime);
  reply.bulkText('pel-count');
  reply.integer(pending.count);
  reply.bulkText('pending');
  let left = count === 0 ? pending.count : Math.min(count, pending.count);
  reply.array(left);
  for (let more = pending.first(); more && left > 0; more = pending.next(), left--) {
    reply.array(3);
    replyId(reply, pending.readId(id));
    group.pending.find(id);
    reply.integer(group.deliveryTime);
    replyCounter(reply, group.deliveryCount);
  }
}

function groups(call: Call): void {
  const shown = theStream(call);
  const { reply } = call;
  reply.array(shown.groups.size);
  for (const group of byName(shown.groups)) {
    reply.map(6);
    reply.bulkText('name');
    reply.bulkText(group.name);
    reply.bulkText('consumers');
    reply.integer(group.consumers.size);
    reply.bulkText('pending');
    reply.integer(group.pending.count);
    replyProgress(reply, shown, group);
  }
}

function consumers(call: Call): void {
  const shown = theStream(call);
  const group = shown.groups.get(call.text(3));
  if (group === undefined) throw noGroup(call.arg(2), call.arg(3));
  const { reply } = call;
  reply.array(group.consumers.size);
  for (const { name, pending, seenTime } of group.sortedConsumers()) {
    reply.map(3);
    reply.bulkText('name');
    reply.bulkText(name);
    reply.bulkText('pending');
    reply.integer(pending.count);
    reply.bulkText('idle');
    reply.integer(Math.max(call.now - seenTime, 0));
  }
}

const help = helpHandler([
  'CONSUMERS <key> <groupname>',
  '    Show consumers of <groupname>.',
  'GROUPS <key>',
  '    Show the stream consumer groups.',
  'STREAM <key> [FULL [COUNT <count>]',
  '    Show information about the stream.',
]);

export const xinfo = { consumers, groups, help, stream };

const id = new StreamId();
const MIN_ID = new StreamId();
const MAX_ID = new StreamId().setGreatest();
const cursor = new StreamCursor();
