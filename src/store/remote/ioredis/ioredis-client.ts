import type { Redis, RedisOptions } from 'ioredis';
import { EngineClosed, isEngineClosed } from '../../connector/engine-closed.js';
import { StoreError } from '../../store-error.js';
import type { Reply, Request } from '../../transport.js';
import type { RemoteLink } from '../remote-driver.js';
import { connectionLost, notConnected, wireArgument, wireArguments } from '../remote-values.js';
import { connectClient, disconnectClient } from './ioredis-connecting.js';
import { type Answered, RequestLine } from './request-line.js';

/** The library. It is loaded when the first remote store is opened. */
export type Ioredis = Pick<typeof import('ioredis'), 'Command' | 'Redis'>;

type Command = InstanceType<Ioredis['Command']>;

/** With the name in capitals, ioredis does not transform arguments and replies. */
export function makeCommand(
  { Command }: Ioredis,
  { options: { keyPrefix } }: { readonly options: Pick<RedisOptions, 'keyPrefix'> },
  request: Request,
): Command {
  const args = wireArguments(request);
  const command = new Command(request.command.words[0] as string, args, {
    replyEncoding: null,
    ...(keyPrefix === undefined ? {} : { keyPrefix }),
  });
  // When ioredis looks for keys, it may add `undefined` for missing ones. Remove it, so that Redis reports the error.
  command.args.length = args.length;
  return command;
}

/** Options of a store's connections: RESP2, integers as text. ioredis does not queue, repeat or reconnect by itself. */
export const LINK_OPTIONS = {
  lazyConnect: true,
  protocol: 2,
  replyMapping: 'legacy',
  stringNumbers: true,
  retryStrategy: null,
  sentinelRetryStrategy: () => null,
  reconnectOnError: null,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
  socketTimeout: undefined,
  blockingTimeout: undefined,
} as const satisfies RedisOptions;

/**
 * A connection that is not made again when it is lost. ioredis makes it (address, TLS, Sentinels, password, database); then
 * requests are written to its stream and replies read from it directly, which takes about half of the time.
 */
export class IoredisLink implements RemoteLink {
  readonly #ioredis: Ioredis;
  readonly #client: Redis;
  readonly #server: string;
  readonly #line: RequestLine;
  readonly #hasPrefix: boolean;
  #lastError: Error | undefined;

  private constructor(ioredis: Ioredis, client: Redis, server: string) {
    this.#ioredis = ioredis;
    this.#client = client;
    this.#server = server;
    this.#line = new RequestLine(client.stream);
    this.#hasPrefix = (client.options.keyPrefix ?? '') !== '';
    client.on('error', (error: Error) => {
      this.#lastError = error;
    });
    client.once('end', () => this.#line.end());
  }

  /** Connects the client, which must have been created with `LINK_OPTIONS` and is used for nothing else. */
  static async open(
    ioredis: Ioredis,
    client: Redis,
    server: string,
    openMs: number,
    signal?: AbortSignal,
  ): Promise<IoredisLink> {
    await connectClient(client, openMs, signal);
    return new IoredisLink(ioredis, client, server);
  }

  /** Not `async`, since every command comes through here and each promise costs time. */
  send(request: Request, format: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#assertAlive();
      this.#write(request, format, (reply) => {
        if (reply === undefined) reject(this.#lost([request]));
        else if (reply instanceof StoreError) reject(reply);
        else resolve(reply);
      });
    });
  }

  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return new Promise((resolve) => {
      this.#assertAlive();
      checkArguments(requests);
      const replies: Reply[] = [];
      if (requests.length === 0) resolve(replies);
      for (const request of requests) {
        this.#write(request, format, (reply) => {
          replies.push(reply === undefined ? this.#lost([request]) : reply);
          if (replies.length === requests.length) resolve(replies);
        });
      }
    });
  }

  /** MULTI, the requests, EXEC; null if a watched key had changed. */
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return new Promise((resolve, reject) => {
      this.#assertAlive();
      checkArguments(requests);
      const refused: StoreError[] = [];
      const queued = (reply: Reply | undefined): void => {
        if (reply instanceof StoreError) refused.push(reply);
      };
      this.#write(MULTI, 0, queued);
      for (const request of requests) this.#write(request, 0, queued);
      this.#write(EXEC, format, (reply) => {
        if (reply === undefined) reject(this.#lost(requests));
        else if (reply instanceof StoreError) reject(withResults(reply, refused));
        else resolve(reply as readonly Reply[] | null);
      });
    });
  }

  #write(request: Request, format: number, answered: Answered): void {
    const { words } = request.command;
    if (!this.#hasPrefix) {
      this.#line.send(words, request.args, format, answered);
      return;
    }
    // ioredis finds the keys.
    const { args } = makeCommand(this.#ioredis, this.#client, request);
    this.#line.send(words.slice(0, 1), args as (string | Buffer)[], format, answered);
  }

  #assertAlive(): void {
    if (!this.isAlive) throw notConnected(this.#server);
  }

  #lost(requests: readonly Request[]): StoreError {
    if (isEngineClosed(this.#client.options.Connector)) return new EngineClosed();
    return connectionLost(this.#server, this.#lastError, requests);
  }

  get isAlive(): boolean {
    return this.#client.status === 'ready' && this.#client.stream.writable;
  }

  onEnd(listener: (error: Error | undefined) => void): void {
    this.#client.once('end', () => listener(this.#lastError));
  }

  close(): void {
    disconnectClient(this.#client);
  }
}

const MULTI: Request = { command: { words: ['MULTI'] }, args: [] };
const EXEC: Request = { command: { words: ['EXEC'] }, args: [] };

/** Throws if one of them has an invalid argument, so that none is sent. */
function checkArguments(requests: readonly Request[]): void {
  for (const { args } of requests) for (const arg of args) wireArgument(arg);
}

/** With EXECABORT, the errors that caused it. */
function withResults(error: StoreError, refused: readonly StoreError[]): StoreError {
  if (refused.length === 0) return error;
  return new StoreError(error.code, error.message, { cause: refused[0], results: refused });
}
