import {
  anyText,
  clamped,
  integer,
  memory,
  memoryOrPercent,
  octalMode,
  oneOf,
  type SettingKind,
  yesNo,
} from './kinds.js';
import {
  addresses,
  EVERY_ADDRESS,
  eventClasses,
  hostname,
  masterAddress,
  oomScores,
  outputLimits,
  percentiles,
  savePoints,
  shutdownOptions,
  titleTemplate,
} from './special-kinds.js';

/** Whether CONFIG SET may change it: always, never, or only with `enable-protected-configs`. */
export type Mutability = 'mutable' | 'immutable' | 'protected';

/** One setting: everything about it but its value. */
export interface SettingRow {
  readonly name: string;
  /** The older name it is also known by. */
  readonly alias?: string;
  readonly kind: SettingKind;
  readonly initial: string;
  readonly mutability: Mutability;
  /** CONFIG GET shows it only where it is asked for by its name. */
  readonly isHidden?: boolean;
}

const INT = 0x7fffffff;
const UINT = 0xffffffff;
const ULONG = 0xffffffffffffffffn;
const MB = 1 << 20;

function mutable(name: string, kind: SettingKind, initial: string, alias?: string): SettingRow {
  return { name, kind, initial, mutability: 'mutable', ...(alias === undefined ? {} : { alias }) };
}

function immutable(name: string, kind: SettingKind, initial: string): SettingRow {
  return { name, kind, initial, mutability: 'immutable' };
}

function guarded(name: string, kind: SettingKind, initial: string): SettingRow {
  return { name, kind, initial, mutability: 'protected' };
}

/** For tests and developers of Redis: known, so that what sets them works; most are without effect. */
function hidden(name: string, kind: SettingKind, initial: string): SettingRow {
  return { ...mutable(name, kind, initial), isHidden: true };
}

const network: readonly SettingRow[] = [
  mutable('bind', addresses, EVERY_ADDRESS),
  mutable('bind-source-addr', anyText, ''),
  mutable('port', integer(0, 65535), '6379'),
  immutable('unixsocket', anyText, ''),
  immutable('unixsocketperm', octalMode, '0'),
  immutable('tcp-backlog', integer(0, INT), '511'),
  mutable('tcp-keepalive', integer(0, INT), '300'),
  mutable('timeout', integer(0, INT), '0'),
  mutable('protected-mode', yesNo, 'yes'),
  mutable('requirepass', anyText, ''),
  mutable('maxclients', integer(1, UINT), '10000'),
  mutable(
    'client-output-buffer-limit',
    outputLimits,
    'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60',
  ),
  mutable('client-query-buffer-limit', memory(MB), '1073741824'),
  mutable('proto-max-bulk-len', memory(MB), '536870912'),
  mutable('maxmemory-clients', memoryOrPercent(), '0'),
  immutable('socket-mark-id', integer(0, UINT), '0'),
  immutable('io-threads', integer(1, 128), '1'),
  immutable('io-threads-do-reads', yesNo, 'no'),
];

const tls: readonly SettingRow[] = [
  mutable('tls-port', integer(0, 65535), '0'),
  mutable('tls-session-cache-size', integer(0, INT), '20480'),
  mutable('tls-session-cache-timeout', integer(0, INT), '300'),
  mutable('tls-cluster', yesNo, 'no'),
  mutable('tls-replication', yesNo, 'no'),
  mutable('tls-auth-clients', oneOf('no', 'yes', 'optional'), 'yes'),
  mutable('tls-prefer-server-ciphers', yesNo, 'no'),
  mutable('tls-session-caching', yesNo, 'yes'),
  mutable('tls-cert-file', anyText, ''),
  mutable('tls-key-file', anyText, ''),
  mutable('tls-key-file-pass', anyText, ''),
  mutable('tls-client-cert-file', anyText, ''),
  mutable('tls-client-key-file', anyText, ''),
  mutable('tls-client-key-file-pass', anyText, ''),
  mutable('tls-dh-params-file', anyText, ''),
  mutable('tls-ca-cert-file', anyText, ''),
  mutable('tls-ca-cert-dir', anyText, ''),
  mutable('tls-protocols', anyText, ''),
  mutable('tls-ciphers', anyText, ''),
  mutable('tls-ciphersuites', anyText, ''),
];

