/** A kind of result: its type in `Outcome<S, …>`, and the function that converts the reply to it. */
export interface ReplyKind {
  readonly type: string;
  /** Absent if the result is the reply itself. */
  readonly transform?: string;
  /** The module of src/store/commands that has `transform`. */
  readonly from?: ReplyModule;
}

export type ReplyModule = 'replies' | 'stream-replies' | 'server-replies';

const TEXT = "S['text']";
const INTEGER = "S['integer']";
const made = (type: string, transform: string, from: ReplyModule = 'replies'): ReplyKind => ({
  type,
  transform,
  from,
});

export const replyKinds = {
  value: { type: 'Value<S>' },
  ok: made("'OK'", 'ok'),
  nullableOk: made("'OK' | null", 'ok'),
  /** A status or text written by the server, never bytes of a user. */
  word: made('string', 'word'),
  nullableWord: made('string | null', 'nullableWord'),
  words: made('string[]', 'words'),
  text: { type: TEXT },
  nullableText: { type: `${TEXT} | null` },
  texts: made(`${TEXT}[]`, 'list'),
  nullTexts: made(`(${TEXT} | null)[]`, 'list'),
  textsOrNull: { type: `${TEXT}[] | null` },
  integer: { type: INTEGER },
  nullableInteger: { type: `${INTEGER} | null` },
  integers: { type: `${INTEGER}[]` },
  nullIntegers: { type: `(${INTEGER} | null)[]` },
  boolean: made('boolean', 'boolean'),
  booleans: made('boolean[]', 'booleans'),
  double: made('number', 'double'),
  nullableDouble: made('number | null', 'nullableDouble'),
  nullDoubles: made('(number | null)[]', 'nullableDoubles'),
  record: made(`Record<string, ${TEXT}>`, 'record'),
  wordRecord: made('Record<string, string>', 'wordRecord'),
  numberRecord: made('Record<string, number>', 'numberRecord'),
  valueRecord: made('Record<string, Value<S>>', 'record'),
  entries: made(`[field: ${TEXT}, value: ${TEXT}][]`, 'entries'),
  info: made('Record<string, string>', 'info'),
  client: made('Record<string, string>', 'client'),
  clients: made('Record<string, string>[]', 'clients'),
  scores: made('ScoredMember<S>[]', 'scores'),
  nullableScore: made('ScoredMember<S> | null', 'nullableScore'),
  poppedMember: made(`(ScoredMember<S> & { key: ${TEXT} }) | null`, 'poppedMember'),
  poppedMembers: made('PoppedMembers<S> | null', 'poppedMembers'),
  poppedElement: made(`{ key: ${TEXT}; element: ${TEXT} } | null`, 'poppedElement'),
  poppedElements: made('Popped<S> | null', 'poppedElements'),
  commonSubsequence: made('CommonSubsequence<S>', 'commonSubsequence'),
  streamEntries: made('StreamEntry<S>[]', 'streamEntries', 'stream-replies'),
  streams: made(`{ key: ${TEXT}; entries: StreamEntry<S>[] }[] | null`, 'streamsRead', 'stream-replies'),
  groupStreams: made(
    `{ key: ${TEXT}; entries: PendingStreamEntry<S>[] }[] | null`,
    'groupStreamsRead',
    'stream-replies',
  ),
  claimed: made('ClaimedEntries<S>', 'claimed', 'stream-replies'),
  claimedIds: made('ClaimedIds', 'claimedIds', 'stream-replies'),
  pendingSummary: made('PendingSummary<S>', 'pendingSummary', 'stream-replies'),
  pendingDeliveries: made('PendingDelivery<S>[]', 'pendingDeliveries', 'stream-replies'),
  streamInfo: made('StreamInfo<S>', 'streamInfo', 'stream-replies'),
  fullStreamInfo: made('FullStreamInfo<S>', 'fullStreamInfo', 'stream-replies'),
  groupInfos: made('GroupInfo<S>[]', 'groupInfos', 'stream-replies'),
  consumerInfos: made('ConsumerInfo<S>[]', 'consumerInfos', 'stream-replies'),
  positions: made('(Position | null)[]', 'positions', 'server-replies'),
  places: made('FoundPlace<S>[]', 'places', 'server-replies'),
  libraries: made('FunctionLibrary<S>[]', 'libraries', 'server-replies'),
  functionStats: made('FunctionStats', 'functionStats', 'server-replies'),
  serverTime: made('ServerTime', 'serverTime', 'server-replies'),
  slowLog: made('SlowLogEntry<S>[]', 'slowLog', 'server-replies'),
  latencyEvents: made('LatencyEvent<S>[]', 'latencyEvents', 'server-replies'),
  latencyHistory: made('LatencySample<S>[]', 'latencyHistory', 'server-replies'),
  latencyHistograms: made('Record<string, LatencyHistogram>', 'latencyHistograms', 'server-replies'),
  keyAccesses: made('KeyAccess<S>[]', 'keyAccesses', 'server-replies'),
  memoryStats: made('MemoryStats', 'memoryStats', 'server-replies'),
  trackingInfo: made('TrackingInfo', 'trackingInfo', 'server-replies'),
} as const satisfies Record<string, ReplyKind>;

export type ReplyName = keyof typeof replyKinds;

export const replyKind = (name: ReplyName): ReplyKind => replyKinds[name];
