/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AtMostOne, ExactlyOne, Given, OneOrMore, Pairs, Without } from '../options.js';
import type {
  ClaimedEntries,
  ClaimedIds,
  ConsumerInfo,
  FullStreamInfo,
  GroupInfo,
  PendingDelivery,
  PendingStreamEntry,
  PendingSummary,
  StreamEntry,
  StreamInfo,
} from '../stream-replies.js';

export type XaddOptions = {
  readonly noMkStream?: boolean | undefined;
  readonly approximate?: boolean | undefined;
  readonly limit?: number | bigint | undefined;
} & AtMostOne<{ maxLen: number | bigint; minId: Argument }>;
export type XautoclaimOptions = {
  readonly count?: number | bigint | undefined;
  readonly justId?: boolean | undefined;
};
export type XclaimOptions = {
  readonly idle?: number | bigint | undefined;
  readonly time?: number | bigint | undefined;
  readonly retryCount?: number | bigint | undefined;
  readonly force?: boolean | undefined;
  readonly justId?: boolean | undefined;
  readonly lastId?: Argument | undefined;
};
export type XgroupCreateOptions = {
  readonly mkStream?: boolean | undefined;
  readonly entriesRead?: number | bigint | undefined;
};
export type XgroupSetidOptions = { readonly entriesRead?: number | bigint | undefined };
export type XinfoStreamOptions = {
  readonly full?: boolean | { readonly count?: number | bigint | undefined } | undefined;
};
export type XpendingOptions = {
  readonly idle?: number | bigint | undefined;
  readonly start: Argument;
  readonly end: Argument;
  readonly count: number | bigint;
  readonly consumer?: Argument | undefined;
};
export type XrangeOptions = { readonly count?: number | bigint | undefined };
export type XreadOptions = {
  readonly count?: number | bigint | undefined;
  readonly block?: number | bigint | undefined;
};
export type XreadgroupOptions = {
  readonly count?: number | bigint | undefined;
  readonly block?: number | bigint | undefined;
  readonly noAck?: boolean | undefined;
};
export type XrevrangeOptions = { readonly count?: number | bigint | undefined };
export type XsetidOptions = {
  readonly entriesAdded?: number | bigint | undefined;
  readonly maxDeletedId?: Argument | undefined;
};
export type XtrimOptions = {
  readonly approximate?: boolean | undefined;
  readonly limit?: number | bigint | undefined;
} & ExactlyOne<{ maxLen: number | bigint; minId: Argument }>;

