/** `sorrel/console`: a page in the browser that shows and edits what is in a store, and what its servers do. */
import { checkStore } from '../kit/foundation/check-arguments.js';
import type { Store } from '../store/index.js';
import type { ConsoleHandlerOptions, ConsoleOptions } from './frame/options.js';
import { type Console, type ConsoleHandler, makeHandler, serveConsole } from './frame/serve.js';
import { ROUTES } from './parts.js';

export type { ConsoleHandlerOptions, ConsoleOptions, ConsoleSettings, Permission } from './frame/options.js';
export type { Console, ConsoleHandler } from './frame/serve.js';

/**
 * Serves a console for the store: an embedded one, a server, behind Sentinels, or a Cluster. By default only browsers on this
 * machine reach it, and only with the token in its address.
 *
 * @example
 * import { console as openConsole } from 'sorrel/console';
 *
 * await using board = await openConsole(store, { port: 0, readOnly: true });
 * board.address; // 'http://127.0.0.1:49153/#token=…'
 */
export async function console(store: Store, options: ConsoleOptions = {}): Promise<Console> {
  checkStore('console', store);
  return serveConsole(store, ROUTES, options);
}

/**
 * The console as a request handler, for a program that has an HTTP server and its own authentication. Under express:
 * `app.use('/redis', handler)`; docs/console.md has fastify.
 *
 * @example
 * import { createServer } from 'node:http';
 * import { consoleHandler } from 'sorrel/console';
 *
 * const handler = consoleHandler(store, {
 *   basePath: '/redis',
 *   authorize: (request) => (request.headers['x-user'] === 'ann' ? 'all' : 'none'),
 * });
 * const server = createServer(handler);
 * handler.close();
 */
export function consoleHandler(store: Store, options: ConsoleHandlerOptions): ConsoleHandler {
  checkStore('consoleHandler', store);
  return makeHandler(store, ROUTES, options);
}
