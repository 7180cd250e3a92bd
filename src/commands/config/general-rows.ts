import { anyText, clamped, integer, oneOf, yesNo } from './kinds.js';
import { guarded, hidden, hiddenImmutable, immutable, mutable, type SettingRow } from './row.js';
import { eventClasses, oomScores, percentiles, shutdownOptions, titleTemplate } from './special-kinds.js';

const INT = 0x7fffffff;

/** The process, its log and diagnostics. */
export const general: readonly SettingRow[] = [
  immutable('works', 'databases', integer(1, INT), '16'),
  guarded('works', 'dir', anyText, '', { needs: 'files' }),
  immutable('works', 'daemonize', yesNo, 'no', { needs: 'process' }),
  immutable('works', 'supervised', oneOf('upstart', 'systemd', 'auto', 'no'), 'no', {
    needs: 'process',
    note: 'systemd is told by its program systemd-notify: the unit needs NotifyAccess=all',
  }),
  immutable('works', 'pidfile', anyText, '', { needs: 'process' }),
  immutable('works', 'logfile', anyText, '', { needs: 'log' }),
  mutable('works', 'loglevel', oneOf('debug', 'verbose', 'notice', 'warning', 'nothing'), 'notice', {
    needs: 'log',
  }),
  immutable('works', 'syslog-enabled', yesNo, 'no', {
    needs: 'process',
    note: 'lines are sent by the program logger, which must be installed',
  }),
  immutable('works', 'syslog-ident', anyText, 'redis', { needs: 'process' }),
  immutable(
    'works',
    'syslog-facility',
    oneOf('user', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'),
    'local0',
    { needs: 'process' },
  ),
  immutable('works', 'always-show-logo', yesNo, 'no', { needs: 'process' }),
  immutable('works', 'set-proc-title', yesNo, 'yes', { needs: 'process' }),
  mutable('works', 'proc-title-template', titleTemplate, '{title} {listen-addr} {server-mode}', {
    needs: 'process',
  }),
  mutable('works', 'hz', clamped(integer(0, INT), 1, 500), '10'),
  mutable('advice', 'dynamic-hz', yesNo, 'yes', { note: 'hz does not follow the number of clients' }),
  mutable('advice', 'activerehashing', yesNo, 'yes', {
    note: 'tables grow one entry at a time, so that no rehashing remains for idle time',
  }),
  mutable('works', 'notify-keyspace-events', eventClasses, ''),
  mutable('works', 'slowlog-log-slower-than', integer(-1), '10000'),
  mutable('works', 'slowlog-max-len', integer(0), '128'),
  mutable('works', 'latency-monitor-threshold', integer(0), '0'),
  mutable('works', 'latency-tracking', yesNo, 'yes'),
  mutable('works', 'latency-tracking-info-percentiles', percentiles, '50 99 99.9'),
  mutable('works', 'tracking-table-max-keys', integer(0), '1000000'),
  mutable('works', 'busy-reply-threshold', integer(0), '5000', { alias: 'lua-time-limit' }),
  immutable('works', 'enable-debug-command', oneOf('no', 'yes', 'local'), 'no'),
  immutable('works', 'enable-module-command', oneOf('no', 'yes', 'local'), 'no', {
    note: 'MODULE LOAD replies with an error, because modules cannot be loaded',
  }),
  immutable('works', 'enable-protected-configs', oneOf('no', 'yes', 'local'), 'no'),
  immutable('works', 'aclfile', anyText, '', { needs: 'users' }),
  mutable('works', 'acllog-max-len', integer(0), '128'),
  mutable('works', 'acl-pubsub-default', oneOf('allchannels', 'resetchannels'), 'resetchannels'),
  mutable('works', 'shutdown-timeout', integer(0, INT), '10'),
  mutable('works', 'shutdown-on-sigint', shutdownOptions, 'default', { needs: 'process' }),
  mutable('works', 'shutdown-on-sigterm', shutdownOptions, 'default', { needs: 'process' }),
  mutable('works', 'propagation-error-behavior', oneOf('ignore', 'panic', 'panic-on-replicas'), 'ignore'),
  mutable('advice', 'crash-log-enabled', yesNo, 'yes', { note: 'Node writes the report of a crash' }),
  mutable('advice', 'crash-memcheck-enabled', yesNo, 'yes', { note: 'memory is not tested after a crash' }),
  immutable('advice', 'disable-thp', yesNo, 'yes', { note: 'huge pages keep the setting of the system' }),
  mutable('works', 'oom-score-adj', oneOf('no', 'yes', 'relative', 'absolute'), 'no', { needs: 'process' }),
  mutable('works', 'oom-score-adj-values', oomScores, '0 200 800', { needs: 'process' }),
  mutable('advice', 'ignore-warnings', anyText, '', {
    note: 'the warnings that it silences do not exist',
  }),
  immutable('advice', 'server_cpulist', anyText, '', {
    note: 'threads are not bound to processors: taskset does that for the whole process',
  }),
  immutable('advice', 'bio_cpulist', anyText, '', {
    note: 'threads are not bound to processors: taskset does that for the whole process',
  }),
  immutable('advice', 'aof_rewrite_cpulist', anyText, '', {
    note: 'threads are not bound to processors: taskset does that for the whole process',
  }),
  immutable('advice', 'bgsave_cpulist', anyText, '', {
    note: 'threads are not bound to processors: taskset does that for the whole process',
  }),
];

export const forDevelopers: readonly SettingRow[] = [
  hidden('advice', 'use-exit-on-panic', yesNo, 'no', { note: 'there are no panics' }),
  hidden('works', 'rdb-key-save-delay', integer(-INT - 1, INT), '0'),
  hidden('works', 'key-load-delay', integer(-INT - 1, INT), '0'),
  hiddenImmutable('works', 'lua-enable-deprecated-api', yesNo, 'no'),
  hidden('advice', 'watchdog-period', integer(0, INT), '0', { note: 'there is no watchdog' }),
  hidden('advice', 'loading-process-events-interval-bytes', integer(1024, INT), '2097152', {
    note: 'while data is loaded, clients are served at intervals of time, not of bytes',
  }),
];
