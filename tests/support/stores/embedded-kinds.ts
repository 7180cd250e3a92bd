import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type Store } from '../../../src/store/index.js';
import type { StoreKind, StoreSite } from './sites.js';

/** The engine is closed with its last store, so the site keeps one store. The others are its duplicates. */
function siteOf(first: Store, afterwards: () => void = () => {}): StoreSite {
  return {
    open: () => first.duplicate(),
    askAll: async (name, ...args) => [await first.send(name, ...args)],
    stop: async () => {
      await first.close();
      afterwards();
    },
  };
}

const EMBEDDED = { skip: false, isCluster: false, isEmbedded: true } as const;

export const inMemory: StoreKind = {
  ...EMBEDDED,
  name: 'in memory',
  start: async () => siteOf(await open('memory:')),
};

export const inFiles: StoreKind = {
  ...EMBEDDED,
  name: 'in files',
  start: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-store-'));
    return siteOf(await open(`file:${folder}`), () => rmSync(folder, { recursive: true, force: true }));
  },
};
