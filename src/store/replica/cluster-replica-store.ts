import { ReplyFormat } from '../../resp/reply-reader.js';
import { SyncClient } from '../embedded/sync-client.js';
import type { StoreReplication } from '../embedded-store.js';
import { keyScanWords, SCAN, scanPage } from '../scanning.js';
import type { KeyScanOptions } from '../store.js';
import { StoreClient } from '../store-client.js';
import { StoreError } from '../store-error.js';
import type { CallOptions, Reply } from '../transport.js';
import type { ClusterReplicaTransport } from './cluster-replica-transport.js';

/** A store that is a replica of a Cluster. It has several engines, so that it cannot be served or saved as one. */
export class ClusterReplicaStore extends StoreClient {
  readonly #transport: ClusterReplicaTransport;
  readonly sync: SyncClient;

  constructor(transport: ClusterReplicaTransport, format = 0, options?: CallOptions) {
    super(transport, format, options);
    this.#transport = transport;
    this.sync = new ClusterSyncClient(transport, format);
  }

  get replication(): StoreReplication {
    return this.#transport.replica;
  }

  protected override view(format: number, options: CallOptions | undefined): ClusterReplicaStore {
    return new ClusterReplicaStore(this.#transport, format, options);
  }

  override async duplicate(): Promise<ClusterReplicaStore> {
    return new ClusterReplicaStore(await this.#transport.duplicate(), this.format, this.options);
  }

  snapshot(): never {
    throw changesData('snapshot');
  }

  reset(): never {
    throw changesData('reset');
  }

  async listen(): Promise<never> {
    throw servesEngine('listen');
  }

  async connector(): Promise<never> {
    throw servesEngine('connector');
  }

  async unixSocket(): Promise<never> {
    throw servesEngine('unixSocket');
  }

  /** There are no files. */
  async syncFiles(): Promise<boolean> {
    this.#transport.assertOpen();
    return false;
  }
}

/** SCAN goes through the engines one after the other. */
class ClusterSyncClient extends SyncClient {
  readonly #transport: ClusterReplicaTransport;
  readonly #format: number;

  constructor(transport: ClusterReplicaTransport, format: number) {
    super(transport, format);
    this.#transport = transport;
    this.#format = format;
  }

  override get bytes(): ClusterSyncClient {
    return new ClusterSyncClient(this.#transport, this.#format | ReplyFormat.bytes);
  }

  override get exact(): ClusterSyncClient {
    return new ClusterSyncClient(this.#transport, this.#format | ReplyFormat.exact);
  }

  override *scan(options: KeyScanOptions = {}): Generator<Reply> {
    const words = keyScanWords(options);
    for (const shard of this.#transport.replica.shards) {
      let cursor = '0';
      do {
        const page = scanPage(
          this.#transport.scanNow(shard, { command: SCAN, args: [cursor, ...words] }, this.#format),
        );
        yield* page.items;
        cursor = page.cursor;
      } while (cursor !== '0');
    }
  }
}

function changesData(method: string): StoreError {
  return new StoreError('MISUSE', `${method}() would change the data of a replica: use it on the master`);
}

function servesEngine(method: string): StoreError {
  return new StoreError(
    'MISUSE',
    `${method}() serves one engine, and a replica of a Cluster has one for each master: connect to the Cluster itself`,
  );
}
