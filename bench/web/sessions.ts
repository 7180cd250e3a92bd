/** Updates of a session by one client, and removing sessions beyond the limit: the ways of the guide and ours. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type * as kit from '../../src/kit/sessions/index.js';
import { built } from '../support/built.js';
import { printTable, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { rateOf } from '../support/rate.js';
import { inRounds, prove, type Score, times, type WebPart } from '../support/web-part.js';

const { sessions } = await built<typeof kit>('kit/sessions/index.js');

type Updates = Score<'updates'>;
type Cleaned = Score<'cleaned'>;

/** How many sessions are removed. */
const SESSIONS = 5_000;

interface UpdateWay {
  readonly name: string;
  /** A call that does nothing: no way in one round trip can be faster. */
  readonly isFloor?: boolean;
  measure(place: Place, seconds: number): Promise<Updates>;
}

interface CleanWay {
  readonly name: string;
  readonly isFloor?: boolean;
  measure(place: Place): Promise<Cleaned>;
}

/** A slow network allows few updates. */
const isBounded = (items: number): boolean => items > 0 && items <= 25;

/** The commands of an update, as the guide's short version has them. */
function update(
  client: Pick<Redis, 'hset' | 'zadd' | 'zremrangebyrank' | 'zincrby'>,
  space: string,
  item: string,
) {
  const now = Date.now() / 1_000;
  return [
    () => client.hset(`${space}login:`, 'token', 'user'),
    () => client.zadd(`${space}recent:`, now, 'token'),
    () => client.zadd(`${space}viewed:token`, now, item),
    () => client.zremrangebyrank(`${space}viewed:token`, 0, -26),
    () => client.zincrby(`${space}viewed:`, -1, item),
  ];
}

const UPDATES: readonly UpdateWay[] = [
  {
    name: 'five commands',
    measure: async (place, seconds) => {
      const [client, space] = [place.newClient(), randomUUID()];
      const updates = await rateOf(seconds, async (count) => {
        for (const step of update(client, space, `item ${count % 100}`)) await step();
      });
      prove(isBounded(await client.zcard(`${space}viewed:token`)), 'up to 25 items are kept');
      client.disconnect();
      return { updates };
    },
  },
  {
    name: 'in a pipeline',
    measure: async (place, seconds) => {
      const [client, space] = [place.newClient(), randomUUID()];
      const updates = await rateOf(seconds, async (count) => {
        const pipeline = client.pipeline();
        for (const step of update(pipeline as never, space, `item ${count % 100}`)) step();
        await pipeline.exec();
      });
      prove(isBounded(await client.zcard(`${space}viewed:token`)), 'up to 25 items are kept');
      client.disconnect();
      return { updates };
    },
  },
  {
    name: 'an empty script',
    isFloor: true,
    measure: async (place, seconds) => {
      const store = await place.openStore();
      const script = store.script({ keys: ['key'], args: ['item'], lua: 'return 1' });
      const updates = await rateOf(seconds, (count) => script({ key: 'key', item: `item ${count % 100}` }));
      await store.close();
      return { updates };
    },
  },
  {
    name: 'sessions.touch',
    measure: async (place, seconds) => {
      const store = await place.openStore();
      const all = sessions(store, { prefix: randomUUID() });
      const { token } = await all.create({ user: 'user' });
      const updates = await rateOf(seconds, (count) => all.touch(token, { item: `item ${count % 100}` }));
      prove(isBounded((await all.viewed(token)).length), 'up to 25 items are kept');
      await store.close();
      return { updates };
    },
  },
];

