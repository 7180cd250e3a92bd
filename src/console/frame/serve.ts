import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Store } from '../../store/index.js';
import { StoreError } from '../../store/index.js';
import { requestHandler } from './handler.js';
import {
  type ConsoleHandlerOptions,
  type ConsoleOptions,
  type ResolvedConsoleOptions,
  resolveConsoleOptions,
  resolveHandlerOptions,
} from './options.js';
import type { ApiRoute } from './route.js';
import { checkToken } from './security.js';

/** A console that is being served. */
export interface Console extends AsyncDisposable {
  /** The address to open in a browser. Its part after the # is the token, which browsers do not send to servers. */
  readonly address: string;
  readonly port: number;
  /** Stops serving and ends all requests. The store stays open. */
  close(): Promise<void>;
}

export async function serveConsole(
  store: Store,
  routes: readonly ApiRoute[],
  options: ConsoleOptions,
): Promise<Console> {
  const resolved = resolveConsoleOptions(options);
  const { host, token, basePath } = resolved;
  const closing = new AbortController();
  let hosts: ReadonlySet<string> = new Set();
  const handler = requestHandler({
    store,
    settings: resolved,
    routes,
    hosts: () => hosts,
    // The page and its files contain nothing of the store: only the API needs the token.
    authorize: async (request, isApi) => {
      if (isApi) checkToken(request, token);
      return 'all';
    },
    closing: closing.signal,
  });
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, handler);
  const port = await listen(server, resolved);
  hosts = acceptedHosts(resolved, port);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const close = async (): Promise<void> => {
    closing.abort();
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  return {
    address: `http://${shownHost}:${port}${basePath}#token=${token}`,
    port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, { port, host }: ResolvedConsoleOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text =
        error.code === 'EADDRINUSE'
          ? `port ${port} of ${host} is in use: choose another, or 0 for any free one`
          : error.message;
      reject(new StoreError('LISTEN', `console: ${text}`));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** The names of the address itself and, on a loopback address, those of loopback. */
function acceptedHosts({ host, hosts = [] }: ResolvedConsoleOptions, port: number): ReadonlySet<string> {
  const isLoopback = /^(127\.|localhost$|::1$)/.test(host);
  const names = isLoopback ? ['127.0.0.1', 'localhost', '[::1]'] : [host.includes(':') ? `[${host}]` : host];
  return new Set([...names.map((name) => `${name}:${port}`), ...hosts.map((name) => name.toLowerCase())]);
}

/** A handler for `node:http`, express and others. It ends its requests when it is closed. */
export interface ConsoleHandler {
  (request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

export function makeHandler(
  store: Store,
  routes: readonly ApiRoute[],
  options: ConsoleHandlerOptions,
): ConsoleHandler {
  const { authorize, ...settings } = resolveHandlerOptions(options);
  const closing = new AbortController();
  const hosts = settings.hosts && new Set(settings.hosts.map((name) => name.toLowerCase()));
  const handler = requestHandler({
    store,
    settings,
    routes,
    hosts: () => hosts,
    authorize: async (request) => authorize(request),
    closing: closing.signal,
  });
  return Object.assign(handler, { close: () => closing.abort() });
}
