import { isUtf8 } from 'node:buffer';
import type { WireCommand } from '../command-runner.js';
import { execOutcome } from '../exec-outcome.js';
import { StoreError } from '../store-error.js';
import { aborted, throwIfAborted } from '../time.js';
import type { ChannelKind, Closable, MessageListener, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import { pauseBefore } from './reconnecting.js';
import type { LinkSource, RemoteLink } from './remote-driver.js';
import {
  connectionLost,
  decodeReply,
  errorOf,
  isReplyError,
  notConnected,
  wireArgument,
  wireArguments,
} from './remote-values.js';

type Words = readonly (string | Buffer)[];

type NodeRedisListener = (message: Buffer, channel: Buffer) => void;

/** The part of a node-redis client that is used here. The package itself need not be installed. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  readonly options?: object;
  duplicate(overrides?: object): NodeRedisClient;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  sendCommand(args: Words, options?: object): Promise<unknown>;
  withTypeMapping(mapping: object): unknown;
  subscribe(channel: string, listener: NodeRedisListener, bufferMode: true): Promise<void>;
  pSubscribe(pattern: string, listener: NodeRedisListener, bufferMode: true): Promise<void>;
  sSubscribe(channel: string, listener: NodeRedisListener, bufferMode: true): Promise<void>;
}

const MULTI: WireCommand = { words: ['MULTI'] };
const EXEC: WireCommand = { words: ['EXEC'] };

/** By the first byte of a RESP reply: strings as buffers, integers as text. */
const TYPE_MAPPING = { 43: Buffer, 36: Buffer, 58: String };
const COMMAND_OPTIONS = { typeMapping: TYPE_MAPPING };

/** Use RESP2, and switch off features that need RESP3. */
const OWN_OPTIONS = { RESP: 2, clientSideCache: undefined, maintNotifications: 'disabled' };

/** Makes connections to the server of a given node-redis client. The client itself is not used or closed. */
export class NodeRedisSource implements LinkSource {
  readonly kind = 'standalone';
  readonly server: string;
  readonly #model: NodeRedisClient;
  readonly #openMs: number;

  constructor(model: NodeRedisClient, openMs: number) {
    this.#model = model;
    this.#openMs = openMs;
    this.server = serverOf(model);
  }

  pauseBefore(attempt: number): number | null {
    return pauseBefore(attempt);
  }

  async connect(signal?: AbortSignal): Promise<RemoteLink> {
    const client = this.#newClient();
    await connectClient(client, this.#openMs, signal);
    return new NodeRedisLink(client, this.server);
  }

  /** Creates a client that is not connected yet. It must not reconnect: commands after MULTI would run outside it. */
  #newClient(socket: object = {}): NodeRedisClient {
    const { options } = this.#model as { options?: { socket?: object } };
    return this.#model.duplicate({
      ...OWN_OPTIONS,
      socket: { ...options?.socket, ...socket, reconnectStrategy: false },
    });
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable> {
    const client = this.#newClient();
    await connectClient(client, this.#openMs, signal);
    let isClosing = false;
    const stop = (): void => {
      isClosing = true;
      destroy(client);
    };
    whenLost(client, () => {
      if (isClosing) return;
      stop();
      listener.ended(new StoreError('UNREACHABLE', 'the connection of the subscription was lost'));
    });
    try {
      await Promise.all(names.map((name) => listenTo(client, kind, wireArgument(name), listener)));
    } catch (error) {
      stop();
      throw errorOf(error);
    }
    return { close: async () => stop() };
  }
}

function serverOf({ options }: NodeRedisClient): string {
  const { socket } = (options ?? {}) as { socket?: { host?: string; port?: number; path?: string } };
  return socket?.path ?? `${socket?.host ?? 'localhost'}:${socket?.port ?? 6379}`;
}

/** Calls the listener once, when the client has lost its connection. */
function whenLost(client: NodeRedisClient, listener: (error: Error | undefined) => void): void {
  let isOver = false;
  const lose = (error: unknown): void => {
    if (isOver || client.isReady) return;
    isOver = true;
    listener(error instanceof Error ? error : undefined);
  };
  client.on('error', lose);
  client.on('end', lose);
}

class NodeRedisLink implements RemoteLink {
  readonly #client: NodeRedisClient;
  readonly #server: string;

  constructor(client: NodeRedisClient, server: string) {
    this.#client = client;
    this.#server = server;
  }

  async send(request: Request, format: number): Promise<Reply> {
    if (!this.isAlive) throw notConnected(this.#server);
    try {
      const words = [request.command.words[0] as string, ...wireArguments(request)];
      return decodeReply(await this.#client.sendCommand(words, COMMAND_OPTIONS), format);
    } catch (error) {
      throw isReplyError(error) ? errorOf(error) : connectionLost(this.#server, error, [request]);
    }
  }

  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return Promise.all(requests.map((request) => this.send(request, format).catch(errorOf)));
  }

  async execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    const all = [{ command: MULTI, args: [] }, ...requests, { command: EXEC, args: [] }];
    const replies = await this.sendMany(all, format);
    const outcome = replies.at(-1) as Reply;
    if (outcome instanceof StoreError && outcome.code === 'UNREACHABLE') throw outcome;
    return execOutcome(outcome, replies.slice(1, -1));
  }

  get isAlive(): boolean {
    return this.#client.isReady;
  }

  onEnd(listener: (error: Error | undefined) => void): void {
    whenLost(this.#client, listener);
  }

  close(): void {
    destroy(this.#client);
  }
}

function listenTo(
  client: NodeRedisClient,
  kind: ChannelKind,
  name: string | Buffer,
  listener: MessageListener,
): Promise<void> {
  const text = String(name);
  if (typeof name !== 'string' && !isUtf8(name)) {
    throw new StoreError(
      'MISUSE',
      'node-redis can only subscribe to channel names in UTF-8: open the store by address instead',
    );
  }
  switch (kind) {
    case 'monitor':
      throw new StoreError('MISUSE', 'MONITOR needs a store that was opened by address or with ioredis');
    case 'channel':
      return client.subscribe(text, (message, channel) => listener.message(channel, message, null), true);
    case 'shard':
      return client.sSubscribe(text, (message, channel) => listener.message(channel, message, null), true);
    case 'pattern': {
      const pattern = Buffer.from(name);
      return client.pSubscribe(text, (message, channel) => listener.message(channel, message, pattern), true);
    }
  }
}

async function connectClient(client: NodeRedisClient, openMs: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
    fail(error);
  });
  let timer: NodeJS.Timeout | undefined;
  let fail: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
    timer = setTimeout(() => reject(lastError ?? new Error(`no answer within ${openMs} ms`)), openMs);
  });
  failure.catch(() => {});
  const onAbort = (): void => fail(aborted(signal as AbortSignal));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([client.connect(), failure]);
  } catch (error) {
    destroy(client);
    // The client may still connect after this: close it then.
    client.on('connect', () => destroy(client));
    if (isReplyError(error)) throw errorOf(error);
    const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
    throw new StoreError(
      'UNREACHABLE',
      `no Redis answers at the address of the node-redis client: ${reason}. Check its options and that the server is running.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function destroy(client: NodeRedisClient): void {
  try {
    client.destroy();
  } catch {
    // node-redis throws if the client is already closed.
  }
}
