import { isUtf8 } from 'node:buffer';
import type { WireCommand } from '../command-runner.js';
import { execOutcome } from '../exec-outcome.js';
import { StoreError } from '../store-error.js';
import { aborted, throwIfAborted } from '../time.js';
import type { ChannelKind, Closable, MessageListener, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import type { RemoteDriver, RemoteLink } from './remote-driver.js';
import { decodeReply, errorOf, wireArgument, wireArguments } from './remote-values.js';

type Words = readonly (string | Buffer)[];

type NodeRedisListener = (message: Buffer, channel: Buffer) => void;

/** As much of a node-redis client as is needed: the package itself is not. */
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

/** By the bytes that RESP begins replies with: strings as buffers, integers as text. */
const TYPE_MAPPING = { 43: Buffer, 36: Buffer, 58: String };
const COMMAND_OPTIONS = { typeMapping: TYPE_MAPPING };

/** RESP2, and none of what needs RESP3. */
const OWN_OPTIONS = { RESP: 2, clientSideCache: undefined, maintNotifications: 'disabled' };

/** A server that a node-redis client was made for. */
export class NodeRedisDriver implements RemoteDriver {
  readonly kind = 'standalone';
  readonly #client: NodeRedisClient;
  readonly #openMs: number;
  #transactions: Promise<RemoteLink> | undefined;

  private constructor(client: NodeRedisClient, openMs: number) {
    this.#client = client;
    this.#openMs = openMs;
  }

  /** Makes a client like the one given, which is left alone. */
  static async open(model: NodeRedisClient, openMs: number, signal?: AbortSignal): Promise<NodeRedisDriver> {
    const client = model.duplicate(OWN_OPTIONS);
    await connectClient(client, openMs, signal);
    return new NodeRedisDriver(client, openMs);
  }

  send(request: Request, format: number): Promise<Reply> {
    return sendCommand(this.#client, request, format);
  }

  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return Promise.all(requests.map((request) => this.send(request, format).catch(errorOf)));
  }

  async execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return (await this.#transactionLink()).execute(requests, format);
  }

  /** One connection for all transactions, another one when it is lost. */
  async #transactionLink(): Promise<RemoteLink> {
    const last = this.#transactions;
    const link = await last?.catch(() => undefined);
    if (link?.isAlive === true) return link;
    // Whoever comes meanwhile waits for the same one.
    if (this.#transactions === last) this.#transactions = this.connect();
    return this.#transactions as Promise<RemoteLink>;
  }

  keyOf(): undefined {
    return undefined;
  }

  placeOf(): string {
    return '';
  }

  async connect(): Promise<RemoteLink> {
    const client = this.#client.duplicate({ ...OWN_OPTIONS, ...withoutReconnecting(this.#client) });
    await connectClient(client, this.#openMs);
    return {
      send: (request, format) => sendCommand(client, request, format),
      execute: (requests, format) => execute(client, requests, format),
      get isAlive() {
        return client.isReady;
      },
      close: () => destroy(client),
    };
  }

  async refresh(): Promise<void> {}

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ): Promise<Closable> {
    const client = this.#client.duplicate(OWN_OPTIONS);
    await connectClient(client, this.#openMs);
    try {
      await Promise.all(names.map((name) => listenTo(client, kind, wireArgument(name), listener)));
    } catch (error) {
      destroy(client);
      throw errorOf(error);
    }
    return { close: async () => destroy(client) };
  }

  servers(): readonly Pick<RemoteDriver, 'send'>[] {
    return [this];
  }

  duplicate(): Promise<NodeRedisDriver> {
    return NodeRedisDriver.open(this.#client, this.#openMs);
  }

  async close(): Promise<void> {
    destroy(this.#client);
    (await this.#transactions?.catch(() => undefined))?.close();
  }
}

async function sendCommand(client: NodeRedisClient, request: Request, format: number): Promise<Reply> {
  try {
    const words = [request.command.words[0] as string, ...wireArguments(request)];
    return decodeReply(await client.sendCommand(words, COMMAND_OPTIONS), format);
  } catch (error) {
    throw errorOf(error);
  }
}

/** On a connection that does not come back: what was sent after MULTI would run by itself on another one. */
async function execute(
  client: NodeRedisClient,
  requests: readonly Request[],
  format: number,
): Promise<readonly Reply[] | null> {
  const all = [{ command: MULTI, args: [] }, ...requests, { command: EXEC, args: [] }];
  const replies = await Promise.all(
    all.map((request) => sendCommand(client, request, format).catch(errorOf)),
  );
  return execOutcome(replies.at(-1) as Reply, replies.slice(1, -1));
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
      'node-redis listens only to channels whose names are UTF-8: open the address of the server instead',
    );
  }
  switch (kind) {
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

/** The client's socket options, but one try only. */
function withoutReconnecting({ options }: NodeRedisClient): object {
  const { socket } = (options ?? {}) as { socket?: object };
  return { socket: { ...socket, reconnectStrategy: false } };
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
    // It connects all the same if it was about to.
    client.on('connect', () => destroy(client));
    const known = errorOf(error);
    if (known.code !== 'UNREACHABLE' && known.code !== 'CLOSED' && known.code !== 'TIMEOUT') throw known;
    const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
    throw new StoreError(
      'UNREACHABLE',
      `no Redis answers where the node-redis client points to: ${reason}. Check its options, and that the server runs.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Closing twice is no error here. */
function destroy(client: NodeRedisClient): void {
  try {
    client.destroy();
  } catch {
    // It was closed already.
  }
}
