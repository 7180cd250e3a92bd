import { chmodSync, unlinkSync } from 'node:fs';
import type { Server as NetServer } from 'node:net';
import { Engine } from '../engine/engine.js';
import type { ParserLimits } from '../resp/request-parser.js';
import { RespWriter } from '../resp/resp-writer.js';
import type { Connection, ConnectionHost } from './connection.js';
import { createListener } from './listener.js';

/** An engine behind sockets. */
export class Server implements ConnectionHost {
  readonly engine: Engine;
  readonly input = Buffer.allocUnsafeSlow(INPUT_BYTES);
  readonly writer = new RespWriter();
  readonly limits: ParserLimits = { longestBulk: 0 };
  readonly dirty = new Set<Connection>();
  readonly connections = new Set<Connection>();
  #listeners: NetServer[] = [];

  constructor(engine: Engine = new Engine()) {
    this.engine = engine;
    engine.background.start();
    engine.settings.onChange('proto-max-bulk-len', (text) => {
      this.limits.longestBulk = Number(text);
    });
  }

  /** Opens the ports and the socket that the settings name. */
  async listen(): Promise<void> {
    const { settings } = this.engine;
    const port = settings.number('port');
    if (port !== 0)
      for (const address of bindAddresses(settings.text('bind'))) await this.#listenOn(address, port);
    const path = settings.text('unixsocket');
    if (path !== '') await this.#listenOnPath(path, settings.text('unixsocketperm'));
  }

  async #listenOn({ host, optional }: BindAddress, port: number): Promise<void> {
    const backlog = this.engine.settings.number('tcp-backlog');
    try {
      await this.#open({ host, port, backlog, ipv6Only: host === '::' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!optional || code === 'EADDRINUSE') throw error;
    }
  }

  async #listenOnPath(path: string, mode: string): Promise<void> {
    try {
      unlinkSync(path);
    } catch {
      // It need not be there.
    }
    await this.#open({ path });
    if (mode !== '0') chmodSync(path, Number.parseInt(mode, 8));
  }

  #open(where: object): Promise<void> {
    const listener = createListener(this);
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(where, () => {
        listener.off('error', reject);
        this.#listeners.push(listener);
        resolve();
      });
    });
  }

  opened(connection: Connection): void {
    this.connections.add(connection);
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.dirty.delete(connection);
  }

  /** Stops accepting, closes every connection, frees the socket file. */
  async close(): Promise<void> {
    for (const connection of [...this.connections]) connection.close('now');
    await Promise.all(this.#listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
    this.#listeners = [];
    this.engine.close();
  }
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

const INPUT_BYTES = 1 << 16;
