/** Code that the components of the kit share. */

export { Acquirer, type Acquisition } from './acquirer.js';
export { type Alarm, Alarms } from './alarms.js';
export { anySignal } from './any-signal.js';
export {
  type Action,
  type ActionInput,
  type ActionRequest,
  type ActionResult,
  type Board,
  type BoardKind,
  type BoardPlace,
  type BoardView,
  type Cell,
  type Chart,
  type Column,
  cellOf,
  type Detail,
  type Figure,
  type Format,
  type Graph,
  type KeyType,
  keyAt,
  nextOffset,
  offsetOf,
  type Row,
  type Rows,
  type RowsRequest,
  type Section,
  serverNow,
  type Table,
  type Tone,
  withoutShard,
} from './board.js';
export { checkStore, checkWork } from './check-arguments.js';
export { EVICTION_RULES, EvictionGuard, type EvictionOptions } from './eviction.js';
export { type ExactId, hash32, id64, idText, isInteger64 } from './exact-id.js';
export { checkFoldedName, foldedName, resolveLocations } from './folded-names.js';
export { fold } from './folding.js';
export { checkedList, portions } from './grouping.js';
export { type AcquireOptions, acquireRules, HOLD_RULES, type HoldOptions } from './hold-options.js';
export { type Held, Holding, type HoldingOptions } from './holding.js';
export { newId } from './identity.js';
export {
  type KeyAction,
  type KeyBoardOptions,
  type KeyTable,
  keyBoard,
  type OpenedBoard,
} from './key-board.js';
export { keyRows } from './key-rows.js';
export { checkName, keyNaming } from './keys.js';
export { abortedBy, KitError, type KitErrorCode, throwIfAborted } from './kit-error.js';
export { Lease, type LeaseOptions } from './lease.js';
export { CLOCK, LINE, LIVE_WAITERS, readLua } from './lua.js';
export {
  type Claim,
  type ClaimReply,
  isOutage,
  type Obtained,
  obtain,
  timedOut,
  WAITER_ALIVE,
} from './obtain.js';
export {
  abortSignal,
  callback,
  flag,
  integer,
  milliseconds,
  oneOf,
  optional,
  positive,
  type Resolved,
  type Rule,
  type Rules,
  resolveOptions,
  resolverOf,
  ruled,
  shown,
  text,
} from './options.js';
export { type ShardedOptions, shardedRules } from './shard-options.js';
export { ShardedMembers } from './sharded-members.js';
export { type ShardLayout, Shards, type ShardsOptions } from './shards.js';
export { INDEX_KEYS, indexScripts, type StoredIndex, storedIndex } from './stored-index.js';
export { LATE, type TimeLimit, withinTime } from './time-limit.js';
export { type Wait, type WaitOptions, Wakeups, type Woken } from './wakeups.js';
export {
  ENGLISH_STOP_WORDS,
  isPaired,
  STOP,
  TEXT_RULES,
  type TextOptions,
  TextSplitter,
  type Token,
} from './words.js';
