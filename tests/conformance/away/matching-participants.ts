/** Rows of `PARTICIPANTS`: search and matching. */
import { adIndex } from '../../../src/kit/ads/index.js';
import { jobIndex } from '../../../src/kit/jobs/index.js';
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

const advertising: Participant = {
  name: 'adIndex',
  prepare: async (store, space) => {
    const ads = adIndex(store, space);
    const ad = { locations: ['a'], content: 'word', cpc: 1 } as const;
    const page = { locations: ['a'], content: 'word' };
    await ads.add('1', ad);
    const [placement] = await ads.target(page);
    const target = placement?.target ?? '';
    return {
      calls: {
        add: () => ads.add('1', ad),
        remove: () => ads.remove('2'),
        get: () => ads.get('1'),
        target: () => ads.target(page),
        click: () => ads.click(target),
        action: () => ads.action(target),
        statistics: () => ads.statistics('1'),
        size: () => ads.size(),
        clear: () => ads.clear(),
      },
      works: () => ads.target(page),
    };
  },
};

const openings: Participant = {
  name: 'jobIndex',
  prepare: async (store, space) => {
    const jobs = jobIndex(store, space);
    await jobs.add('1', { skills: ['a'] });
    return {
      calls: {
        add: () => jobs.add('1', { skills: ['a'] }),
        remove: () => jobs.remove('2'),
        get: () => jobs.get('1'),
        find: () => jobs.find({ skills: ['a'] }),
        explain: () => jobs.explain('1', { skills: ['a'] }),
        size: () => jobs.size(),
        clear: () => jobs.clear(),
      },
      works: () => jobs.find({ skills: ['a'] }),
    };
  },
};

export const MATCHING_PARTICIPANTS: readonly Participant[] = [texts, advertising, openings];
