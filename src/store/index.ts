/** `sorrel`: one interface to a store, embedded or on a server. */
export type { ClientTls, ServerTls } from '../commands/config/tls-options.js';
export type { CommandRunner, ReplyTransformer, WireCommand } from './command-runner.js';
export type * from './commands/index.js';
export type { ConnectorClass } from './connector/ioredis-connector.js';
export { ManualClock } from './embedded/manual-clock.js';
export type {
  EmbeddedStore,
  Listener,
  ListenOptions,
  ReplicationState,
  StoreReplication,
  StoreSnapshot,
  SyncStore,
} from './embedded-store.js';
export { open } from './open.js';
export type {
  ClientLike,
  ClientOptions,
  CommonOptions,
  EmbeddedOptions,
  OpenOptions,
  RemoteOptions,
} from './options.js';
export type { BoundScript, ScriptDefinition, ScriptInputs } from './script.js';
export type {
  BytesShape,
  CommandQueue,
  CommandSender,
  ExactShape,
  KeyScanOptions,
  Message,
  PipelineOptions,
  ScanOptions,
  Store,
  StoreEvents,
  SubscribeOptions,
  Subscription,
  ViewOptions,
  WatchOptions,
} from './store.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
export type { StoreTime } from './time.js';
export type {
  Argument,
  DefaultShape,
  Outcome,
  Queued,
  Results,
  SettledResults,
  Shape,
  Value,
} from './value.js';
export type { EngineWorker, PortOptions, WorkerOptions } from './worker/engine-worker.js';
export { openPort, openWorker } from './worker/open-worker.js';
