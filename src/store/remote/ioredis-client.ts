import type { Cluster, Redis } from 'ioredis';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import { connectClient } from './ioredis-connecting.js';
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
