import { anyText, clamped, integer, memory, oneOf, yesNo } from './kinds.js';
import { immutable, mutable, type SettingRow } from './row.js';
import { hostname, masterAddress } from './special-kinds.js';

const INT = 0x7fffffff;
const ULONG = 0xffffffffffffffffn;

export const replication: readonly SettingRow[] = [
  immutable('works', 'replicaof', masterAddress, '', { alias: 'slaveof', needs: 'master' }),
  mutable('works', 'masterauth', anyText, ''),
  mutable('works', 'masteruser', anyText, ''),
  mutable('works', 'replica-serve-stale-data', yesNo, 'yes', { alias: 'slave-serve-stale-data' }),
  mutable('works', 'replica-read-only', yesNo, 'yes', { alias: 'slave-read-only' }),
  mutable('works', 'replica-ignore-maxmemory', yesNo, 'yes', { alias: 'slave-ignore-maxmemory' }),
  mutable('advice', 'replica-lazy-flush', yesNo, 'no', {
    alias: 'slave-lazy-flush',
    note: 'a flushed database is always freed as a whole, in constant time',
  }),
  mutable('works', 'replica-priority', integer(0, INT), '100', { alias: 'slave-priority' }),
  mutable('works', 'replica-announced', yesNo, 'yes'),
  mutable('works', 'replica-announce-ip', anyText, '', { alias: 'slave-announce-ip' }),
  mutable('works', 'replica-announce-port', integer(0, 65535), '0', { alias: 'slave-announce-port' }),
  mutable('advice', 'replica-ignore-disk-write-errors', yesNo, 'no', {
    note: 'a replica that cannot write to its disk always follows its master, and logs the error',
  }),
  mutable('works', 'repl-diskless-sync', yesNo, 'yes'),
  mutable('works', 'repl-diskless-sync-delay', integer(0, INT), '5'),
  mutable('works', 'repl-diskless-sync-max-replicas', integer(0, INT), '0'),
  mutable('works', 'repl-diskless-load', oneOf('disabled', 'on-empty-db', 'swapdb'), 'disabled'),
  mutable('works', 'repl-ping-replica-period', integer(1, INT), '10', { alias: 'repl-ping-slave-period' }),
  mutable('works', 'repl-timeout', integer(1, INT), '60'),
  mutable('works', 'repl-disable-tcp-nodelay', yesNo, 'no'),
  mutable('works', 'repl-backlog-size', clamped(memory(1), 16384), '1048576'),
  mutable('works', 'repl-backlog-ttl', integer(0), '3600'),
  mutable('works', 'min-replicas-to-write', integer(0, INT), '0', { alias: 'min-slaves-to-write' }),
  mutable('works', 'min-replicas-max-lag', integer(0, INT), '10', { alias: 'min-slaves-max-lag' }),
];

/** Cluster. */
export const cluster: readonly SettingRow[] = [
  immutable('works', 'cluster-enabled', yesNo, 'no', { needs: 'cluster' }),
  immutable('works', 'cluster-config-file', anyText, 'nodes.conf'),
  immutable('works', 'cluster-port', integer(0, 65535), '0'),
  mutable('works', 'cluster-node-timeout', integer(0), '15000'),
  mutable('works', 'cluster-replica-validity-factor', integer(0, INT), '10', {
    alias: 'cluster-slave-validity-factor',
  }),
  mutable('works', 'cluster-replica-no-failover', yesNo, 'no', { alias: 'cluster-slave-no-failover' }),
  mutable('works', 'cluster-require-full-coverage', yesNo, 'yes'),
  mutable('works', 'cluster-allow-reads-when-down', yesNo, 'no'),
  mutable('works', 'cluster-allow-pubsubshard-when-down', yesNo, 'yes'),
  mutable('works', 'cluster-allow-replica-migration', yesNo, 'yes'),
  mutable('works', 'cluster-migration-barrier', integer(0, INT), '1'),
  mutable('works', 'cluster-link-sendbuf-limit', memory(0, ULONG), '0'),
  mutable('works', 'cluster-announce-ip', anyText, ''),
  mutable('works', 'cluster-announce-hostname', hostname, ''),
  mutable('works', 'cluster-announce-port', integer(0, 65535), '0'),
  mutable('works', 'cluster-announce-tls-port', integer(0, 65535), '0'),
  mutable('works', 'cluster-announce-bus-port', integer(0, 65535), '0'),
  mutable('works', 'cluster-preferred-endpoint-type', oneOf('ip', 'hostname', 'unknown-endpoint'), 'ip'),
];
