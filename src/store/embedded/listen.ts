import type { Listener, ListenOptions } from '../store.js';
import { StoreError } from '../store-error.js';
import type { EmbeddedEngine } from './embedded-engine.js';

export async function listen(_embedded: EmbeddedEngine, _options: ListenOptions): Promise<Listener> {
  throw new StoreError('MISUSE', 'not yet');
}
