import { integer, memory, oneOf, yesNo } from './kinds.js';
import { mutable, type SettingRow } from './row.js';

const INT = 0x7fffffff;
const ULONG = 0xffffffffffffffffn;

/** Limits, eviction, and how values are encoded. */
export const memoryAndEncodings: readonly SettingRow[] = [
  mutable('works', 'maxmemory', memory(0, ULONG), '0'),
  mutable(
    'works',
    'maxmemory-policy',
    oneOf(
      'volatile-lru',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
      'allkeys-lru',
      'allkeys-lfu',
      'allkeys-random',
      'noeviction',
    ),
    'noeviction',
  ),
  mutable('works', 'maxmemory-samples', integer(1, INT), '5'),
  mutable('works', 'maxmemory-eviction-tenacity', integer(0, 100), '10'),
  mutable('works', 'lfu-log-factor', integer(0, INT), '10'),
  mutable('works', 'lfu-decay-time', integer(0, INT), '1'),
  mutable('advice', 'active-expire-effort', integer(1, 10), '1', {
    note: 'every expired key is deleted at the next tick of hz, without sampling',
  }),
  mutable('works', 'lazyfree-lazy-eviction', yesNo, 'no'),
  mutable('works', 'lazyfree-lazy-expire', yesNo, 'no'),
  mutable('works', 'lazyfree-lazy-server-del', yesNo, 'no'),
  mutable('advice', 'lazyfree-lazy-user-del', yesNo, 'no', {
    note: 'large values are always freed in steps, for all commands',
  }),
  mutable('advice', 'lazyfree-lazy-user-flush', yesNo, 'no', {
    note: 'a flushed database is always freed as a whole, in constant time',
  }),
  mutable('advice', 'activedefrag', yesNo, 'no', { note: 'memory is not defragmented' }),
  mutable('idle', 'active-defrag-cycle-min', integer(1, 99), '1', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('idle', 'active-defrag-cycle-max', integer(1, 99), '25', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('idle', 'active-defrag-threshold-lower', integer(0, 1000), '10', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('idle', 'active-defrag-threshold-upper', integer(0, 1000), '100', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('idle', 'active-defrag-ignore-bytes', memory(1), '104857600', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('idle', 'active-defrag-max-scan-fields', integer(1), '1000', {
    note: 'tunes activedefrag, which has no effect',
  }),
  mutable('advice', 'jemalloc-bg-thread', yesNo, 'yes', { note: 'jemalloc is not used' }),
  mutable('works', 'hash-max-listpack-entries', integer(0), '512', { alias: 'hash-max-ziplist-entries' }),
  mutable('works', 'hash-max-listpack-value', memory(), '64', { alias: 'hash-max-ziplist-value' }),
  mutable('works', 'list-max-listpack-size', integer(-INT - 1, INT), '-2', {
    alias: 'list-max-ziplist-size',
  }),
  mutable('works', 'list-compress-depth', integer(0, INT), '0'),
  mutable('works', 'set-max-intset-entries', integer(0), '512'),
  mutable('works', 'zset-max-listpack-entries', integer(0), '128', { alias: 'zset-max-ziplist-entries' }),
  mutable('works', 'zset-max-listpack-value', memory(), '64', { alias: 'zset-max-ziplist-value' }),
  mutable('works', 'hll-sparse-max-bytes', memory(), '3000'),
  mutable('works', 'stream-node-max-bytes', memory(), '4096'),
  mutable('works', 'stream-node-max-entries', integer(0), '100'),
];