/** Commands of the group stream. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface StreamCommands<S extends Shape> {
  /**
   * Marks a pending message as correctly processed, effectively removing it from the pending entries list of the consumer group. Return value of the command is the number of messages successfully acknowledged, that is, the IDs we were actually able to resolve in the PEL.
   *
   * Sends XACK. O(1) for each message ID processed.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xack('events', 'mail', '1-0'); // 1
   */
  xack(
    key: Argument,
    group: Argument,
    ids: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, S['integer']>;

  /**
   * Appends a new entry to a stream.
   *
   * Sends XADD. O(1) when adding a new entry, O(N) when trimming where N being the number of entries evicted.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xadd('events', '3-0', { type: 'login' }, { maxLen: 1000, approximate: true }); // '3-0'
   */
  xadd(
    key: Argument,
    id: Argument,
    fields: Pairs,
    options: Given<XaddOptions, 'noMkStream'>,
  ): Outcome<S, string | null>;
  /** Appends a new entry to a stream. */
  xadd(
    key: Argument,
    id: Argument,
    fields: Pairs,
    options?: Without<XaddOptions, 'noMkStream'>,
  ): Outcome<S, string>;
  /** Appends a new entry to a stream. */
  xadd(key: Argument, id: Argument, fields: Pairs, options?: XaddOptions): Outcome<S, string | null>;

  /**
   * Changes (or acquires) ownership of messages in a consumer group, as if the messages were delivered to the specified consumer.
   *
   * Sends XAUTOCLAIM. O(1) if COUNT is small.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xautoclaim('events', 'mail', 'two', 0, '0'); // { next: '0-0', entries: [{ id: '1-0', fields: { type: 'login' } }], deleted: [] }
   */
  xautoclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    start: Argument,
    options: Given<XautoclaimOptions, 'justId'>,
  ): Outcome<S, ClaimedIds>;
  /** Changes (or acquires) ownership of messages in a consumer group, as if the messages were delivered to the specified consumer. */
  xautoclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    start: Argument,
    options?: Without<XautoclaimOptions, 'justId'>,
  ): Outcome<S, ClaimedEntries<S>>;
  /** Changes (or acquires) ownership of messages in a consumer group, as if the messages were delivered to the specified consumer. */
  xautoclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    start: Argument,
    options?: XautoclaimOptions,
  ): Outcome<S, ClaimedEntries<S> | ClaimedIds>;

  /**
   * Changes (or acquires) ownership of a message in a consumer group, as if the message was delivered to the specified consumer.
   *
   * Sends XCLAIM. O(log N) with N being the number of messages in the PEL of the consumer group.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xclaim('events', 'mail', 'two', 0, '1-0', { retryCount: 3 }); // [{ id: '1-0', fields: { type: 'login' } }]
   */
  xclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    ids: OneOrMore<Argument>,
    options: Given<XclaimOptions, 'justId'>,
  ): Outcome<S, string[]>;
  /** Changes (or acquires) ownership of a message in a consumer group, as if the message was delivered to the specified consumer. */
  xclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    ids: OneOrMore<Argument>,
    options?: Without<XclaimOptions, 'justId'>,
  ): Outcome<S, StreamEntry<S>[]>;
  /** Changes (or acquires) ownership of a message in a consumer group, as if the message was delivered to the specified consumer. */
  xclaim(
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    ids: OneOrMore<Argument>,
    options?: XclaimOptions,
  ): Outcome<S, StreamEntry<S>[] | string[]>;

  /**
   * Removes the specified entries from the stream. Returns the number of items actually deleted, that may be different from the number of IDs passed in case certain IDs do not exist.
   *
   * Sends XDEL. O(1) for each single item to delete in the stream, regardless of the stream size.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xdel('events', '1-0', '9-0'); // 1
   */
  xdel(key: Argument, ids: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Create a consumer group.
   *
   * Sends XGROUP CREATE. O(1).
   *
   * @example
   * await store.xgroupCreate('events', 'mail', '$', { mkStream: true }); // 'OK'
   */
  xgroupCreate(
    key: Argument,
    groupname: Argument,
    id: Argument,
    options?: XgroupCreateOptions,
  ): Outcome<S, 'OK'>;

  /**
   * Create a consumer in a consumer group.
   *
   * Sends XGROUP CREATECONSUMER. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xgroupCreateconsumer('events', 'mail', 'one'); // true
   */
  xgroupCreateconsumer(key: Argument, groupname: Argument, consumername: Argument): Outcome<S, boolean>;

  /**
   * Delete a consumer from a consumer group.
   *
   * Sends XGROUP DELCONSUMER. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xgroupDelconsumer('events', 'mail', 'one'); // 1
   */
  xgroupDelconsumer(key: Argument, groupname: Argument, consumername: Argument): Outcome<S, S['integer']>;

  /**
   * Destroy a consumer group.
   *
   * Sends XGROUP DESTROY. O(N) where N is the number of entries in the group's pending entries list (PEL).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xgroupDestroy('events', 'mail'); // true
   */
  xgroupDestroy(key: Argument, groupname: Argument): Outcome<S, boolean>;

  /**
   * Set a consumer group to an arbitrary last delivered ID value.
   *
   * Sends XGROUP SETID. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xgroupSetid('events', 'mail', '1-0'); // 'OK'
   */
  xgroupSetid(
    key: Argument,
    groupname: Argument,
    id: Argument,
    options?: XgroupSetidOptions,
  ): Outcome<S, 'OK'>;

  /**
   * List the consumers in a consumer group.
   *
   * Sends XINFO CONSUMERS. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xinfoConsumers('events', 'mail'); // [{ name: 'one', pending: 1, idle: 0 }]
   */
  xinfoConsumers(key: Argument, groupname: Argument): Outcome<S, ConsumerInfo<S>[]>;

  /**
   * List the consumer groups of a stream.
   *
   * Sends XINFO GROUPS. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xinfoGroups('events'); // [{ name: 'mail', consumers: 1, pending: 1, lastDeliveredId: '1-0', entriesRead: 1, lag: 1 }]
   */
  xinfoGroups(key: Argument): Outcome<S, GroupInfo<S>[]>;

  /**
   * Get information about a stream.
   *
   * Sends XINFO STREAM. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xinfoStream('events'); // { length: 2, radixTreeKeys: 1, radixTreeNodes: 2, lastGeneratedId: '2-0', maxDeletedEntryId: '0-0', entriesAdded: 2, recordedFirstEntryId: '1-0', groups: 0, firstEntry: { id: '1-0', fields: { type: 'login' } }, lastEntry: { id: '2-0', fields: { type: 'logout' } } }
   */
  xinfoStream(key: Argument, options: Given<XinfoStreamOptions, 'full'>): Outcome<S, FullStreamInfo<S>>;
  /** Get information about a stream. */
  xinfoStream(key: Argument, options?: Without<XinfoStreamOptions, 'full'>): Outcome<S, StreamInfo<S>>;
  /** Get information about a stream. */
  xinfoStream(key: Argument, options?: XinfoStreamOptions): Outcome<S, StreamInfo<S> | FullStreamInfo<S>>;

  /**
   * Return the number of entries in a stream.
   *
   * Sends XLEN. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xlen('events'); // 2
   */
  xlen(key: Argument): Outcome<S, S['integer']>;

  /**
   * Return information and entries from a stream consumer group pending entries list, that are messages fetched but never acknowledged.
   *
   * Sends XPENDING. O(N) with N being the number of elements returned, so asking for a small fixed number of entries per call is O(1). O(M), where M is the total number of entries scanned when used with the IDLE filter. When the command returns just the summary and the list of consumers is small, it runs in O(1) time; otherwise, an additional O(N) time for iterating every consumer.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 });
   * await store.xpending('events', 'mail'); // { count: 1, first: '1-0', last: '1-0', consumers: [{ name: 'one', count: 1 }] }
   */
  xpending(key: Argument, group: Argument, options: XpendingOptions): Outcome<S, PendingDelivery<S>[]>;
  /** Return information and entries from a stream consumer group pending entries list, that are messages fetched but never acknowledged. */
  xpending(key: Argument, group: Argument): Outcome<S, PendingSummary<S>>;
  /** Return information and entries from a stream consumer group pending entries list, that are messages fetched but never acknowledged. */
  xpending(
    key: Argument,
    group: Argument,
    options?: XpendingOptions,
  ): Outcome<S, PendingSummary<S> | PendingDelivery<S>[]>;

  /**
   * Return a range of elements in a stream, with IDs matching the specified IDs interval.
   *
   * Sends XRANGE. O(N) with N being the number of elements being returned. If N is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xrange('events', '-', '+', { count: 1 }); // [{ id: '1-0', fields: { type: 'login' } }]
   */
  xrange(
    key: Argument,
    start: Argument,
    end: Argument,
    options?: XrangeOptions,
  ): Outcome<S, StreamEntry<S>[]>;

  /**
   * Return never seen elements in multiple streams, with IDs greater than the ones reported by the caller for each stream. Can block.
   *
   * Sends XREAD. For each stream mentioned: O(N) with N being the number of elements being returned, it means that XREAD-ing with a fixed COUNT is O(1). Note that when the BLOCK option is used, XADD will pay O(M) time in order to serve the M clients blocked on the stream getting new data.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xread({ events: '1' }, { count: 10 }); // [{ key: 'events', entries: [{ id: '2-0', fields: { type: 'logout' } }] }]
   */
  xread(
    streams: Pairs,
    options?: XreadOptions,
  ): Outcome<S, { key: S['text']; entries: StreamEntry<S>[] }[] | null>;

  /**
   * Return new entries from a stream using a consumer group, or access the history of the pending entries for a given consumer. Can block.
   *
   * Sends XREADGROUP. For each stream mentioned: O(M) with M being the number of elements returned. If M is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1). On the other side when XREADGROUP blocks, XADD will pay the O(N) time in order to serve the N clients blocked on the stream getting new data.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xgroupCreate('events', 'mail', '0');
   * await store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }); // [{ key: 'events', entries: [{ id: '1-0', fields: { type: 'login' } }] }]
   */
  xreadgroup(
    group: Argument,
    consumer: Argument,
    streams: Pairs,
    options?: XreadgroupOptions,
  ): Outcome<S, { key: S['text']; entries: PendingStreamEntry<S>[] }[] | null>;

  /**
   * Return a range of elements in a stream, with IDs matching the specified IDs interval, in reverse order (from greater to smaller IDs) compared to XRANGE.
   *
   * Sends XREVRANGE. O(N) with N being the number of elements returned. If N is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xrevrange('events', '+', '-'); // [{ id: '2-0', fields: { type: 'logout' } }, { id: '1-0', fields: { type: 'login' } }]
   */
  xrevrange(
    key: Argument,
    end: Argument,
    start: Argument,
    options?: XrevrangeOptions,
  ): Outcome<S, StreamEntry<S>[]>;

  /**
   * An internal command for replicating stream values.
   *
   * Sends XSETID. O(1).
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xsetid('events', '5-0'); // 'OK'
   */
  xsetid(key: Argument, lastId: Argument, options?: XsetidOptions): Outcome<S, 'OK'>;

  /**
   * Trims the stream to (approximately if '~' is passed) a certain size.
   *
   * Sends XTRIM. O(N), with N being the number of evicted entries. Constant times are very small however, since entries are organized in macro nodes containing multiple entries that can be released with a single deallocation.
   *
   * @example
   * await store.xadd('events', '1-0', { type: 'login' });
   * await store.xadd('events', '2-0', { type: 'logout' });
   * await store.xtrim('events', { maxLen: 1 }); // 1
   */
  xtrim(key: Argument, options: XtrimOptions): Outcome<S, S['integer']>;
}
