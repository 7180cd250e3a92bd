/** Rows of `PARTICIPANTS`: the social network and its stream. */
import { socialNetwork } from '../../../src/kit/social/index.js';
import { streaming } from '../../../src/kit/streaming/index.js';
import type { Participant } from './participants.js';

const QUIET = { onError: () => {} };

const network: Participant = {
  name: 'socialNetwork',
  prepare: async (store, space) => {
    const people = socialNetwork(store, { prefix: space, ...QUIET });
    for (const name of ['ann', 'bob', 'cem']) await people.signUp(name);
    await people.follow('bob', 'ann');
    const { id } = await people.post('ann', 'hello');
    const list = await people.createList('ann', 'friends');
    const worker = people.work(QUIET);
    return {
      calls: {
        signUp: () => people.signUp('dan'),
        user: () => people.user('ann'),
        post: () => people.post('ann', 'hello'),
        deleteStatus: () => people.deleteStatus('ann', id),
        follow: () => people.follow('cem', 'ann'),
        unfollow: () => people.unfollow('bob', 'ann'),
        block: () => people.block('ann', 'cem'),
        like: () => people.like('bob', id),
        home: () => people.home('bob'),
        commonFollowers: () => people.commonFollowers('ann', 'bob'),
        addToList: () => people.addToList(list, 'bob'),
        deleteList: () => people.deleteList(list),
        refill: () => people.refill('bob'),
      },
      ends: { 'stop of a worker': (within) => worker.stop({ within }) },
      works: () => people.post('ann', 'again'),
    };
  },
};

const stream: Participant = {
  name: 'streaming',
  prepare: async (store, space) => {
    const live = streaming(store, space, QUIET);
    let number = 0;
    const publish = () => live.publish({ id: `${number++}`, user: 'ann', text: 'hello' });
    await publish();
    const read = async (signal: AbortSignal, after?: string): Promise<void> => {
      for await (const _ of live.events({ signal, ...(after === undefined ? {} : { after }) }));
    };
    return {
      calls: { publish, retract: () => live.retract('0', 'ann') },
      loops: { events: (signal) => read(signal), 'events of the past': (signal) => read(signal, '0-0') },
      ends: { close: (within) => live.close({ within }) },
      works: publish,
    };
  },
};

export const SOCIAL_PARTICIPANTS: readonly Participant[] = [network, stream];
