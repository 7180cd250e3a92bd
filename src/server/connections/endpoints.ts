import type { Socket } from 'node:net';

/** The addresses of both ends, as CLIENT LIST prints them, and whether the connection uses a Unix socket. */
export interface Endpoints {
  readonly address: string;
  readonly localAddress: string;
  readonly isUnixSocket: boolean;
}

/** IPv4 clients of a dual-stack socket are shown with their IPv4 address. */
export function internetEndpoints({ remoteAddress, remotePort, localAddress, localPort }: Socket): Endpoints {
  return {
    address: endpoint(remoteAddress, remotePort),
    localAddress: endpoint(localAddress, localPort),
    isUnixSocket: false,
  };
}

function endpoint(address = '?', port = 0): string {
  const host = address.replace(/^::ffff:(?=\d+\.)/, '');
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

export function fileEndpoints(path: string): Endpoints {
  return { address: `${path}:0`, localAddress: `${path}:0`, isUnixSocket: true };
}
