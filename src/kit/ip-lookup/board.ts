import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows datasets of addresses. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'ip-lookup', title: 'IP lookup', about: 'ranges of addresses and places', prefix: 'ip' },
    nameOf: () => 'current',
    parts: {
      datasets: { type: 'hash', title: 'Datasets' },
      directory: { type: 'string', title: 'Directory', isInternal: true },
      page: { type: 'string', title: 'Page', isInternal: true },
      shard: { type: 'hash', title: 'Places', isInternal: true },
      layout: { type: 'hash', title: 'Layout', isInternal: true },
      shards: { type: 'set', title: 'Shards', isInternal: true },
    },
  }),
];
