import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { StoreError } from '../../store-error.js';
import { aborted, throwIfAborted } from '../../time.js';

type Client = Redis | Cluster;

/** Waits until the client is connected. Closes it if that fails, takes too long or the signal aborts. */
export async function connectClient(client: Client, openMs: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const problems = new Problems(client);
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const ready = new Promise<void>((resolve, reject) => {
    // If a Cluster was down at first, `connect()` may fail although another connection becomes ready.
    client.once('ready', () => resolve());
    timer = setTimeout(() => reject(new Error(`no answer within ${openMs} ms${tlsAdvice(client)}`)), openMs);
    onAbort = () => reject(aborted(signal as AbortSignal));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  ready.catch(() => {});
  try {
    await Promise.race([client.connect(), ready]);
    problems.throwRefusal();
  } catch (error) {
    disconnectClient(client);
    throw error instanceof StoreError ? error : problems.explain(error as Error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Closes the client at once. `disconnect()` alone would wait until the server closes its side. */
export function disconnectClient(client: Client): void {
  const connections = client.isCluster ? (client as Cluster).nodes() : [client as Redis];
  client.disconnect();
  for (const { stream } of connections) stream?.destroy();
}

/** Collects errors while a client connects. ioredis reports details only in events, not in the errors it throws. */
class Problems {
  readonly #client: Client;
  #last: Error | undefined;
  #ofSentinel: Error | undefined;

  constructor(client: Client) {
    this.#client = client;
    // Without a listener ioredis writes errors to the console. The store learns of later errors from failing commands.
    client.on('error', (error: Error) => {
      this.#last = error;
    });
    client.on('sentinelError', (error: Error) => {
      this.#ofSentinel = error;
    });
  }

  /** Throws if the server refused something, for example a database that does not exist: ioredis would use database 0. */
  throwRefusal(): void {
    const error = this.#last;
    if (error?.name !== 'ReplyError') return;
    const { db } = this.#client.options as RedisOptions;
    const advice = /DB index|SELECT is not allowed/i.test(error.message) ? ` (database ${db})` : '';
    throw StoreError.fromReply(`${error.message}${advice}`, error);
  }

  explain(thrown: Error): StoreError {
    const error = this.#last ?? thrown;
    if (error instanceof StoreError) return error;
    if (error.name === 'ReplyError') return StoreError.fromReply(error.message, error);
    const reason = (this.#reason(error) || String(error)).replace(/\.$/, '');
    return new StoreError(
      'UNREACHABLE',
      `no Redis answers at ${placesOf(this.#client)}: ${reason}. ${ADVICE}`,
      {
        cause: error,
      },
    );
  }

  #reason(error: Error): string | undefined {
    const { lastNodeError } = error as { lastNodeError?: Error };
    if (lastNodeError !== undefined) {
      const { message } = lastNodeError;
      if (/cluster support disabled|unknown command/.test(message))
        return `${message}; a single server is redis://host`;
      return IS_CLOSED.test(message) ? REFUSED : message;
    }
    const sentinel = this.#ofSentinel?.message;
    if (sentinel === undefined || !/sentinels are unreachable/.test(error.message)) return messageOf(error);
    if (/invalid reply/.test(sentinel)) return 'the Sentinels do not know a master of that name';
    return sentinel.replace(
      /because Connection is closed\.$/,
      'because the connection was refused or closed',
    );
  }
}

const ADVICE = 'Check the address and that the server is running.';
const REFUSED = 'the connection was refused or closed';
const IS_CLOSED = /^Connection is closed/;

/** An error for several attempts at once (IPv4 and IPv6) has only a code. */
function messageOf(error: Error): string | undefined {
  return error.message || (error as NodeJS.ErrnoException).code;
}

function tlsAdvice({ options }: Client): string {
  return (options as RedisOptions).tls === undefined ? '' : ', perhaps because it does not speak TLS';
}

/** The server's name in error texts. */
export function placesOf(client: Client): string {
  if (client.isCluster) return 'the nodes of the Cluster';
  const { sentinels, name, path, host, port } = client.options as RedisOptions;
  if (sentinels) return `${sentinels.map((sentinel) => placeOf(sentinel)).join(', ')} (master ${name})`;
  return path || placeOf({ host, port });
}

function placeOf({
  host = '',
  port,
}: {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
