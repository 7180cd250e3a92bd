import { createServer } from 'node:net';
import type { ServerTls } from '../../commands/config/tls-options.js';
import type { Listener, ListenOptions } from '../embedded-store.js';
import { StoreError } from '../store-error.js';
import type { EmbeddedEngine } from './embedded-engine.js';

/**
 * Lets other processes connect to the engine. Clients cannot shut down the process. The server's code is loaded only here.
 */
export async function listen(embedded: EmbeddedEngine, options: ListenOptions): Promise<Listener> {
  const { Server } = await import('../../server/server.js');
  const { engine } = embedded;
  const server = new Server(engine, 'guest');
  let forget = (): void => {};
  const close = (): Promise<void> => {
    forget();
    return server.close();
  };
  try {
    const tls = 'path' in options ? undefined : options.tls;
    if (tls !== undefined) startTls(server.tls, tls);
    const address = await openSockets(server.listening, options, engine.settings.number('tcp-backlog'));
    forget = embedded.onClose(close);
    return { address, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startTls(service: { start(tls: ServerTls): void }, tls: ServerTls): void {
  try {
    service.start(tls);
  } catch (error) {
    throw new StoreError('OPTION', `option 'tls' cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

interface Sockets {
  openTlsPort(addresses: string, port: number, backlog: number): void;
  openPort(addresses: string, port: number, backlog: number): void;
  openPath(path: string, mode: string): Promise<void>;
}

async function openSockets(listening: Sockets, options: ListenOptions, backlog: number): Promise<string> {
  if ('path' in options) {
    try {
      await listening.openPath(options.path, '0');
    } catch (error) {
      throw cannotListen(options.path, error);
    }
    return `unix:${options.path}`;
  }
  const { port, host = '127.0.0.1', tls } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new StoreError('OPTION', `${port} is not a port: use 0 (any free port) to 65535`);
  }
  const open = (chosen: number): void =>
    tls === undefined
      ? listening.openPort(host, chosen, backlog)
      : listening.openTlsPort(host, chosen, backlog);
  const opened = await openPort(open, host, port);
  return `${tls === undefined ? 'redis' : 'rediss'}://${host.includes(':') ? `[${host}]` : host}:${opened}`;
}

async function openPort(open: (port: number) => void, host: string, port: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const chosen = port === 0 ? await freePort(host) : port;
    try {
      open(chosen);
      return chosen;
    } catch (error) {
      // Another process may have taken the free port in between.
      if (port !== 0 || attempt === FREE_PORT_ATTEMPTS) throw cannotListen(`${host}:${chosen}`, error);
    }
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(cannotListen(host, error)));
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

function cannotListen(where: string, error: unknown): StoreError {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice =
    code === 'EADDRINUSE' ? 'it is taken; choose another, or port 0 for one that is free' : message;
  return new StoreError('LISTEN', `cannot listen on ${where}: ${advice}`, { cause: error });
}

const FREE_PORT_ATTEMPTS = 20;
