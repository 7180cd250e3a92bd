import type { Store } from '../../store/index.js';
import {
  abortSignal,
  checkStore,
  checkText,
  integer,
  jsonOf,
  KitError,
  keyNaming,
  listener,
  milliseconds,
  optional,
  readLua,
  resolveOptions,
  ruled,
  text,
} from '../foundation/index.js';
import type { StreamEvent, StreamMessage } from './entry.js';
import { compileFilter, type StreamFilter } from './filter.js';
import { type StreamHandler, type StreamHandlerOptions, StreamServer } from './http.js';
import { Hub } from './hub.js';
import { isPosition } from './position.js';

export interface StreamingOptions {
  /** Prefix of all keys. Default `streaming`. */
  readonly prefix?: string;
  /** About how many events are kept for clients that come back. Default 10,000. */
  readonly keep?: number;
  /** Max bytes of a message as JSON. Default 65,536. */
  readonly maxMessage?: number;
  /** Called with errors of the store; reading goes on. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

export interface EventsOptions {
  /** Default: everything. */
  readonly filter?: StreamFilter;
  /** Begin after this position: that of the last event that was handled. `0-0`: with the oldest that is kept. Default: new events. */
  readonly after?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

/** A stream of messages and their deletions. */
export interface Streaming<Data = unknown> extends AsyncDisposable {
  readonly name: string;
  /** Publishes a message. False if a message with its id was published, or deleted, before. */
  publish(message: StreamMessage<Data>): Promise<boolean>;
  /** Publishes that a message was deleted, to those who got it. False if that was published before. */
  retract(id: string, user: string): Promise<boolean>;
  /**
   * A handler of `node:http`, also for Express. Clients choose by the query: `track`, `follow`, `locations`, `sample`; the format by the
   * header `Accept`: Server-Sent Events for `text/event-stream`, otherwise one JSON event a line; and where to begin by
   * `Last-Event-ID` or `after`.
   *
   * @example
   * import { createServer } from 'node:http';
   *
   * const live = streaming(store, 'statuses');
   * const server = createServer(live.handler({ identify: (request) => request.headers.authorization }));
   */
  handler(options?: StreamHandlerOptions): StreamHandler;
  /**
   * The events as they happen, for programs. A loop has its own connection to the store.
   *
   * @example
   * for await (const event of live.events({ filter: { track: ['redis'] }, signal })) console.log(event);
   */
  events(options?: EventsOptions): AsyncIterableIterator<StreamEvent<Data>>;
  /** Number of HTTP connections of this process. */
  readonly connections: number;
  /** Ends all HTTP connections, and refuses new ones. Those that are not over after `within` ms (default 1,000) are cut off. */
  close(options?: { readonly within?: number }): Promise<void>;
}

const PUBLISH = {
  keys: ['events', 'known', 'places'],
  args: ['kind', 'id', 'user', 'body', 'keep'],
  repeatable: true,
  lua: readLua(import.meta.url, 'publish.lua'),
  reply: (position: unknown) => position !== '',
} as const;

/**
 * Opens a stream of this name.
 *
 * @example
 * const live = streaming(store, 'statuses');
 * await live.publish({ id: 'ann/1', user: 'ann', text: 'Redis in TypeScript' }); // true
 * for await (const event of live.events({ after: '0-0', filter: { track: ['redis'] } })) {
 *   console.log(event.kind); // message
 *   break;
 * }
 */
export function streaming<Data = unknown>(
  store: Store,
  name: string,
  given: StreamingOptions = {},
): Streaming<Data> {
  checkStore('streaming', store);
  const { prefix, keep, maxMessage, onError } = resolveOptions('streaming', given, RULES);
  const keys = keyNaming('streaming', prefix, ['events', 'known', 'places'])(name);
  const publish = store.script(PUBLISH);
  const hub = new Hub(store, keys.events, onError);
  const servers: StreamServer[] = [];
  let isClosed = false;

  async function* read(
    filter: StreamFilter,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent<Data>, void, undefined> {
    const matches = compileFilter(filter, NO_LIMITS);
    const beginning = await unlessOver(hub.begin(after, signal), signal);
    if (beginning === undefined) return;
    let { position } = beginning;
    if (beginning.isGap) yield { kind: 'gap', position };
    for (;;) {
      const entries = await unlessOver(hub.wait(position, signal), signal);
      for (const entry of entries ?? []) {
        if (signal.aborted) return;
        position = entry.position;
        if (matches(entry)) yield entry.event as StreamEvent<Data>;
      }
      if (signal.aborted) return;
    }
  }

  const close = async (given: { readonly within?: number } = {}): Promise<void> => {
    const { within } = resolveOptions('close', given, CLOSE_RULES);
    isClosed = true;
    await Promise.all(servers.map((server) => server.close(within)));
    hub.close();
  };

  return {
    name,
    publish: async (message) => {
      const body = checked(message, maxMessage);
      return publish({ ...keys, kind: 'message', id: message.id, user: message.user, body, keep });
    },
    retract: async (id, user) => {
      checkText('retract', '`id`', id);
      checkText('retract', '`user`', user);
      return publish({ ...keys, kind: 'deletion', id, user, body: '', keep });
    },
    handler: (options = {}) => {
      if (isClosed) throw new KitError('CLOSED', `the stream '${name}' is closed`);
      const server = new StreamServer({ store, hub, name, prefix, maxMessage, onError }, options);
      servers.push(server);
      return (request, response) => server.handle(request, response);
    },
    events: (options = {}) => {
      const { filter, after, signal } = resolveOptions('events', options, EVENTS_RULES);
      compileFilter(filter, NO_LIMITS);
      return read(filter, after, signal ?? new AbortController().signal);
    },
    get connections() {
      return servers.reduce((sum, { connections }) => sum + connections, 0);
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The result; undefined if the signal has ended the call. */
async function unlessOver<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

const RULES = {
  prefix: text('streaming'),
  keep: integer(10_000, { min: 1 }),
  maxMessage: integer(65_536, { min: 100 }),
  onError: listener<(error: unknown) => void>((error) =>
    process.emitWarning(`a stream got an error from its store and goes on: ${String(error)}`),
  ),
};

const EVENTS_RULES = {
  filter: ruled<StreamFilter>(
    (value) =>
      typeof value === 'object' && value !== null
        ? undefined
        : "must be an object such as { track: ['redis'] }",
    {},
  ),
  after: optional(
    ruled<string>((value) =>
      typeof value === 'string' && isPosition(value)
        ? undefined
        : "must be a position such as '1700000000000-0'",
    ),
  ),
  signal: optional(abortSignal()),
};

const CLOSE_RULES = { within: milliseconds(1_000) };

/** For programs, which are trusted. */
const NO_LIMITS = {
  maxTrack: Number.POSITIVE_INFINITY,
  maxFollow: Number.POSITIVE_INFINITY,
  maxLocations: Number.POSITIVE_INFINITY,
};

const MESSAGE_RULES = {
  id: text(),
  user: text(),
  text: ruled<string>((value) => (typeof value === 'string' ? undefined : 'must be a string')),
  location: optional(
    ruled<StreamMessage['location']>((value) => {
      const { latitude, longitude } = (value ?? {}) as Record<string, unknown>;
      return Math.abs(latitude as number) <= 90 && Math.abs(longitude as number) <= 180
        ? undefined
        : 'must be { latitude, longitude } in degrees';
    }),
  ),
  data: { complaint: () => undefined, fallback: { value: undefined } },
};

/** The JSON of a message. */
function checked(message: StreamMessage, max: number): string {
  const complete = resolveOptions('publish', message, MESSAGE_RULES);
  const json = jsonOf(complete, 'publish: `data` must be a JSON value');
  const bytes = Buffer.byteLength(json);
  if (bytes <= max) return json;
  throw new KitError(
    'OPTION',
    `publish: the message '${message.id}' has ${bytes} bytes: raise \`maxMessage\`, which is ${max}`,
  );
}
