/**
 * How far away the places are, and how many calls a second they allow that do nothing else: no component can be faster than the calls
 * it consists of. The results of other parts can be compared with these.
 */
import type { Redis } from 'ioredis';
import { median, printTable, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { rateOf } from '../support/rate.js';
import { inRounds, prove, type Score, times, type WebPart } from '../support/web-part.js';

const PINGS = 50;
const NOTHING = { keys: ['key'], args: ['value'], lua: 'return 1' } as const;
/** EVAL of `NOTHING`, as a client sends it that loads its scripts. */
const NOTHING_BY_HAND = 'local key = KEYS[1] local value = ARGV[1] return 1';

/** A call by a client of ioredis, as the guide's programs use one, or by a store. */
interface Bare {
  readonly name: string;
  readonly clients: number;
  connect(place: Place): Promise<{ call(): Promise<unknown>; close(): Promise<unknown> }>;
}

const viaIoredis = (
  name: string,
  clients: number,
  call: (client: Redis, sha: string) => Promise<unknown>,
): Bare => ({
  name: `${name}, ioredis`,
  clients,
  connect: async (place) => {
    const client = place.newClient();
    const sha = (await client.script('LOAD', NOTHING_BY_HAND)) as string;
    return { call: () => call(client, sha), close: async () => client.disconnect() };
  },
});

const viaStore = (name: string, clients: number, what: 'get' | 'script'): Bare => ({
  name: `${name}, store`,
  clients,
  connect: async (place) => {
    const store = await place.openStore();
    const script = store.script(NOTHING);
    const call = what === 'get' ? () => store.get('bare') : () => script({ key: 'bare', value: 1 });
    return { call, close: () => store.close() };
  },
});

const get = (client: Redis): Promise<unknown> => client.get('bare');
const evaluate = (client: Redis, sha: string): Promise<unknown> => client.evalsha(sha, 1, 'bare', 1);

const BARE: readonly Bare[] = [
  viaIoredis('GET', 1, get),
  viaStore('GET', 1, 'get'),
  viaIoredis('an empty script', 1, evaluate),
  viaStore('an empty script', 1, 'script'),
  viaIoredis('GET by 10 clients', 10, get),
  viaStore('GET by 10 clients', 10, 'get'),
  viaIoredis('an empty script by 10 clients', 10, evaluate),
  viaStore('an empty script by 10 clients', 10, 'script'),
];

export const part: WebPart = {
  about: 'how far away the places are, and how many calls they allow that do nothing',
  async run({ places, rounds, seconds }) {
    const trips: [string, string][] = [];
    for (const place of places) {
      const ms = await roundTrip(place);
      const added = Number(/, ([\d.]+) ms away/.exec(place.name)?.[1] ?? 0);
      prove(ms >= added, `${place.name} answers within ${ms} ms`);
      trips.push([place.name, ms.toFixed(3)]);
    }
    printTable(['place', 'round trip, ms (median)'], trips);
    // Calls over a slow network only take its time.
    const near = places.filter(({ name }) => !name.includes('away'));
    const found = new Map<string, ReadonlyMap<string, Score<'calls'>>>();
    for (const place of near) {
      found.set(
        place.name,
        await inRounds(`bare calls, ${place.name}`, rounds, BARE, (bare) => measure(bare, place, seconds)),
      );
    }
    const rate = (place: string, name: string): number => found.get(place)?.get(name)?.calls ?? Number.NaN;
    console.log('\nCalls a second, each client waits for each of its calls\n');
    printTable(
      ['', ...near.map(({ name }) => name), 'embedded to ioredis on redis-server'],
      BARE.map(({ name }) => [
        name,
        ...near.map((place) => thousands(rate(place.name, name))),
        times(rate('embedded', name), rate('redis-server', name.replace(/store$/, 'ioredis'))),
      ]),
    );
  },
};

async function measure({ clients, connect }: Bare, place: Place, seconds: number): Promise<Score<'calls'>> {
  const all = await Promise.all(Array.from({ length: clients }, () => connect(place)));
  const rates = await Promise.all(all.map(({ call }) => rateOf(seconds, call)));
  await Promise.all(all.map(({ close }) => close()));
  return { calls: rates.reduce((sum, rate) => sum + rate, 0) };
}

async function roundTrip(place: Place): Promise<number> {
  await using store = await place.openStore();
  const taken: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    await store.send('PING');
    taken.push(performance.now() - start);
  }
  return median(taken);
}
