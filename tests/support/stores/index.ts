import { after } from 'node:test';
import { stopAllServers } from '../fleet/index.js';
import { inFiles, inMemory } from './embedded-kinds.js';
import {
  behindSentinels,
  onCluster,
  onIoredis,
  onNodeRedis,
  onOurCluster,
  onOurServer,
  onOurSocket,
  onRedis,
} from './remote-kinds.js';
import type { StoreKind } from './sites.js';
import { inWorker } from './worker-kind.js';

export { once, onMixedCluster, prepareServers } from './remote-kinds.js';
export type { StoreKind, StoreSite } from './sites.js';

/** All kinds of stores. */
export const STORE_KINDS: readonly StoreKind[] = [
  inMemory,
  inFiles,
  inWorker,
  onOurServer,
  onOurSocket,
  onRedis,
  onCluster,
  onOurCluster,
  behindSentinels,
  onIoredis,
  onNodeRedis,
];

after(stopAllServers);
