import { chmodSync, unlinkSync } from 'node:fs';
import net, { type Server as NetServer } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { TlsAcceptor } from '../tls/tls-acceptor.js';
import type { ListeningDescriptor } from './busy-acceptor.js';
import type { ConnectionHost } from './connection.js';
import { createListener, createTlsListener } from './listener.js';

/** A port that could not be opened; `code` is the system's, such as EADDRINUSE. */
export class ListenError extends Error {
  readonly code: string;
  readonly port: number;

  constructor(host: string, port: number, code: string) {
    super(`${host}:${port}: ${code}`);
    this.code = code;
    this.port = port;
  }
}

/** The listening sockets of one port, one for each address. */
export class Ports {
  readonly #create: () => NetServer;
  #servers: NetServer[] = [];
  /** The settings with which they were opened. */
  #wanted = { addresses: '', port: 0, backlog: 0 };

  constructor(create: () => NetServer) {
    this.#create = create;
  }

  get servers(): readonly NetServer[] {
    return this.#servers;
  }

  /** Listens on this port instead of the earlier one. If an address cannot be opened, throws a ListenError and keeps the earlier one. */
  open(addresses: string, port: number, backlog: number): void {
    const before = this.#wanted;
    // An address can be opened only once, and `*` includes all: close the open ports first.
    this.#closeAll();
    try {
      this.#openAll(addresses, port, backlog);
      this.#wanted = { addresses, port, backlog };
    } catch (error) {
      this.#closeAll();
      this.#openAll(before.addresses, before.port, before.backlog);
      throw error;
    }
  }

  #openAll(addresses: string, port: number, backlog: number): void {
    if (port === 0) return;
    for (const address of bindAddresses(addresses)) this.#openAddress(address, port, backlog);
  }

  #closeAll(): void {
    for (const server of this.take()) server.close();
  }

  /** Forgets the sockets, and returns them to be closed. */
  take(): NetServer[] {
    return this.#servers.splice(0);
  }

  #openAddress({ host, optional }: BindAddress, port: number, backlog: number): void {
    const family = host.includes(':') ? 6 : 4;
    const handle = createServerHandle(host, port, family, undefined, family === 6 ? IPV6_ONLY : 0);
    // Only `listen` reports that an address is in use.
    const failure = typeof handle === 'number' ? handle : handle.listen(backlog);
    if (failure === 0) {
      const server = this.#create();
      server.listen({ _handle: handle } as net.ListenOptions, backlog);
      this.#servers.push(server);
      return;
    }
    if (typeof handle !== 'number') handle.close();
    const code = getSystemErrorName(failure);
    const isMissing = code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EPROTONOSUPPORT';
    if (!(optional && isMissing)) throw new ListenError(host, port, code);
  }
}

/** The sockets a server listens on. Ports are opened synchronously, so that CONFIG SET can report failures. */
export class Listening {
  readonly #host: ConnectionHost;
  readonly #ports: Ports;
  readonly #tlsPorts: Ports;
  #path: NetServer | undefined;

  constructor(host: ConnectionHost, acceptor: TlsAcceptor) {
    this.#host = host;
    this.#ports = new Ports(() => this.#watched(createListener(host)));
    this.#tlsPorts = new Ports(() => this.#watched(createTlsListener(acceptor)));
  }

  #watched(server: NetServer): NetServer {
    return server.on('error', (error) =>
      this.#host.engine.host.log('warning', `Listening: ${error.message}`),
    );
  }

  /**
   * Listens on this port of these addresses, instead of the earlier ones; 0 is no port. If one of them cannot be
   * opened, throws a ListenError and keeps the earlier ones.
   */
  openPort(addresses: string, port: number, backlog: number): void {
    this.#ports.open(addresses, port, backlog);
  }

  /** The same for clients that speak TLS. */
  openTlsPort(addresses: string, port: number, backlog: number): void {
    this.#tlsPorts.open(addresses, port, backlog);
  }

  /** Listens on a Unix socket and replaces its file; `mode` is octal, `0` keeps the permissions. */
  async openPath(path: string, mode: string): Promise<void> {
    try {
      unlinkSync(path);
    } catch {
      // It need not exist.
    }
    const listener = createListener(this.#host, path);
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ path }, resolve);
    });
    if (mode !== '0') chmodSync(path, Number.parseInt(mode, 8));
    this.#path = listener;
  }

  /** The descriptors that are listened on, for another thread that accepts on them. */
  descriptors(): ListeningDescriptor[] {
    const all: ListeningDescriptor[] = [
      ...this.#ports.servers.map((server) => ({ fd: descriptorOf(server), path: undefined, isTls: false })),
      ...this.#tlsPorts.servers.map((server) => ({ fd: descriptorOf(server), path: undefined, isTls: true })),
    ];
    const path = this.#path?.address();
    if (this.#path !== undefined && typeof path === 'string') {
      all.push({ fd: descriptorOf(this.#path), path, isTls: false });
    }
    return all.filter(({ fd }) => fd >= 0);
  }

  async close(): Promise<void> {
    const all = [...this.#ports.take(), ...this.#tlsPorts.take()];
    if (this.#path !== undefined) all.push(this.#path);
    this.#path = undefined;
    await Promise.all(all.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function descriptorOf(listener: NetServer): number {
  return (listener as unknown as { _handle: { readonly fd: number } | null })._handle?.fd ?? -1;
}

interface BindAddress {
  readonly host: string;
  /** Marked with `-`: not an error if this machine does not have the address. */
  readonly optional: boolean;
}

function bindAddresses(text: string): BindAddress[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const optional = word.startsWith('-');
      const name = optional ? word.slice(1) : word;
      if (name === '*') return { host: '0.0.0.0', optional };
      return { host: name === '::*' ? '::' : name, optional };
    });
}

interface ServerHandle {
  /** Returns 0 or an error number, like all functions of libuv. */
  listen(backlog: number): number;
  close(): void;
}

type CreateServerHandle = (
  address: string,
  port: number,
  addressType: 4 | 6,
  fd: undefined,
  flags: number,
) => ServerHandle | number;

/** An internal function of Node that binds synchronously; the documented one reports failures only later. */
const createServerHandle = (net as unknown as { _createServerHandle: CreateServerHandle })
  ._createServerHandle;

/** libuv's UV_TCP_IPV6ONLY */
const IPV6_ONLY = 1;
