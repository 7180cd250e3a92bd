import { readdirSync, readFileSync } from 'node:fs';
import { createConnection, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Where a server listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** A Unix socket, which overrides host and port. */
  readonly path?: string | undefined;
  readonly tls?: TlsChoices | undefined;
}

/** The options of TLS, as redis-cli has them. */
export interface TlsChoices {
  readonly sni?: string | undefined;
  readonly cacert?: string | undefined;
  readonly cacertdir?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly ciphers?: string | undefined;
  readonly ciphersuites?: string | undefined;
}

/** `127.0.0.1:6379`, or the path of the socket. */
export function nameOf({ host, port, path }: Endpoint): string {
  return path ?? `${host}:${port}`;
}

/** The connection could not be made; the message says where and why. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly reason: string;
  /** The server accepted the connection, and the handshake of TLS failed. */
  readonly isHandshake: boolean;

  constructor(endpoint: Endpoint, reason: string, isHandshake = false) {
    super(`Could not connect to Redis at ${nameOf(endpoint)}: ${reason}`);
    this.reason = reason;
    this.isHandshake = isHandshake;
  }
}

/** Connects a socket that leaves reading to the caller. Rejects with a `ConnectError`. */
export function connectSocket(endpoint: Endpoint): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let socket: Socket;
    const ready = endpoint.tls === undefined ? 'connect' : 'secureConnect';
    try {
      socket = endpoint.tls === undefined ? plainSocket(endpoint) : tlsSocket(endpoint, endpoint.tls);
    } catch (error) {
      reject(new ConnectError(endpoint, (error as Error).message));
      return;
    }
    let isAccepted = false;
    socket.once('connect', () => {
      isAccepted = true;
    });
    const failed = (error: Error): void => {
      socket.destroy();
      reject(new ConnectError(endpoint, reasonOf(error), isAccepted));
    };
    socket.once('error', failed);
    socket.once(ready, () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

function plainSocket({ host, port, path }: Endpoint): Socket {
  return createConnection(path === undefined ? { host, port, noDelay: true, family: 0 } : { path });
}

function tlsSocket({ host, port, path }: Endpoint, choices: TlsChoices): Socket {
  const { sni, cacert, cacertdir, insecure, cert, key, ciphers, ciphersuites } = choices;
  const options: ConnectionOptions = {
    ...(path === undefined ? { host, port } : { path }),
    rejectUnauthorized: insecure !== true,
    // redis-cli checks who signed the certificate, not which name it is for.
    checkServerIdentity: () => undefined,
  };
  const servername = sni ?? (isIP(host) === 0 ? host : undefined);
  if (servername !== undefined) options.servername = servername;
  const authorities = [
    ...(cacert === undefined ? [] : [readFileSync(cacert)]),
    ...(cacertdir === undefined ? [] : certificatesIn(cacertdir)),
  ];
  if (authorities.length > 0) options.ca = authorities;
  if (cert !== undefined) options.cert = readFileSync(cert);
  if (key !== undefined) options.key = readFileSync(key);
  const suites = [ciphersuites, ciphers].filter((list) => list !== undefined);
  if (suites.length > 0) options.ciphers = suites.join(':');
  return connectTls(options);
}

function certificatesIn(folder: string): Buffer[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return files.map(({ name }) => readFileSync(join(folder, name)));
}

/** The system's words for an error of the system, otherwise its message. */
function reasonOf(error: Error & { code?: string; errors?: readonly Error[] }): string {
  const first = error.errors?.[0];
  if (first !== undefined) return reasonOf(first);
  return REASONS[error.code ?? ''] ?? error.message;
}

/** As strerror and getaddrinfo say it. */
export const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  ETIMEDOUT: 'Connection timed out',
  EHOSTUNREACH: 'No route to host',
  ENETUNREACH: 'Network is unreachable',
  ECONNRESET: 'Connection reset by peer',
  EPIPE: 'Broken pipe',
  ENOTFOUND: 'Name or service not known',
  EAI_AGAIN: 'Temporary failure in name resolution',
};
