import { EmbeddedEngine } from './embedded/embedded-engine.js';
import { EmbeddedStoreClient } from './embedded/embedded-store.js';
import { EmbeddedTransport } from './embedded/embedded-transport.js';
import type { EmbeddedOptions, OpenOptions, RemoteOptions } from './options.js';
import type { EmbeddedStore, Store } from './store.js';
import { StoreError } from './store-error.js';

export function open(
  address?: 'memory:' | `file:${string}`,
  options?: EmbeddedOptions,
): Promise<EmbeddedStore>;
export function open(address: string | object, options?: RemoteOptions): Promise<Store>;
export function open(address?: string | object, options?: OpenOptions): Promise<Store>;
/**
 * Opens a store.
 *
 * @example
 * import { open } from 'sorrel';
 *
 * await using store = await open();
 * await store.send('SET', 'greeting', 'hello');
 * await store.send('GET', 'greeting'); // 'hello'
 */
export async function open(address: string | object = 'memory:', options: OpenOptions = {}): Promise<Store> {
  if (address !== 'memory:') throw new StoreError('ADDRESS', `'${String(address)}' cannot be opened yet`);
  return openMemory(options);
}

function openMemory(options: EmbeddedOptions): EmbeddedStore {
  const embedded = new EmbeddedEngine(options);
  return asStore(new EmbeddedStoreClient(new EmbeddedTransport(embedded, options.database ?? 0)));
}

/** The class holds for every shape at once; the interface says what this one gives. */
function asStore(client: object): EmbeddedStore {
  return client as EmbeddedStore;
}
