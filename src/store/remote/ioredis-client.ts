import type { Cluster, Redis } from 'ioredis';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import type { RemoteLink } from './remote-driver.js';
import { decodeReply, errorOf, wireArguments } from './remote-values.js';

/** The library, loaded when the first remote store is opened. */
export type Ioredis = Pick<typeof import('ioredis'), 'Command'>;

type Command = InstanceType<Ioredis['Command']>;

/** Whatever ioredis can send a command with. */
type Client = Redis | Cluster;

/** The name in capitals keeps ioredis from making something else of arguments and replies. */
export function makeCommand(
  { Command }: Ioredis,
  client: Client,
  request: Request,
  readOnly = false,
): Command {
  const { keyPrefix } = client.options;
  const args = wireArguments(request);
  const command = new Command(request.command.words[0] as string, args, {
    replyEncoding: null,
    readOnly,
    ...(keyPrefix === undefined ? {} : { keyPrefix }),
  });
  // Looking for keys, ioredis puts `undefined` where they are missing. It is for Redis to say that they are.
  if (client.isCluster) command.getKeys();
  command.args.length = args.length;
  return command;
}

export async function sendCommand(
  ioredis: Ioredis,
  client: Client,
  request: Request,
  format: number,
  readOnly = false,
): Promise<Reply> {
  try {
    const command = makeCommand(ioredis, client, request, readOnly);
    return decodeReply(await client.sendCommand(command), format);
  } catch (error) {
    throw errorOf(error);
  }
}

/** All in one write; errors are values. */
export async function sendPipeline(
  ioredis: Ioredis,
  client: Redis,
  requests: readonly Request[],
  format: number,
): Promise<readonly Reply[]> {
  try {
    const pipeline = client.pipeline() as unknown as Batch;
    for (const request of requests) pipeline.sendCommand(makeCommand(ioredis, client, request));
    return decodePairs(await pipeline.exec(), format);
  } catch (error) {
    throw errorOf(error);
  }
}

/** MULTI, the requests, EXEC; null if a watched key had changed. */
export async function execute(
  ioredis: Ioredis,
  client: Client,
  requests: readonly Request[],
  format: number,
): Promise<readonly Reply[] | null> {
  try {
    const transaction = client.multi() as unknown as Batch;
    for (const request of requests) transaction.sendCommand(makeCommand(ioredis, client, request));
    const results = await transaction.exec();
    return results === null ? null : decodePairs(results, format);
  } catch (error) {
    throw aborted(error);
  }
}

/** What ioredis has of pipelines and transactions; its published types leave `sendCommand` out. */
interface Batch {
  sendCommand(command: Command): unknown;
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
}

function decodePairs(pairs: [Error | null, unknown][] | null, format: number): Reply[] {
  return (pairs ?? []).map(([error, reply]) => (error ? errorOf(error) : decodeReply(reply, format)));
}

/** EXECABORT, with the errors that led to it. */
function aborted(error: unknown): StoreError {
  const failure = errorOf(error);
  const { previousErrors } = error as { previousErrors?: readonly Error[] };
  if (previousErrors === undefined || previousErrors.length === 0) return failure;
  const results = previousErrors.map(errorOf);
  return new StoreError(failure.code, failure.message, { cause: results[0], results });
}

/** Waits until the client is connected, and gives it up if that takes too long or fails. */
export async function connectClient(client: Client, openMs: number): Promise<void> {
  let lastError: Error | undefined;
  // Without a listener ioredis writes errors to the console. They reach us through the commands that fail.
  client.on('error', (error: Error) => {
    lastError = error;
  });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${openMs} ms`)), openMs);
  });
  try {
    await Promise.race([client.connect(), timeout]);
  } catch (error) {
    client.disconnect();
    throw unreachable(client, lastError ?? (error as Error));
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(client: Client, error: Error): StoreError {
  if (error.name === 'ReplyError') return StoreError.fromReply(error.message, error);
  const { lastNodeError } = error as { lastNodeError?: Error };
  const reason = (lastNodeError ?? error).message || (error as NodeJS.ErrnoException).code || String(error);
  return new StoreError(
    'UNREACHABLE',
    `no Redis answers at ${placesOf(client)}: ${reason.replace(/\.$/, '')}. Check the address, and that the server runs.`,
    { cause: error },
  );
}

function placesOf(client: Client): string {
  if ('sentinels' in client.options && client.options.sentinels) {
    const { sentinels, name } = client.options;
    return `${sentinels.map(({ host, port }) => `${host}:${port}`).join(', ')} (master ${name})`;
  }
  if ('path' in client.options && client.options.path) return client.options.path;
  if ('host' in client.options) return `${client.options.host}:${client.options.port}`;
  return 'the nodes of the Cluster';
}

/** A connection that does not come back when it is lost. */
export class IoredisLink implements RemoteLink {
  readonly #ioredis: Ioredis;
  readonly #client: Redis;

  private constructor(ioredis: Ioredis, client: Redis) {
    this.#ioredis = ioredis;
    this.#client = client;
  }

  static async open(ioredis: Ioredis, model: Redis, openMs: number): Promise<IoredisLink> {
    const client = model.duplicate({
      lazyConnect: true,
      protocol: 2,
      stringNumbers: true,
      retryStrategy: null,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: undefined,
      enableAutoPipelining: false,
    });
    await connectClient(client, openMs);
    return new IoredisLink(ioredis, client);
  }

  send(request: Request, format: number): Promise<Reply> {
    return sendCommand(this.#ioredis, this.#client, request, format);
  }

  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return execute(this.#ioredis, this.#client, requests, format);
  }

  get isAlive(): boolean {
    return this.#client.status === 'ready';
  }

  close(): void {
    this.#client.disconnect();
  }
}
