import { openWorker } from '../../../src/store/index.js';
import type { StoreKind } from './sites.js';

export const inWorker: StoreKind = {
  name: 'in a thread of its own',
  skip: false,
  isCluster: false,
  isEmbedded: true,
  start: async () => {
    const worker = await openWorker();
    const asking = await worker.open();
    return {
      open: () => worker.open(),
      askAll: async (name, ...args) => [await asking.send(name, ...args)],
      stop: () => worker.close(),
    };
  },
};
