import { integer, memory, oneOf, plainName, yesNo } from './kinds.js';
import { guarded, immutable, mutable, type SettingRow } from './row.js';
import { savePoints } from './special-kinds.js';

const INT = 0x7fffffff;

/** Snapshots and the append-only file. */
export const persistence: readonly SettingRow[] = [
  mutable('works', 'save', savePoints, '3600 1 300 100 60 10000', { needs: 'files' }),
  guarded('works', 'dbfilename', plainName('dbfilename', 'filename', true), 'dump.rdb'),
  mutable('works', 'rdbcompression', yesNo, 'yes'),
  immutable('works', 'rdbchecksum', yesNo, 'yes'),
  mutable('works', 'rdb-del-sync-files', yesNo, 'no'),
  mutable('works', 'rdb-save-incremental-fsync', yesNo, 'yes'),
  mutable('works', 'stop-writes-on-bgsave-error', yesNo, 'yes'),
  mutable('works', 'sanitize-dump-payload', oneOf('no', 'yes', 'clients'), 'no'),
  mutable('works', 'appendonly', yesNo, 'no', { needs: 'files' }),
  immutable('works', 'appendfilename', plainName('appendfilename', 'filename'), 'appendonly.aof'),
  immutable('works', 'appenddirname', plainName('appenddirname', 'dirname'), 'appendonlydir'),
  mutable('works', 'appendfsync', oneOf('everysec', 'always', 'no'), 'everysec'),
  mutable('works', 'no-appendfsync-on-rewrite', yesNo, 'no'),
  mutable('works', 'auto-aof-rewrite-percentage', integer(0, INT), '100'),
  mutable('works', 'auto-aof-rewrite-min-size', memory(), '67108864'),
  mutable('works', 'aof-load-truncated', yesNo, 'yes'),
  mutable('works', 'aof-use-rdb-preamble', yesNo, 'yes'),
  mutable('works', 'aof-timestamp-enabled', yesNo, 'no'),
  mutable('works', 'aof-rewrite-incremental-fsync', yesNo, 'yes'),
  mutable('works', 'aof-disable-auto-gc', yesNo, 'no'),
];
