import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Store } from '../../store/index.js';
import {
  callback,
  integer,
  KitError,
  listener,
  milliseconds,
  optional,
  type Resolved,
  resolveOptions,
  ruled,
} from '../foundation/index.js';
import { type RateLimiter, rateLimiter, rateLimitHeaders } from '../rate-limiter/index.js';
import { type Permit, semaphores } from '../semaphores/index.js';
import { Connection, type ConnectionSettings } from './connection.js';
import type { StreamFormat } from './entry.js';
import { compileFilter, type FilterLimits, filterIn } from './filter.js';
import type { Beginning, Hub } from './hub.js';
import { isPosition } from './position.js';

export interface StreamHandlerOptions {
  /**
   * Who the client is: a user, the owner of a key. Undefined: the request is answered with 401. Limits apply to each name. Default: the
   * address of the client.
   */
  readonly identify?: (
    request: IncomingMessage,
    response: ServerResponse,
  ) => string | undefined | Promise<string | undefined>;
  /** How often a client may connect: the result of `rateLimiter`. Default: 60 times a minute. */
  readonly limiter?: RateLimiter;
  /** Max connections of a client at a time, in all processes. Default 5. */
  readonly maxPerClient?: number;
  /** Max connections of this process. Default 10,000. */
  readonly maxConnections?: number;
  /**
   * Max bytes that wait in this process to be sent to a client; a client that reads more slowly is dropped. Default 1,048,576; at least
   * twice `maxMessage`, and 4,096 more.
   */
  readonly maxBuffered?: number;
  /** Ms after which a client that reads events of the past and takes none is dropped. Default 30,000. */
  readonly patience?: number;
  /** Ms without an event after which an empty line, or comment, is sent. Default 15,000. */
  readonly heartbeat?: number;
  /** Max phrases, users and boxes of a filter. Default 400, 5,000 and 25. */
  readonly maxTrack?: number;
  readonly maxFollow?: number;
  readonly maxLocations?: number;
  /** Called with the name of a client that was dropped because it reads too slowly. */
  readonly onDropped?: (client: string) => void;
}

const RULES = {
  identify: callback<NonNullable<StreamHandlerOptions['identify']>>(
    ({ socket }) => socket.remoteAddress ?? 'unknown',
  ),
  limiter: optional(
    ruled<RateLimiter>((value) =>
      typeof (value as Partial<RateLimiter> | null)?.take === 'function'
        ? undefined
        : 'must be the result of `rateLimiter`',
    ),
  ),
  maxPerClient: integer(5, { min: 1 }),
  maxConnections: integer(10_000, { min: 1 }),
  maxBuffered: integer(1_048_576, { min: 1 }),
  patience: milliseconds(30_000, { min: 1 }),
  heartbeat: milliseconds(15_000, { min: 1 }),
  maxTrack: integer(400, { min: 0 }),
  maxFollow: integer(5_000, { min: 0 }),
  maxLocations: integer(25, { min: 0 }),
  onDropped: listener<(client: string) => void>(() => {}),
};

export type StreamHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What a handler needs of its stream. */
export interface HandlerContext {
  readonly store: Store;
  readonly hub: Hub;
  readonly name: string;
  readonly prefix: string;
  readonly maxMessage: number;
  readonly onError: (error: unknown) => void;
}

/** Serves a stream over HTTP. */
export class StreamServer {
  readonly #context: HandlerContext;
  readonly #options: Resolved<typeof RULES>;
  readonly #limits: FilterLimits;
  readonly #limiter: RateLimiter;
  readonly #permits;
  readonly #connections = new Set<Connection>();
  #cancelBeat: (() => void) | undefined;
  #isClosed = false;

