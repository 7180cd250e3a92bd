/** Code that the components of the kit share. */

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
  PlacedBoard,
  type Row,
  type Rows,
  type RowsRequest,
  type Section,
  serverNow,
  type Table,
  type Tone,
  withoutShard,
} from './boards/board.js';
export {
  type KeyAction,
  type KeyBoardOptions,
  type KeyTable,
  keyBoard,
  type OpenedBoard,
} from './boards/key-board.js';
export { keyRows } from './boards/key-rows.js';
export { checkStore, checkText, checkWork } from './check-arguments.js';
export { EVICTION_RULES, EvictionGuard, type EvictionOptions } from './eviction.js';
export { checkedList, pairs, portions } from './grouping.js';
export { newId } from './identity.js';
export { jsonOf } from './json.js';
export { checkName, keyNaming } from './keys.js';
export { abortedBy, KitError, type KitErrorCode, throwIfAborted } from './kit-error.js';
export { Acquirer, type Acquisition } from './leases/acquirer.js';
export { type Alarm, Alarms } from './leases/alarms.js';
export { anySignal } from './leases/any-signal.js';
export { type AcquireOptions, acquireRules, HOLD_RULES, type HoldOptions } from './leases/hold-options.js';
export { type Held, Holding, type HoldingOptions } from './leases/holding.js';
export { Lease, type LeaseOptions } from './leases/lease.js';
export {
  type Claim,
  type ClaimReply,
  isOutage,
  type Obtained,
  obtain,
  timedOut,
  WAITER_ALIVE,
} from './leases/obtain.js';
export { Pause } from './leases/pause.js';
export { SharedSubscription } from './leases/shared-subscription.js';
export { LATE, type TimeLimit, withinTime } from './leases/time-limit.js';
export { type Wait, type WaitOptions, Wakeups, type Woken } from './leases/wakeups.js';
export { CLOCK, LINE, LIVE_WAITERS, readLua } from './lua.js';
export {
  abortSignal,
  callback,
  flag,
  HALF_CHARACTERS,
  hasHalfCharacters,
  integer,
  listener,
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
export { isReplica, readNow, runsHere, type SyncOf, syncOf } from './runs-here.js';
export { type ExactId, hash32, id64, idText, isInteger64 } from './sharding/exact-id.js';
export { type ShardedOptions, shardedRules } from './sharding/shard-options.js';
export { ShardedMembers } from './sharding/sharded-members.js';
export { type ShardLayout, Shards, type ShardsOptions } from './sharding/shards.js';
export { INDEX_KEYS, indexScripts, type StoredIndex, storedIndex } from './stored-index.js';
export { checkFoldedName, foldedName, resolveLocations } from './texts/folded-names.js';
export { fold } from './texts/folding.js';
export {
  ENGLISH_STOP_WORDS,
  isPaired,
  STOP,
  TEXT_RULES,
  type TextOptions,
  TextSplitter,
  type Token,
} from './texts/words.js';
