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

/** The sockets a server listens on. They are opened synchronously, so that CONFIG SET can report failures. */
export class Listening {
  readonly #host: ConnectionHost;
  #ports: NetServer[] = [];
  /** The settings with which the ports were opened. */
  #wanted = { addresses: '', port: 0, backlog: 0 };
  #path: NetServer | undefined;

  constructor(host: ConnectionHost) {
    this.#host = host;
  }

  /**
   * Listens on this port of these addresses, instead of the earlier ones; 0 is no port. If one of them cannot be
   * opened, throws a ListenError and keeps the earlier ones.
   */
  openPort(addresses: string, port: number, backlog: number): void {
    const before = this.#wanted;
    // An address can be opened only once, and `*` includes all: close the open ports first.
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
    // Only `listen` reports that an address is in use.
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
