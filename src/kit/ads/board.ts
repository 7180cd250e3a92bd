import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows ads. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'ads', title: 'Ads', about: 'ads by place and content', prefix: 'ads' },
    parts: {
      ids: { type: 'set', title: 'Ads', detail: 'ad' },
      ad: { type: 'hash', title: 'Ad', isInternal: true },
      learnt: { type: 'hash', title: 'Learnt', isInternal: true },
      value: { type: 'zset', title: 'Value in', isDescending: true },
      bonus: { type: 'zset', title: 'Bonus of', isDescending: true },
      bonuses: { type: 'zset', title: 'Highest bonuses', isDescending: true },
      totals: { type: 'hash', title: 'Totals' },
      target: { type: 'hash', title: 'Placement', isInternal: true },
    },
  }),
];
