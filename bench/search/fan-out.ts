/**
 * One status to many followers: the way of the guide's listing, and ours. The listing's followers are given different times, since it does
 * not end otherwise.
 */
import type * as kit from '../../src/kit/social/index.js';
import type { Store } from '../../src/store/index.js';
import { followersKey, homeKey, syndicateByHand } from '../../tests/guide/social-by-hand.js';
import { built } from '../support/built.js';
import { option, printTable, progress, thousands } from '../support/measure.js';
import { embeddedPlace, type Place, redisPlace } from '../support/place.js';
import { type Clock, clockOf } from '../support/query-times.js';
import type { SearchPart } from '../support/search-part.js';
import { inRounds, prove, times } from '../support/web-part.js';

const { socialNetwork } = await built<typeof kit>('kit/social/index.js');

const followers = option('followers', 100_000);
const rounds = option('rounds', 3);

type Score = Readonly<Record<'total' | 'answer', number>>;

interface Way {
  readonly name: string;
  /** Adds the followers. */
  prepare(store: Store): Promise<void>;
  /** Posts once. Ms that pass until the author has an answer, and ms by the clock until all followers have the status. */
  post(store: Store, round: number, now: Clock): Promise<Score>;
}

const nameOf = (index: number): string => `fan${index}`;

/** Sends many commands, a thousand at a time. */
async function sendAll(
  store: Store,
  commandsOf: (index: number) => (readonly (string | number)[])[],
): Promise<void> {
  for (let from = 0; from < followers; from += 1_000) {
    await store.pipeline((batch) =>
      Array.from({ length: Math.min(1_000, followers - from) }, (_, index) => commandsOf(from + index))
        .flat()
        .map(([name, ...args]) => batch.send(name as string, ...args)),
    );
  }
}

const listing: Way = {
  name: 'the listing',
  prepare: (store) => sendAll(store, (index) => [['ZADD', followersKey('ann'), index, nameOf(index)]]),
  async post(store, round, now) {
    const [begun, started] = [now(), performance.now()];
    let answer = 0;
    const todo = ['0'];
    for (let start = todo.shift(); start !== undefined; start = todo.shift()) {
      const later = (_: string, args: readonly unknown[]): unknown => todo.push(args[3] as string);
      await syndicateByHand(store, 'ann', `status${round}`, Date.now() / 1_000, start, later);
      answer ||= performance.now() - started;
    }
    const total = now() - begun;
    prove(
      (await store.zscore(homeKey(nameOf(followers - 1)), `status${round}`)) !== null,
      'the last follower has it',
    );
    return { total, answer };
  },
};

const ours: Way = {
  name: 'ours',
  prepare: async (store) => {
    await socialNetwork(store).signUp('ann');
    await sendAll(store, (index) => [
      ['HSET', `social:{${nameOf(index)}}:user`, 'login', nameOf(index)],
      ['ZADD', `social:{${nameOf(index)}}:following`, 1, 'ann'],
      ['ZADD', 'social:{ann}:followers', 1, nameOf(index)],
    ]);
  },
  async post(store, _, now) {
    const network = socialNetwork(store);
    const worker = network.work();
    const [begun, started] = [now(), performance.now()];
    const { id } = await network.post('ann', 'hello');
    const answer = performance.now() - started;
    for (;;) {
      const { waiting, active, delayed } = await network.queue.counts();
      if (waiting + active + delayed === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const total = now() - begun;
    await worker.stop();
    for (const index of [0, followers >> 1, followers - 1]) {
      const { statuses } = await network.home(nameOf(index), { count: 1 });
      prove(statuses[0]?.id === id, 'followers have it');
    }
    return { total, answer };
  },
};

export const part: SearchPart = {
  about: `a status to ${thousands(followers)} followers: followers a second, and how long the author waits`,
  async run() {
    const rows: string[][] = [];
    for (const make of [embeddedPlace, redisPlace]) {
      const place = await make();
      rows.push(await measure(place));
      await place.stop();
    }
    printTable(['', 'the listing', 'ours', 'ours : listing', 'answer, listing', 'answer, ours'], rows);
    console.log(
      '\nThe listing adds to every home, and removes what is too much: two commands in a pipeline. Ours asks each home whether it still follows\n' +
        'the author and whether there is room, in scripts of a hundred homes: no home that has left gets the status, and none gets it twice.',
    );
  },
};

async function measure(place: Place): Promise<string[]> {
  const store = await place.openStore();
  let round = 0;
  for (const way of [listing, ours]) {
    progress(`fan-out, ${place.name}, ${way.name}: adding followers`);
    await way.prepare(store);
  }
  const now = clockOf(place);
  const scores = await inRounds(`fan-out, ${place.name}`, rounds, [listing, ours], (way) =>
    way.post(store, ++round, now),
  );
  await store.close();
  const [theirs, own] = [listing, ours].map(({ name }) => scores.get(name) as Score) as [Score, Score];
  const rate = ({ total }: Score): number => (followers * 1_000) / total;
  return [
    place.name,
    thousands(rate(theirs)),
    thousands(rate(own)),
    times(rate(own), rate(theirs)),
    `${theirs.answer.toFixed(1)} ms`,
    `${own.answer.toFixed(1)} ms`,
  ];
}
