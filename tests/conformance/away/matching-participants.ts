/** Rows of `PARTICIPANTS`: search and matching. */
import { searchIndex } from '../../../src/kit/search/index.js';
import type { Participant } from './participants.js';

const texts: Participant = {
  name: 'searchIndex',
  prepare: async (store, space) => {
    const index = searchIndex(store, space, { fields: { body: 'text' } });
    await index.index('1', { body: 'word' });
    return {
      calls: {
        index: () => index.index('1', { body: 'word' }),
        indexAll: () => index.indexAll([['2', { body: 'word' }]]),
        remove: () => index.remove('2'),
        get: () => index.get('1'),
        search: () => index.search('word'),
        size: () => index.size(),
        clear: () => index.clear(),
      },
      works: () => index.search('word'),
    };
  },
};

export const MATCHING_PARTICIPANTS: readonly Participant[] = [texts];
