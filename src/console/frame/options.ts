import type { IncomingMessage } from 'node:http';
import { StoreError } from '../../store/index.js';
import { newToken } from './security.js';

/** Options of every console. */
export interface ConsoleSettings {
  /** Nothing can be changed: neither data nor settings, and only scripts that cannot write may run. Default false. */
  readonly readOnly?: boolean;
  /** The path under which a proxy or a framework serves the console: `/redis`. Default `/`. */
  readonly basePath?: string;
  /**
   * Values of the Host header that are accepted, with the port unless it is 80 or 443: the names under which a proxy serves the
   * console. Default: those of the address it listens on; for `consoleHandler`, any.
   */
  readonly hosts?: readonly string[];
  /** Shown at the top of the page and in its title. Default: the kind of the store. */
  readonly title?: string;
}

/** Options of `console`. */
export interface ConsoleOptions extends ConsoleSettings {
  /** Default 0: any free port. */
  readonly port?: number;
  /** The address to listen on. Default `127.0.0.1`: only browsers on this machine. */
  readonly host?: string;
  /** The secret in the console's address, of at least 16 characters. Default: a new one each time. */
  readonly token?: string;
}

/** What a request may do: everything, only read, or nothing. */
export type Permission = 'all' | 'read' | 'none';

/** Options of `consoleHandler`. */
export interface ConsoleHandlerOptions extends ConsoleSettings {
  /**
   * Decides what a request may do, by the program's own authentication. It is asked for every request, also for the page itself.
   * There is no default, since a console without it would be open to anyone who reaches the program.
   */
  readonly authorize: (request: IncomingMessage) => Permission | Promise<Permission>;
}

const SETTINGS = ['readOnly', 'basePath', 'hosts', 'title'];
const SERVER_OPTIONS = new Set([...SETTINGS, 'port', 'host', 'token']);
const HANDLER_OPTIONS = new Set([...SETTINGS, 'authorize']);

export interface ResolvedSettings {
  readonly readOnly: boolean;
  /** Begins and ends with a slash. */
  readonly basePath: string;
  readonly hosts: readonly string[] | undefined;
  readonly title: string | undefined;
}

function resolveSettings(options: ConsoleSettings): ResolvedSettings {
  const { readOnly = false, basePath = '/', hosts, title } = options;
  if (typeof readOnly !== 'boolean') throw wrong('`readOnly` must be true or false');
  if (typeof basePath !== 'string' || !/^\/([\w.~-]+\/?)*$/.test(basePath)) {
    throw wrong('`basePath` must be a path such as `/redis`');
  }
  if (hosts !== undefined && !(Array.isArray(hosts) && hosts.every((host) => typeof host === 'string'))) {
    throw wrong('`hosts` must be a list of host names');
  }
  if (title !== undefined && typeof title !== 'string') throw wrong('`title` must be text');
  return { readOnly, basePath: basePath.endsWith('/') ? basePath : `${basePath}/`, hosts, title };
}

export interface ResolvedConsoleOptions extends ResolvedSettings {
  readonly port: number;
  readonly host: string;
  readonly token: string;
}

export function resolveConsoleOptions(options: ConsoleOptions): ResolvedConsoleOptions {
  refuseUnknown(options, SERVER_OPTIONS);
  const { port = 0, host = '127.0.0.1', token = newToken() } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw wrong('`port` must be an integer from 0 to 65535');
  }
  if (typeof host !== 'string' || host === '') throw wrong('`host` must be an address to listen on');
  if (typeof token !== 'string' || !/^[\w.~-]{16,}$/.test(token)) {
    throw wrong('`token` must have at least 16 characters out of letters, digits, - . _ ~');
  }
  return { ...resolveSettings(options), port, host, token };
}

export function resolveHandlerOptions(
  options: ConsoleHandlerOptions,
): ResolvedSettings & Pick<ConsoleHandlerOptions, 'authorize'> {
  refuseUnknown(options, HANDLER_OPTIONS);
  if (typeof options.authorize !== 'function') {
    throw wrong("`authorize` must be a function that returns 'all', 'read' or 'none' for a request");
  }
  return { ...resolveSettings(options), authorize: options.authorize };
}

function refuseUnknown(options: object, known: ReadonlySet<string>): void {
  const unknown = Object.keys(options).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw wrong(`there is no option \`${unknown}\`; there are ${[...known].join(', ')}`);
  }
}

const wrong = (text: string): StoreError => new StoreError('OPTION', `console: ${text}`);
