import type { open, Store } from '../../../src/store/index.js';

/** Opens a store while connections are being cut, including new ones. */
export async function openAnyway(how: typeof open, address: string): Promise<Store> {
  for (;;) {
    try {
      return await how(address);
    } catch (error) {
      if ((error as { code?: string }).code !== 'UNREACHABLE') throw error;
    }
  }
}
