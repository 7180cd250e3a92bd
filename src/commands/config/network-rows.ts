import { anyText, integer, memory, memoryOrPercent, octalMode, oneOf, yesNo } from './kinds.js';
import { immutable, mutable, type SettingRow } from './row.js';
import { addresses, EVERY_ADDRESS, outputLimits } from './special-kinds.js';

const INT = 0x7fffffff;
const UINT = 0xffffffff;
const MB = 1 << 20;

/** Sockets, clients and their buffers. */
export const network: readonly SettingRow[] = [
  mutable('works', 'bind', addresses, EVERY_ADDRESS, { needs: 'sockets' }),
  mutable('works', 'bind-source-addr', anyText, ''),
  mutable('works', 'port', integer(0, 65535), '6379', { needs: 'sockets' }),
  immutable('works', 'unixsocket', anyText, '', { needs: 'sockets' }),
  immutable('works', 'unixsocketperm', octalMode, '0', { needs: 'sockets' }),
  immutable('works', 'tcp-backlog', integer(0, INT), '511'),
  mutable('works', 'tcp-keepalive', integer(0, INT), '300'),
  mutable('works', 'timeout', integer(0, INT), '0'),
  mutable('works', 'protected-mode', yesNo, 'yes'),
  mutable('works', 'requirepass', anyText, ''),
  mutable('works', 'maxclients', integer(1, UINT), '10000'),
  mutable(
    'works',
    'client-output-buffer-limit',
    outputLimits,
    'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60',
  ),
  mutable('works', 'client-query-buffer-limit', memory(MB), '1073741824'),
  mutable('works', 'proto-max-bulk-len', memory(MB), '536870912'),
  mutable('works', 'maxmemory-clients', memoryOrPercent(), '0'),
  immutable('refused', 'socket-mark-id', integer(0, UINT), '0', {
    note: 'sockets cannot be marked: remove the setting',
  }),
  immutable('advice', 'io-threads', integer(1, 128), '1', { note: 'commands and sockets share one thread' }),
  immutable('advice', 'io-threads-do-reads', yesNo, 'no', { note: 'commands and sockets share one thread' }),
];

/** A file or folder that is read again whenever the setting is set. */
function file(name: string): SettingRow {
  return mutable('works', name, anyText, '', { ...OF_SOCKETS, namesFile: true });
}

const OF_SOCKETS = { needs: 'sockets' } as const;

export const tls: readonly SettingRow[] = [
  mutable('works', 'tls-port', integer(0, 65535), '0', OF_SOCKETS),
  mutable('works', 'tls-session-cache-size', integer(0, INT), '20480', OF_SOCKETS),
  mutable('works', 'tls-session-cache-timeout', integer(0, INT), '300', OF_SOCKETS),
  mutable('works', 'tls-cluster', yesNo, 'no', { needs: 'cluster' }),
  mutable('works', 'tls-replication', yesNo, 'no', { needs: 'master' }),
  mutable('works', 'tls-auth-clients', oneOf('no', 'yes', 'optional'), 'yes', OF_SOCKETS),
  mutable('works', 'tls-prefer-server-ciphers', yesNo, 'no', OF_SOCKETS),
  mutable('works', 'tls-session-caching', yesNo, 'yes', OF_SOCKETS),
  file('tls-cert-file'),
  file('tls-key-file'),
  mutable('works', 'tls-key-file-pass', anyText, '', OF_SOCKETS),
  file('tls-client-cert-file'),
  file('tls-client-key-file'),
  mutable('works', 'tls-client-key-file-pass', anyText, '', OF_SOCKETS),
  file('tls-dh-params-file'),
  file('tls-ca-cert-file'),
  file('tls-ca-cert-dir'),
  mutable('works', 'tls-protocols', anyText, '', OF_SOCKETS),
  mutable('works', 'tls-ciphers', anyText, '', OF_SOCKETS),
  mutable('works', 'tls-ciphersuites', anyText, '', OF_SOCKETS),
];
