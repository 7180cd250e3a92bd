import { inMemory } from './embedded-kinds.js';
import type { StoreKind } from './sites.js';

export type { StoreKind, StoreSite } from './sites.js';

/** Every kind of store there is. */
export const STORE_KINDS: readonly StoreKind[] = [inMemory];