const CLEANINGS: readonly CleanWay[] = [
  {
    name: 'a hundred at a time',
    measure: async (place) => {
      const [client, space] = [place.newClient(), randomUUID()];
      for (let from = 0; from < SESSIONS; from += 500) {
        const pipeline = client.pipeline();
        for (let i = from; i < from + 500; i++) {
          pipeline.hset(`${space}login:`, `token ${i}`, 'user');
          pipeline.zadd(`${space}recent:`, i, `token ${i}`);
          pipeline.zadd(`${space}viewed:token ${i}`, i, 'item');
        }
        await pipeline.exec();
      }
      const start = performance.now();
      for (;;) {
        const size = await client.zcard(`${space}recent:`);
        if (size === 0) break;
        const tokens = await client.zrange(`${space}recent:`, '0', '99');
        await client.del(...tokens.map((token) => `${space}viewed:${token}`));
        await client.hdel(`${space}login:`, ...tokens);
        await client.zrem(`${space}recent:`, ...tokens);
      }
      const ms = performance.now() - start;
      prove((await client.hlen(`${space}login:`)) === 0, 'all sessions are gone');
      client.disconnect();
      return { cleaned: (SESSIONS * 1_000) / ms };
    },
  },
  // What any cleaner has to delete of these sessions, with ids that are known before, and nothing else.
  {
    name: 'their keys alone',
    isFloor: true,
    measure: async (place) => {
      const [store, space] = [await place.openStore(), randomUUID()];
      const keys = Array.from({ length: SESSIONS }, (_, i) => [`${space}record:${i}`, `${space}viewed:${i}`]);
      await store.pipeline((queue) =>
        keys.flatMap(([record = '', viewed = '']) => [
          queue.send('HSET', record, 'created', 1, 'ends', 1, 'idle', 1, 'until', 1, 'with', 'viewed'),
          queue.send('PEXPIRE', record, 3_600_000),
          queue.send('ZADD', viewed, 1, 'item'),
          queue.send('PEXPIRE', viewed, 3_600_000),
        ]),
      );
      const start = performance.now();
      let gone = 0;
      for (let from = 0; from < SESSIONS; from += 500) {
        gone += Number(await store.send('UNLINK', ...keys.slice(from, from + 500).flat()));
      }
      const ms = performance.now() - start;
      prove(gone === 2 * SESSIONS, `${gone} keys were deleted`);
      await store.close();
      return { cleaned: (SESSIONS * 1_000) / ms };
    },
  },
  {
    name: 'sessions.clean',
    measure: async (place) => {
      const store = await place.openStore();
      const all = sessions(store, { prefix: randomUUID(), limit: 0 });
      for (let from = 0; from < SESSIONS; from += 500) {
        const created = await Promise.all(Array.from({ length: 500 }, () => all.create()));
        await Promise.all(created.map(({ token }) => all.touch(token, { item: 'item' })));
      }
      const start = performance.now();
      const removed = await all.clean();
      const ms = performance.now() - start;
      prove(removed === SESSIONS, `${removed} sessions were removed`);
      await store.close();
      return { cleaned: (SESSIONS * 1_000) / ms };
    },
  },
];

export const part: WebPart = {
  about: 'updates of a session by one client, and sessions removed, a second',
  async run({ places, rounds, seconds }) {
    const updates = await table(places, 'updates', (place) =>
      inRounds(`updates, ${place.name}`, rounds, UPDATES, (way) => way.measure(place, seconds)),
    );
    console.log('Updates of a session a second: user, time and an item of 25\n');
    show(places, UPDATES, updates);
    const cleanings = await table(places, 'cleaned', (place) =>
      inRounds(`cleaning, ${place.name}`, rounds, CLEANINGS, (way) => way.measure(place)),
    );
    console.log(`\nSessions removed a second, of ${thousands(SESSIONS)}, each with an item\n`);
    show(places, CLEANINGS, cleanings);
    console.log(
      '\nOurs deletes two keys with times to live for a session, where the guide deletes one without and a field, and leaves a session that returns.\n' +
        '`their keys alone` deletes those two keys by ids that are known, and nothing else: no cleaner of such sessions can be faster.',
    );
  },
};

type Table = ReadonlyMap<string, number>;

async function table<Name extends string>(
  places: readonly Place[],
  name: Name,
  measure: (place: Place) => Promise<ReadonlyMap<string, Score<Name>>>,
): Promise<Table> {
  const found = new Map<string, number>();
  for (const place of places) {
    for (const [way, score] of await measure(place)) found.set(`${place.name} ${way}`, score[name]);
  }
  return found;
}

/** Ours is the last one. It is compared with the best of the others. */
function show(
  places: readonly Place[],
  ways: readonly { readonly name: string; readonly isFloor?: boolean }[],
  found: Table,
): void {
  const rate = (place: string, way: string): number => found.get(`${place} ${way}`) as number;
  const ours = ways.at(-1)?.name as string;
  const theirs = ways.filter(({ name, isFloor }) => name !== ours && isFloor !== true);
  const best = (place: string): number => Math.max(...theirs.map(({ name }) => rate(place, name)));
  printTable(
    ['', ...ways.map(({ name }) => name), "ours to the guide's best", 'to that on redis-server'],
    places.map(({ name }) => [
      name,
      ...ways.map((way) => thousands(rate(name, way.name))),
      times(rate(name, ours), best(name)),
      name === 'embedded' ? times(rate(name, ours), best('redis-server')) : '',
    ]),
  );
}
