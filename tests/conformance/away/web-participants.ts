/** Rows of `PARTICIPANTS`: what web applications use. */
import { sessions } from '../../../src/kit/sessions/index.js';
import type { Participant } from './participants.js';

const QUIET = { onError: () => {} };

const visitors: Participant = {
  name: 'sessions',
  prepare: async (store, space) => {
    const all = sessions<{ n: number }>(store, { prefix: space, shards: 2 });
    const { token } = await all.create({ user: 'ann' });
    const cleaner = all.keepClean(QUIET);
    return {
      calls: {
        create: () => all.create({ user: 'ann' }),
        touch: () => all.touch(token, { item: 'book' }),
        update: () => all.update(token, { n: 1 }),
        rotate: () => all.rotate(token),
        revoke: () => all.revoke(token),
        ofUser: () => all.ofUser('ann'),
        clean: () => all.clean(),
      },
      signals: { clean: (signal) => all.clean({ signal }) },
      ends: { 'stop of a cleaner': () => cleaner.stop() },
      works: () => all.create({ user: 'ann' }),
    };
  },
};

export const WEB_PARTICIPANTS: readonly Participant[] = [visitors];
