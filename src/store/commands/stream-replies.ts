/** Converts the replies of stream commands. */
import type { Shape } from '../value.js';
import { list, pairs, type RawReply, record, word } from './replies.js';

/** An entry of a stream. If a field occurs twice, the last value counts. */
export interface StreamEntry<S extends Shape> {
  readonly id: string;
  readonly fields: Readonly<Record<string, S['text']>>;
}

/** A pending entry of a consumer. `fields` is null if the entry has been deleted. */
export interface PendingStreamEntry<S extends Shape> {
  readonly id: string;
  readonly fields: Readonly<Record<string, S['text']>> | null;
}

export interface PendingSummary<S extends Shape> {
  readonly count: S['integer'];
  /** The smallest and the largest id; null if nothing is pending. */
  readonly first: string | null;
  readonly last: string | null;
  readonly consumers: readonly { readonly name: S['text']; readonly count: number }[];
}

export interface PendingDelivery<S extends Shape> {
  readonly id: string;
  readonly consumer: S['text'];
  /** Milliseconds since the last delivery. */
  readonly idle: S['integer'];
  readonly deliveries: S['integer'];
}

export function streamEntries<S extends Shape>(reply: RawReply): StreamEntry<S>[] {
  return list(reply).flatMap((each) => {
    const entry = pendingEntry<S>(each);
    return entry.fields === null ? [] : [{ id: entry.id, fields: entry.fields }];
  });
}

function pendingEntries<S extends Shape>(reply: RawReply): PendingStreamEntry<S>[] {
  return list(reply).map(pendingEntry<S>);
}

function pendingEntry<S extends Shape>(reply: RawReply): PendingStreamEntry<S> {
  const [id, fields] = list(reply);
  if (fields === null || fields === undefined) return { id: word(id), fields: null };
  return { id: word(id), fields: record(fields) as Record<string, S['text']> };
}

/** XREAD: a list of key and entries (RESP2), a map (RESP3). */
export function streamsRead<S extends Shape>(
  reply: RawReply,
): { key: S['text']; entries: StreamEntry<S>[] }[] | null {
  if (reply === null) return null;
  return pairs(reply).map(([key, each]) => ({ key: key as S['text'], entries: streamEntries<S>(each) }));
}

export function groupStreamsRead<S extends Shape>(
  reply: RawReply,
): { key: S['text']; entries: PendingStreamEntry<S>[] }[] | null {
  if (reply === null) return null;
  return pairs(reply).map(([key, each]) => ({
    key: key as S['text'],
    entries: pendingEntries<S>(each),
  }));
}

export interface ClaimedEntries<S extends Shape> {
  /** The start id for the next call; `0-0` at the end. */
  readonly next: string;
  readonly entries: StreamEntry<S>[];
  /** Ids that were pending but are no longer in the stream. */
  readonly deleted: string[];
}

export function claimed<S extends Shape>(reply: RawReply): ClaimedEntries<S> {
  const [next, found, deleted] = list(reply);
  return { next: word(next), entries: streamEntries<S>(found), deleted: list(deleted).map(word) };
}

export interface ClaimedIds {
  readonly next: string;
  readonly ids: string[];
  readonly deleted: string[];
}

export function claimedIds(reply: RawReply): ClaimedIds {
  const [next, ids, deleted] = list(reply);
  return { next: word(next), ids: list(ids).map(word), deleted: list(deleted).map(word) };
}

export function pendingSummary<S extends Shape>(reply: RawReply): PendingSummary<S> {
  const [count, first, last, consumers] = list(reply);
  return {
    count: count as S['integer'],
    first: first === null ? null : word(first),
    last: last === null ? null : word(last),
    consumers: list(consumers).map((each) => {
      const [name, pending] = list(each);
      return { name: name as S['text'], count: Number(pending) };
    }),
  };
}

export function pendingDeliveries<S extends Shape>(reply: RawReply): PendingDelivery<S>[] {
  return list(reply).map((each) => {
    const [id, consumer, idle, deliveries] = list(each);
    return {
      id: word(id),
      consumer: consumer as S['text'],
      idle: idle as S['integer'],
      deliveries: deliveries as S['integer'],
    };
  });
}

// ---- XINFO ----

export interface StreamInfo<S extends Shape> {
  readonly length: S['integer'];
  readonly radixTreeKeys: S['integer'];
  readonly radixTreeNodes: S['integer'];
  readonly lastGeneratedId: string;
  readonly maxDeletedEntryId: string;
  readonly entriesAdded: S['integer'];
  readonly recordedFirstEntryId: string;
  readonly groups: S['integer'];
  readonly firstEntry: StreamEntry<S> | null;
  readonly lastEntry: StreamEntry<S> | null;
}

export interface GroupInfo<S extends Shape> {
  readonly name: S['text'];
  readonly consumers: S['integer'];
  readonly pending: S['integer'];
  readonly lastDeliveredId: string;
  readonly entriesRead: S['integer'] | null;
  readonly lag: S['integer'] | null;
}