  constructor(context: HandlerContext, given: StreamHandlerOptions) {
    this.#context = context;
    const { store, prefix, maxMessage } = context;
    this.#options = resolveOptions('handler', given, RULES);
    this.#limits = this.#options;
    const { maxBuffered, maxPerClient, limiter } = this.#options;
    const least = 2 * maxMessage + 4_096;
    if (maxBuffered < least) {
      throw new KitError(
        'OPTION',
        `handler: \`maxBuffered\` must be at least ${least}: twice \`maxMessage\` and 4096`,
      );
    }
    this.#limiter = limiter ?? rateLimiter(store, { limit: 60, per: 60_000, prefix: `${prefix}-rate` });
    this.#permits = semaphores(store, { limit: maxPerClient, prefix: `${prefix}-client` });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Answers a request. Resolves when the response is over. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : undefined;
      if (refusal === undefined) this.#context.onError(error);
      if (response.headersSent) response.destroy();
      else (refusal ?? new Refusal(503, 'The stream is not available', RETRY_SOON)).send(response);
    }
  }

  /** Ends all responses. Those that are not over after `within` ms are cut off. */
  async close(within: number): Promise<void> {
    this.#isClosed = true;
    const connections = [...this.#connections];
    for (const connection of connections) connection.end();
    const cancel = this.#context.store.time.after(within, () => {
      for (const connection of connections) connection.destroy();
    });
    await Promise.all(connections.map(({ closed }) => closed));
    cancel();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isClosed) throw new Refusal(503, 'The server stops', RETRY_SOON);
    if (request.method !== 'GET') throw new Refusal(405, 'Only GET is possible', { Allow: 'GET' });
    const client = await this.#options.identify(request, response);
    if (client === undefined) throw new Refusal(401, 'The client is not known');
    await this.#limit(client, response);
    const { query, after } = questionOf(request);
    const matches = asked(() => compileFilter(filterIn(query), this.#limits));
    const format: StreamFormat = /\btext\/event-stream\b/.test(request.headers.accept ?? '')
      ? 'events'
      : 'lines';
    if (this.#connections.size >= this.#options.maxConnections) {
      throw new Refusal(503, 'There are too many connections', RETRY_SOON);
    }
    const permit = await this.#permits.tryAcquire(`${this.#context.name}:${client}`);
    if (permit === undefined) {
      throw new Refusal(429, `A client can have ${this.#options.maxPerClient} connections`, RETRY_SOON);
    }
    try {
      const beginning = await this.#context.hub.begin(after);
      // The client may have left, or the server stopped, meanwhile.
      if (this.#isClosed) throw new Refusal(503, 'The server stops', RETRY_SOON);
      if (response.destroyed || response.socket === null) return;
      await this.#stream(
        new Connection(response, beginning.position, format, matches, this.#settings(client)),
        beginning,
      );
    } finally {
      await release(permit);
    }
  }

  async #limit(client: string, response: ServerResponse): Promise<void> {
    const decision = await this.#limiter.take(`${this.#context.name}:${client}`);
    const headers = rateLimitHeaders(decision);
    if (!decision.isAllowed) throw new Refusal(429, 'The client connects too often', headers);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }

  async #stream(connection: Connection, { position, newest, isGap }: Beginning): Promise<void> {
    const { hub } = this.#context;
    this.#connections.add(connection);
    this.#beat();
    try {
      if (isGap) connection.tellGap(position);
      await hub.join(connection, newest);
      await connection.closed;
    } catch (error) {
      this.#context.onError(error);
      connection.destroy();
    } finally {
      hub.leave(connection);
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#stopBeat();
    }
  }

  #settings(client: string): ConnectionSettings {
    const { maxBuffered, patience, onDropped } = this.#options;
    return { time: this.#context.store.time, maxBuffered, patience, onDropped: () => onDropped(client) };
  }

  /** One timer for all connections. */
  #beat(): void {
    this.#cancelBeat ??= this.#context.store.time.after(this.#options.heartbeat, () => {
      this.#cancelBeat = undefined;
      for (const connection of this.#connections) connection.beat();
      if (this.#connections.size > 0) this.#beat();
    });
  }

  #stopBeat(): void {
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
  }
}

/** The lease of a permit ends by itself if the store is away. */
async function release(permit: Permit): Promise<void> {
  await permit.release().catch(() => {});
}

function questionOf(request: IncomingMessage): { query: URLSearchParams; after: string | undefined } {
  const query = new URL(request.url ?? '/', 'http://stream').searchParams;
  const header = request.headers['last-event-id'];
  const after = (Array.isArray(header) ? header[0] : header) ?? query.get('after') ?? undefined;
  if (after !== undefined && after !== '' && !isPosition(after)) {
    throw new Refusal(400, "A position is such as '1700000000000-0'");
  }
  return { query, after: after === '' ? undefined : after };
}

/** Mistakes in what the client asked for are answered with 400. */
function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof KitError) throw new Refusal(400, error.message);
    throw error;
  }
}

const RETRY_SOON = { 'Retry-After': '5' };

/** An answer other than the stream. */
class Refusal extends Error {
  readonly #status: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(status: number, title: string, headers: Readonly<Record<string, string>> = {}) {
    super(title);
    this.#status = status;
    this.#headers = headers;
  }

  send(response: ServerResponse): void {
    response.writeHead(this.#status, { ...this.#headers, 'Content-Type': 'application/problem+json' });
    response.end(JSON.stringify({ title: this.message, status: this.#status }));
  }
}
