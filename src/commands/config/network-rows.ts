import { anyText, integer, memory, memoryOrPercent, octalMode, oneOf, yesNo } from './kinds.js';
import { immutable, mutable, part, type SettingRow } from './row.js';
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

export const tls: readonly SettingRow[] = part(
  'TLS',
  'use a proxy such as stunnel that accepts TLS connections and forwards them to the port',
  [
    mutable('refused', 'tls-port', integer(0, 65535), '0'),
    mutable('idle', 'tls-session-cache-size', integer(0, INT), '20480'),
    mutable('idle', 'tls-session-cache-timeout', integer(0, INT), '300'),
    mutable('idle', 'tls-cluster', yesNo, 'no'),
    mutable('refused', 'tls-replication', yesNo, 'no'),
    mutable('idle', 'tls-auth-clients', oneOf('no', 'yes', 'optional'), 'yes'),
    mutable('idle', 'tls-prefer-server-ciphers', yesNo, 'no'),
    mutable('idle', 'tls-session-caching', yesNo, 'yes'),
    mutable('idle', 'tls-cert-file', anyText, ''),
    mutable('idle', 'tls-key-file', anyText, ''),
    mutable('idle', 'tls-key-file-pass', anyText, ''),
    mutable('idle', 'tls-client-cert-file', anyText, ''),
    mutable('idle', 'tls-client-key-file', anyText, ''),
    mutable('idle', 'tls-client-key-file-pass', anyText, ''),
    mutable('idle', 'tls-dh-params-file', anyText, ''),
    mutable('idle', 'tls-ca-cert-file', anyText, ''),
    mutable('idle', 'tls-ca-cert-dir', anyText, ''),
    mutable('idle', 'tls-protocols', anyText, ''),
    mutable('idle', 'tls-ciphers', anyText, ''),
    mutable('idle', 'tls-ciphersuites', anyText, ''),
  ],
);