export interface ConsumerInfo<S extends Shape> {
  readonly name: S['text'];
  readonly pending: S['integer'];
  /** Milliseconds since the consumer's last command. */
  readonly idle: S['integer'];
}

export function streamInfo<S extends Shape>(reply: RawReply): StreamInfo<S> {
  const fields = record(reply);
  const integer = (name: string): S['integer'] => fields[name] as S['integer'];
  return {
    length: integer('length'),
    radixTreeKeys: integer('radix-tree-keys'),
    radixTreeNodes: integer('radix-tree-nodes'),
    lastGeneratedId: word(fields['last-generated-id']),
    maxDeletedEntryId: word(fields['max-deleted-entry-id']),
    entriesAdded: integer('entries-added'),
    recordedFirstEntryId: word(fields['recorded-first-entry-id']),
    groups: integer('groups'),
    firstEntry: nullableEntry(fields['first-entry']),
    lastEntry: nullableEntry(fields['last-entry']),
  };
}

function nullableEntry<S extends Shape>(reply: RawReply): StreamEntry<S> | null {
  return reply === null || reply === undefined ? null : (streamEntries<S>([reply])[0] ?? null);
}

export interface FullStreamInfo<S extends Shape>
  extends Omit<StreamInfo<S>, 'groups' | 'firstEntry' | 'lastEntry'> {
  readonly entries: StreamEntry<S>[];
  readonly groups: readonly FullGroupInfo<S>[];
}

export interface FullGroupInfo<S extends Shape> {
  readonly name: S['text'];
  readonly lastDeliveredId: string;
  readonly entriesRead: S['integer'] | null;
  readonly lag: S['integer'] | null;
  readonly pelCount: S['integer'];
  readonly pending: readonly (FullPending<S> & { readonly consumer: S['text'] })[];
  readonly consumers: readonly FullConsumerInfo<S>[];
}

export interface FullPending<S extends Shape> {
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly deliveredAt: S['integer'];
  readonly deliveries: S['integer'];
}

export interface FullConsumerInfo<S extends Shape> {
  readonly name: S['text'];
  readonly seenAt: S['integer'];
  readonly pelCount: S['integer'];
  readonly pending: readonly FullPending<S>[];
}

export function fullStreamInfo<S extends Shape>(reply: RawReply): FullStreamInfo<S> {
  const { groups: _count, firstEntry: _first, lastEntry: _last, ...common } = streamInfo<S>(reply);
  const fields = record(reply);
  return {
    ...common,
    entries: streamEntries<S>(fields['entries']),
    groups: list(fields['groups']).map(fullGroup<S>),
  };
}

function fullGroup<S extends Shape>(reply: RawReply): FullGroupInfo<S> {
  const fields = record(reply);
  return {
    name: fields['name'] as S['text'],
    lastDeliveredId: word(fields['last-delivered-id']),
    entriesRead: fields['entries-read'] as S['integer'] | null,
    lag: fields['lag'] as S['integer'] | null,
    pelCount: fields['pel-count'] as S['integer'],
    pending: list(fields['pel'] ?? fields['pending']).map((each) => {
      const [id, consumer, deliveredAt, deliveries] = list(each);
      return { ...fullPending<S>([id, deliveredAt, deliveries]), consumer: consumer as S['text'] };
    }),
    consumers: list(fields['consumers']).map(fullConsumer<S>),
  };
}

function fullConsumer<S extends Shape>(reply: RawReply): FullConsumerInfo<S> {
  const fields = record(reply);
  return {
    name: fields['name'] as S['text'],
    seenAt: fields['seen-time'] as S['integer'],
    pelCount: fields['pel-count'] as S['integer'],
    pending: list(fields['pel'] ?? fields['pending']).map(fullPending<S>),
  };
}

function fullPending<S extends Shape>(reply: RawReply): FullPending<S> {
  const [id, deliveredAt, deliveries] = list(reply);
  return {
    id: word(id),
    deliveredAt: deliveredAt as S['integer'],
    deliveries: deliveries as S['integer'],
  };
}

export function groupInfos<S extends Shape>(reply: RawReply): GroupInfo<S>[] {
  return list(reply).map((each) => {
    const fields = record(each);
    return {
      name: fields['name'] as S['text'],
      consumers: fields['consumers'] as S['integer'],
      pending: fields['pending'] as S['integer'],
      lastDeliveredId: word(fields['last-delivered-id']),
      entriesRead: fields['entries-read'] as S['integer'] | null,
      lag: fields['lag'] as S['integer'] | null,
    };
  });
}

export function consumerInfos<S extends Shape>(reply: RawReply): ConsumerInfo<S>[] {
  return list(reply).map((each) => {
    const fields = record(each);
    return {
      name: fields['name'] as S['text'],
      pending: fields['pending'] as S['integer'],
      idle: fields['idle'] as S['integer'],
    };
  });
}
