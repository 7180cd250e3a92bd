import { boards as ads } from './ads/board.js';
import { boards as autocomplete } from './autocomplete/board.js';
import { boards as cache } from './cache/board.js';
import { boards as carts } from './carts/board.js';
import { boards as configuration } from './configuration/board.js';
import { boards as counters } from './counters/board.js';
import { boards as durableWrite } from './durable-write/board.js';
import { boards as files } from './files/board.js';
import type { BoardKind } from './foundation/index.js';
import { boards as ids } from './ids/board.js';
import { boards as ipLookup } from './ip-lookup/board.js';
import { boards as jobs } from './jobs/board.js';
import { boards as locks } from './locks/board.js';
import { boards as logProcessing } from './log-processing/board.js';
import { boards as logs } from './logs/board.js';
import { boards as market } from './market/board.js';
import { boards as messaging } from './messaging/board.js';
import { boards as packedRecords } from './packed-records/board.js';
import { boards as queue } from './queue/board.js';
import { boards as rankings } from './rankings/board.js';
import { boards as rateLimiter } from './rate-limiter/board.js';
import { boards as rowCache } from './row-cache/board.js';
import { boards as search } from './search/board.js';
import { boards as semaphores } from './semaphores/board.js';
import { boards as sessions } from './sessions/board.js';
import { boards as shardedHash } from './sharded-hash/board.js';
import { boards as shardedList } from './sharded-list/board.js';
import { boards as shardedSet } from './sharded-set/board.js';
import { boards as social } from './social/board.js';
import { boards as statistics } from './statistics/board.js';
import { boards as stock } from './stock/board.js';
import { boards as streaming } from './streaming/board.js';
import { boards as uniqueVisitors } from './unique-visitors/board.js';
import { boards as viewAnalytics } from './view-analytics/board.js';

/** The boards of all components, in the order in which the console lists them. A new component adds its own here. */
export const BOARD_KINDS: readonly BoardKind[] = [
  ...queue,
  ...locks,
  ...semaphores,
  ...rateLimiter,
  ...counters,
  ...statistics,
  ...rankings,
  ...viewAnalytics,
  ...uniqueVisitors,
  ...logs,
  ...logProcessing,
  ...cache,
  ...rowCache,
  ...sessions,
  ...carts,
  ...stock,
  ...market,
  ...search,
  ...autocomplete,
  ...ads,
  ...jobs,
  ...social,
  ...messaging,
  ...streaming,
  ...files,
  ...configuration,
  ...ids,
  ...ipLookup,
  ...shardedHash,
  ...shardedSet,
  ...shardedList,
  ...packedRecords,
  ...durableWrite,
];
