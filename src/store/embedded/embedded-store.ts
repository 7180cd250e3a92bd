import type { ConnectorClass } from '../connector/ioredis-connector.js';
import type { Listener, ListenOptions, StoreReplication, StoreSnapshot } from '../embedded-store.js';
import { StoreClient } from '../store-client.js';
import { StoreError } from '../store-error.js';
import type { CallOptions } from '../transport.js';
import type { EmbeddedTransport } from './embedded-transport.js';
import { Snapshots } from './snapshots.js';
import { SyncClient } from './sync-client.js';

/** A store on an engine in this process. In addition to the common methods it has synchronous calls. */
export class EmbeddedStoreClient extends StoreClient {
  readonly #transport: EmbeddedTransport;
  readonly sync: SyncClient;
  readonly replication: StoreReplication | undefined;

  constructor(
    transport: EmbeddedTransport,
    format = 0,
    options?: CallOptions,
    replication?: StoreReplication,
  ) {
    super(transport, format, options);
    this.#transport = transport;
    this.replication = replication;
    this.sync = new SyncClient(transport, format);
  }

  protected override view(format: number, options: CallOptions | undefined): EmbeddedStoreClient {
    return new EmbeddedStoreClient(this.#transport, format, options, this.replication);
  }

  override async duplicate(): Promise<EmbeddedStoreClient> {
    const transport = await this.#transport.duplicate();
    return new EmbeddedStoreClient(transport, this.format, this.options, this.replication);
  }

  snapshot(): StoreSnapshot {
    const transport = this.#transport;
    transport.assertOpen();
    this.#refuseOnReplica('snapshot');
    const restore = Snapshots.of(transport.embedded).take();
    return {
      restore: () => {
        transport.assertOpen();
        restore();
      },
    };
  }

  reset(): void {
    this.#transport.assertOpen();
    this.#refuseOnReplica('reset');
    Snapshots.of(this.#transport.embedded).reset();
  }

  /** The data of a replica is its master's. */
  #refuseOnReplica(method: string): void {
    if (this.replication === undefined) return;
    throw new StoreError('MISUSE', `${method}() would change the data of a replica: use it on the master`);
  }

  async listen(options: ListenOptions): Promise<Listener> {
    this.#transport.assertOpen();
    const { listen } = await import('./listen.js');
    return listen(this.#transport.embedded, options);
  }

  async syncFiles(): Promise<boolean> {
    this.#transport.assertOpen();
    try {
      return await this.#transport.embedded.syncFiles();
    } catch (error) {
      throw new StoreError('FILES', (error as Error).message, { cause: error });
    }
  }

  async connector(): Promise<ConnectorClass> {
    this.#transport.assertOpen();
    const { connectorOf } = await import('../connector/ioredis-connector.js');
    return connectorOf(this.#transport.embedded);
  }

  async unixSocket(): Promise<string> {
    this.#transport.assertOpen();
    const { unixSocketOf } = await import('../connector/unix-socket.js');
    return unixSocketOf(this.#transport.embedded);
  }
}
