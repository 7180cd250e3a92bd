import type { ConnectorClass } from '../connector/ioredis-connector.js';
import type { Listener, ListenOptions, StoreSnapshot } from '../store.js';
import { StoreClient } from '../store-client.js';
import type { CallOptions } from '../transport.js';
import type { EmbeddedTransport } from './embedded-transport.js';
import { Snapshots } from './snapshots.js';
import { SyncClient } from './sync-client.js';

/** A store on an engine in this process. In addition to the common methods it has synchronous calls. */
export class EmbeddedStoreClient extends StoreClient {
  readonly #transport: EmbeddedTransport;
  readonly sync: SyncClient;

  constructor(transport: EmbeddedTransport, format = 0, options?: CallOptions) {
    super(transport, format, options);
    this.#transport = transport;
    this.sync = new SyncClient(transport, format);
  }

  protected override view(format: number, options: CallOptions | undefined): EmbeddedStoreClient {
    return new EmbeddedStoreClient(this.#transport, format, options);
  }

  override async duplicate(): Promise<EmbeddedStoreClient> {
    return new EmbeddedStoreClient(await this.#transport.duplicate(), this.format, this.options);
  }

  snapshot(): StoreSnapshot {
    const transport = this.#transport;
    transport.assertOpen();
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
    Snapshots.of(this.#transport.embedded).reset();
  }

  async listen(options: ListenOptions): Promise<Listener> {
    this.#transport.assertOpen();
    const { listen } = await import('./listen.js');
    return listen(this.#transport.embedded, options);
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