const general: readonly SettingRow[] = [
  immutable('databases', integer(1, INT), '16'),
  guarded('dir', anyText, ''),
  immutable('daemonize', yesNo, 'no'),
  immutable('supervised', oneOf('upstart', 'systemd', 'auto', 'no'), 'no'),
  immutable('pidfile', anyText, ''),
  immutable('logfile', anyText, ''),
  mutable('loglevel', oneOf('debug', 'verbose', 'notice', 'warning', 'nothing'), 'notice'),
  immutable('syslog-enabled', yesNo, 'no'),
  immutable('syslog-ident', anyText, 'redis'),
  immutable(
    'syslog-facility',
    oneOf('user', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'),
    'local0',
  ),
  immutable('always-show-logo', yesNo, 'no'),
  immutable('set-proc-title', yesNo, 'yes'),
  mutable('proc-title-template', titleTemplate, '{title} {listen-addr} {server-mode}'),
  mutable('hz', clamped(integer(0, INT), 1, 500), '10'),
  mutable('dynamic-hz', yesNo, 'yes'),
  mutable('activerehashing', yesNo, 'yes'),
  mutable('notify-keyspace-events', eventClasses, ''),
  mutable('slowlog-log-slower-than', integer(-1), '10000'),
  mutable('slowlog-max-len', integer(0), '128'),
  mutable('latency-monitor-threshold', integer(0), '0'),
  mutable('latency-tracking', yesNo, 'yes'),
  mutable('latency-tracking-info-percentiles', percentiles, '50 99 99.9'),
  mutable('tracking-table-max-keys', integer(0), '1000000'),
  mutable('busy-reply-threshold', integer(0), '5000', 'lua-time-limit'),
  immutable('enable-debug-command', oneOf('no', 'yes', 'local'), 'no'),
  immutable('enable-module-command', oneOf('no', 'yes', 'local'), 'no'),
  immutable('enable-protected-configs', oneOf('no', 'yes', 'local'), 'no'),
  immutable('aclfile', anyText, ''),
  mutable('acllog-max-len', integer(0), '128'),
  mutable('acl-pubsub-default', oneOf('allchannels', 'resetchannels'), 'resetchannels'),
  mutable('shutdown-timeout', integer(0, INT), '10'),
  mutable('shutdown-on-sigint', shutdownOptions, 'default'),
  mutable('shutdown-on-sigterm', shutdownOptions, 'default'),
  mutable('propagation-error-behavior', oneOf('ignore', 'panic', 'panic-on-replicas'), 'ignore'),
  mutable('crash-log-enabled', yesNo, 'yes'),
  mutable('crash-memcheck-enabled', yesNo, 'yes'),
  immutable('disable-thp', yesNo, 'yes'),
  mutable('oom-score-adj', oneOf('no', 'yes', 'relative', 'absolute'), 'no'),
  mutable('oom-score-adj-values', oomScores, '0 200 800'),
  mutable('ignore-warnings', anyText, ''),
  immutable('server_cpulist', anyText, ''),
  immutable('bio_cpulist', anyText, ''),
  immutable('aof_rewrite_cpulist', anyText, ''),
  immutable('bgsave_cpulist', anyText, ''),
];

const memoryAndEncodings: readonly SettingRow[] = [
  mutable('maxmemory', memory(0, ULONG), '0'),
  mutable(
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
  mutable('maxmemory-samples', integer(1, INT), '5'),
  mutable('maxmemory-eviction-tenacity', integer(0, 100), '10'),
  mutable('lfu-log-factor', integer(0, INT), '10'),
  mutable('lfu-decay-time', integer(0, INT), '1'),
  mutable('active-expire-effort', integer(1, 10), '1'),
  mutable('lazyfree-lazy-eviction', yesNo, 'no'),
  mutable('lazyfree-lazy-expire', yesNo, 'no'),
  mutable('lazyfree-lazy-server-del', yesNo, 'no'),
  mutable('lazyfree-lazy-user-del', yesNo, 'no'),
  mutable('lazyfree-lazy-user-flush', yesNo, 'no'),
  mutable('activedefrag', yesNo, 'no'),
  mutable('active-defrag-cycle-min', integer(1, 99), '1'),
  mutable('active-defrag-cycle-max', integer(1, 99), '25'),
  mutable('active-defrag-threshold-lower', integer(0, 1000), '10'),
  mutable('active-defrag-threshold-upper', integer(0, 1000), '100'),
  mutable('active-defrag-ignore-bytes', memory(1), '104857600'),
  mutable('active-defrag-max-scan-fields', integer(1), '1000'),
  mutable('jemalloc-bg-thread', yesNo, 'yes'),
  mutable('hash-max-listpack-entries', integer(0), '512', 'hash-max-ziplist-entries'),
  mutable('hash-max-listpack-value', memory(), '64', 'hash-max-ziplist-value'),
  mutable('list-max-listpack-size', integer(-INT - 1, INT), '-2', 'list-max-ziplist-size'),
  mutable('list-compress-depth', integer(0, INT), '0'),
  mutable('set-max-intset-entries', integer(0), '512'),
  mutable('zset-max-listpack-entries', integer(0), '128', 'zset-max-ziplist-entries'),
  mutable('zset-max-listpack-value', memory(), '64', 'zset-max-ziplist-value'),
  mutable('hll-sparse-max-bytes', memory(), '3000'),
  mutable('stream-node-max-bytes', memory(), '4096'),
  mutable('stream-node-max-entries', integer(0), '100'),
];

const persistence: readonly SettingRow[] = [
  mutable('save', savePoints, '3600 1 300 100 60 10000'),
  guarded('dbfilename', anyText, 'dump.rdb'),
  mutable('rdbcompression', yesNo, 'yes'),
  immutable('rdbchecksum', yesNo, 'yes'),
  mutable('rdb-del-sync-files', yesNo, 'no'),
  mutable('rdb-save-incremental-fsync', yesNo, 'yes'),
  mutable('stop-writes-on-bgsave-error', yesNo, 'yes'),
  mutable('sanitize-dump-payload', oneOf('no', 'yes', 'clients'), 'no'),
  mutable('appendonly', yesNo, 'no'),
  immutable('appendfilename', anyText, 'appendonly.aof'),
  immutable('appenddirname', anyText, 'appendonlydir'),
  mutable('appendfsync', oneOf('everysec', 'always', 'no'), 'everysec'),
  mutable('no-appendfsync-on-rewrite', yesNo, 'no'),
  mutable('auto-aof-rewrite-percentage', integer(0, INT), '100'),
  mutable('auto-aof-rewrite-min-size', memory(), '67108864'),
  mutable('aof-load-truncated', yesNo, 'yes'),
  mutable('aof-use-rdb-preamble', yesNo, 'yes'),
  mutable('aof-timestamp-enabled', yesNo, 'no'),
  mutable('aof-rewrite-incremental-fsync', yesNo, 'yes'),
  mutable('aof-disable-auto-gc', yesNo, 'no'),
];

const replication: readonly SettingRow[] = [
  { ...immutable('replicaof', masterAddress, ''), alias: 'slaveof' },
  mutable('masterauth', anyText, ''),
  mutable('masteruser', anyText, ''),
  mutable('replica-serve-stale-data', yesNo, 'yes', 'slave-serve-stale-data'),
  mutable('replica-read-only', yesNo, 'yes', 'slave-read-only'),
  mutable('replica-ignore-maxmemory', yesNo, 'yes', 'slave-ignore-maxmemory'),
  mutable('replica-lazy-flush', yesNo, 'no', 'slave-lazy-flush'),
  mutable('replica-priority', integer(0, INT), '100', 'slave-priority'),
  mutable('replica-announced', yesNo, 'yes'),
  mutable('replica-announce-ip', anyText, '', 'slave-announce-ip'),
  mutable('replica-announce-port', integer(0, 65535), '0', 'slave-announce-port'),
  mutable('replica-ignore-disk-write-errors', yesNo, 'no'),
  mutable('repl-diskless-sync', yesNo, 'yes'),
  mutable('repl-diskless-sync-delay', integer(0, INT), '5'),
  mutable('repl-diskless-sync-max-replicas', integer(0, INT), '0'),
  mutable('repl-diskless-load', oneOf('disabled', 'on-empty-db', 'swapdb'), 'disabled'),
  mutable('repl-ping-replica-period', integer(1, INT), '10', 'repl-ping-slave-period'),
  mutable('repl-timeout', integer(1, INT), '60'),
  mutable('repl-disable-tcp-nodelay', yesNo, 'no'),
  mutable('repl-backlog-size', clamped(memory(1), 16384), '1048576'),
  mutable('repl-backlog-ttl', integer(0), '3600'),
  mutable('min-replicas-to-write', integer(0, INT), '0', 'min-slaves-to-write'),
  mutable('min-replicas-max-lag', integer(0, INT), '10', 'min-slaves-max-lag'),
];

const cluster: readonly SettingRow[] = [
  immutable('cluster-enabled', yesNo, 'no'),
  immutable('cluster-config-file', anyText, 'nodes.conf'),
  immutable('cluster-port', integer(0, 65535), '0'),
  mutable('cluster-node-timeout', integer(0), '15000'),
  mutable('cluster-replica-validity-factor', integer(0, INT), '10', 'cluster-slave-validity-factor'),
  mutable('cluster-replica-no-failover', yesNo, 'no', 'cluster-slave-no-failover'),
  mutable('cluster-require-full-coverage', yesNo, 'yes'),
  mutable('cluster-allow-reads-when-down', yesNo, 'no'),
  mutable('cluster-allow-pubsubshard-when-down', yesNo, 'yes'),
  mutable('cluster-allow-replica-migration', yesNo, 'yes'),
  mutable('cluster-migration-barrier', integer(0, INT), '1'),
  mutable('cluster-link-sendbuf-limit', memory(0, ULONG), '0'),
  mutable('cluster-announce-ip', anyText, ''),
  mutable('cluster-announce-hostname', hostname, ''),
  mutable('cluster-announce-port', integer(0, 65535), '0'),
  mutable('cluster-announce-tls-port', integer(0, 65535), '0'),
  mutable('cluster-announce-bus-port', integer(0, 65535), '0'),
  mutable('cluster-preferred-endpoint-type', oneOf('ip', 'hostname', 'unknown-endpoint'), 'ip'),
];

const forDevelopers: readonly SettingRow[] = [
  hidden('use-exit-on-panic', yesNo, 'no'),
  hidden('rdb-key-save-delay', integer(-INT - 1, INT), '0'),
  hidden('key-load-delay', integer(-INT - 1, INT), '0'),
  hidden('watchdog-period', integer(0, INT), '0'),
  hidden('loading-process-events-interval-bytes', integer(1024, INT), '2097152'),
];

/** Every setting that Redis 7.0 knows. */
export const settingRows: readonly SettingRow[] = [
  ...network,
  ...tls,
  ...general,
  ...memoryAndEncodings,
  ...persistence,
  ...replication,
  ...cluster,
  ...forDevelopers,
];
