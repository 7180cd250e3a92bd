import type { Redis, RedisOptions } from 'ioredis';
import { EngineClosed, isEngineClosed } from '../connector/engine-closed.js';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import { connectClient, disconnectClient } from './ioredis-connecting.js';
import type { RemoteLink } from './remote-driver.js';
import {
  connectionLost,
  decodeReply,
  errorOf,
  isReplyError,
  notConnected,
  wireArguments,
} from './remote-values.js';

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

/** A pipeline or transaction of ioredis. Its published types leave out `sendCommand`. */
interface Batch {
  sendCommand(command: Command): unknown;
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
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

/** A connection that is not made again when it is lost. */
export class IoredisLink implements RemoteLink {
  readonly #ioredis: Ioredis;
  readonly #client: Redis;
  readonly #server: string;
  #lastError: Error | undefined;

  private constructor(ioredis: Ioredis, client: Redis, server: string) {
    this.#ioredis = ioredis;
    this.#client = client;
    this.#server = server;
    client.on('error', (error: Error) => {
      this.#lastError = error;
    });
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

  async send(request: Request, format: number): Promise<Reply> {
    this.#assertAlive();
    try {
      return decodeReply(await this.#client.sendCommand(this.#command(request)), format);
    } catch (error) {
      throw this.#failure(error, [request]);
    }
  }

  async sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    this.#assertAlive();
    try {
      const pipeline = this.#client.pipeline() as unknown as Batch;
      for (const request of requests) pipeline.sendCommand(this.#command(request));
      const pairs = (await pipeline.exec()) ?? [];
      return pairs.map(([error, reply], index) =>
        error === null ? decodeReply(reply, format) : this.#failure(error, [requests[index] as Request]),
      );
    } catch (error) {
      throw this.#failure(error, requests);
    }
  }

  /** MULTI, the requests, EXEC; null if a watched key had changed. */
  async execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    this.#assertAlive();
    try {
      const transaction = this.#client.multi() as unknown as Batch;
      for (const request of requests) transaction.sendCommand(this.#command(request));
      const pairs = await transaction.exec();
      if (pairs === null) return null;
      return pairs.map(([error, reply]) => (error === null ? decodeReply(reply, format) : errorOf(error)));
    } catch (error) {
      throw this.#refusal(error, requests);
    }
  }

  #command(request: Request): Command {
    return makeCommand(this.#ioredis, this.#client, request);
  }

  #assertAlive(): void {
    if (!this.isAlive) throw notConnected(this.#server);
  }

  #failure(error: unknown, requests: readonly Request[]): StoreError {
    if (isReplyError(error)) return errorOf(error);
    if (isEngineClosed(this.#client.options.Connector)) return new EngineClosed();
    return connectionLost(this.#server, this.#lastError ?? error, requests);
  }

  /** With EXECABORT, ioredis also reports the errors that caused it. */
  #refusal(error: unknown, requests: readonly Request[]): StoreError {
    const failure = this.#failure(error, requests);
    const { previousErrors } = error as { previousErrors?: readonly Error[] };
    if (previousErrors === undefined || previousErrors.length === 0) return failure;
    const results = previousErrors.map(errorOf);
    return new StoreError(failure.code, failure.message, { cause: results[0], results });
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
