import { chmodSync, unlinkSync } from 'node:fs';
import net, { type Server as NetServer } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { ListeningDescriptor } from './busy-acceptor.js';
import type { ConnectionHost } from './connection.js';
import { createListener } from './listener.js';

/** A port or path that could not be opened; `code` is the system's, such as EADDRINUSE. */
export class ListenError extends Error {
  readonly code: string;

  constructor(where: string, code: string) {
    super(`${where}: ${code}`);
    this.code = code;
  }
}

/** The sockets a server listens on. Opening is immediate, so that CONFIG SET can say whether it worked. */
export class Listening {
  readonly #host: ConnectionHost;
  #ports: NetServer[] = [];
  /** What the ports were opened for. */
  #wanted = { addresses: '', port: 0, backlog: 0 };
  #path: NetServer | undefined;

  constructor(host: ConnectionHost) {
    this.#host = host;
  }

  /**
   * Listens on this port of these addresses, instead of those before; 0 is no port. If one of them cannot be opened,
   * throws a ListenError and everything is as it was.
   */
  openPort(addresses: string, port: number, backlog: number): void {
    const before = this.#wanted;
    // An address can be opened once only, and `*` holds them all: what was open goes first.
    this.#closePorts();
    try {
      this.#openAll(addresses, port, backlog);
      this.#wanted = { addresses, port, backlog };
    } catch (error) {
      this.#closePorts();
      this.#openAll(before.addresses, before.port, before.backlog);
      throw error;
    }
  }

  #openAll(addresses: string, port: number, backlog: number): void {
    if (port === 0) return;
    for (const address of bindAddresses(addresses)) this.#openAddress(address, port, backlog);
  }

  #closePorts(): void {
    for (const listener of this.#ports) listener.close();
    this.#ports = [];
  }

  #openAddress({ host, optional }: BindAddress, port: number, backlog: number): void {
    const family = host.includes(':') ? 6 : 4;
    const handle = createServerHandle(host, port, family, undefined, family === 6 ? IPV6_ONLY : 0);
    // That an address is taken shows only here.
    const failure = typeof handle === 'number' ? handle : handle.listen(backlog);
    if (failure === 0) {
      this.#ports.push(this.#listen({ _handle: handle }, backlog));
      return;
    }
    if (typeof handle !== 'number') handle.close();
    const code = getSystemErrorName(failure);
    const isMissing = code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EPROTONOSUPPORT';
    if (!(optional && isMissing)) throw new ListenError(`${host}:${port}`, code);
  }

  #listen(where: object, backlog: number): NetServer {
    const listener = createListener(this.#host);
    listener.on('error', (error) => this.#host.engine.host.log('warning', `Listening: ${error.message}`));
    listener.listen(where as net.ListenOptions, backlog);
    return listener;
  }

  /** Listens on a socket in the file system, replacing the file; `mode` is octal, `0` leaves the permissions alone. */
  async openPath(path: string, mode: string): Promise<void> {
    try {
      unlinkSync(path);
    } catch {
      // It need not be there.
    }
    const listener = createListener(this.#host, path);
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ path }, resolve);
    });
    if (mode !== '0') chmodSync(path, Number.parseInt(mode, 8));
    this.#path = listener;
  }

  /** What is listened on, for somebody else who accepts there too. */
  descriptors(): ListeningDescriptor[] {
    const ports = this.#ports.map((listener) => ({ fd: descriptorOf(listener), path: undefined }));
    const path = this.#path?.address();
    const files =
      this.#path !== undefined && typeof path === 'string' ? [{ fd: descriptorOf(this.#path), path }] : [];
    return [...ports, ...files].filter(({ fd }) => fd >= 0);
  }

  async close(): Promise<void> {
    const all = this.#path === undefined ? this.#ports : [...this.#ports, this.#path];
    this.#ports = [];
    this.#path = undefined;
    await Promise.all(all.map((listener) => new Promise((resolve) => listener.close(resolve))));
  }
}

function descriptorOf(listener: NetServer): number {
  return (listener as unknown as { _handle: { readonly fd: number } | null })._handle?.fd ?? -1;
}

interface BindAddress {
  readonly host: string;
  /** Marked with `-`: no harm if this machine does not have it. */
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
  /** 0 or an error number, as all of libuv's. */
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

/** Node's own step of listening that binds at once; the documented way reports failure only later. */
const createServerHandle = (net as unknown as { _createServerHandle: CreateServerHandle })
  ._createServerHandle;

/** libuv's UV_TCP_IPV6ONLY */
const IPV6_ONLY = 1;
