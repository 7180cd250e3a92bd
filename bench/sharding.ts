/**
 * Memory of data in plain keys, in one large structure and in the kit's sharded and packed ones: bytes for each element, by the
 * server's own count (`used_memory`). Options: --count=200000.
 */
import type * as PackedRecordsModule from '../src/kit/packed-records/index.js';
import type * as ShardedHashModule from '../src/kit/sharded-hash/index.js';
import type * as ShardedSetModule from '../src/kit/sharded-set/index.js';
import type * as StoreModule from '../src/store/index.js';
import type { Store } from '../src/store/index.js';
import { startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { built } from './support/built.js';
import { option, printTable, progress, thousands } from './support/measure.js';

const { open } = await built<typeof StoreModule>('store/index.js');
const { shardedHash } = await built<typeof ShardedHashModule>('kit/sharded-hash/index.js');
const { id64, shardedSet } = await built<typeof ShardedSetModule>('kit/sharded-set/index.js');
const { bool, choice, packedRecords, unsigned } = await built<typeof PackedRecordsModule>(
  'kit/packed-records/index.js',
);

const count = option('count', 200_000);
const BATCH = 1_000;

/** Calls `write` with all numbers, some at a time. */
async function inBatches(write: (numbers: readonly number[]) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    await write(Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => first + i));
  }
}

const pipelined =
  (command: (i: number) => readonly [string, ...(string | number)[]]) =>
  (store: Store): Promise<void> =>
    inBatches((numbers) =>
      store.pipeline((queue) =>
        numbers.map((i) => {
          const [name, ...args] = command(i);
          return queue.send(name, ...args);
        }),
      ),
    );

const COUNTRIES = ['DEU', 'FRA', 'GBR', 'USA'] as const;
const layouts: readonly (readonly [data: string, layout: string, fill: (store: Store) => Promise<void>])[] = [
  ['id → name', 'a key each', pipelined((i) => ['SET', `name:${i}`, `city ${i}`])],
  ['id → name', 'one hash', pipelined((i) => ['HSET', 'names', i, `city ${i}`])],
  [
    'id → name',
    'sharded hash',
    (store) => {
      const names = shardedHash(store, 'names', { layout: 'sequential' });
      return inBatches((numbers) => names.setMany(numbers.map((i) => [i, `city ${i}`] as const)));
    },
  ],
  [
    'visitors of a day',
    'one set of texts',
    pipelined((i) => ['SADD', 'visitors', `session-${i}-f47ac10b58cc`]),
  ],
  ['visitors of a day', 'one set of numbers', pipelined((i) => ['SADD', 'visitors', id64(`session ${i}`)])],
  [
    'visitors of a day',
    'sharded set',
    (store) => {
      const visitors = shardedSet(store, 'visitors', { expected: count });
      return inBatches((numbers) => visitors.addMany(numbers.map((i) => id64(`session ${i}`))));
    },
  ],
  ['visitors of a day', 'HyperLogLog', pipelined((i) => ['PFADD', 'visitors', `session ${i}`])],
  [
    'country, age, flag of a user',
    'a hash each',
    pipelined((i) => [
      'HSET',
      `user:${i}`,
      'country',
      COUNTRIES[i % 4] as string,
      'age',
      i % 100,
      'paying',
      i % 2,
    ]),
  ],
  [
    'country, age, flag of a user',
    'packed records',
    (store) => {
      const users = packedRecords(store, 'users', {
        fields: { country: choice(COUNTRIES, { bits: 7 }), age: unsigned(7), isPaying: bool() },
      });
      return inBatches((numbers) =>
        Promise.all(
          numbers.map((i) =>
            users.set(i, { country: COUNTRIES[i % 4] as 'DEU', age: i % 100, isPaying: i % 2 === 1 }),
          ),
        ),
      );
    },
  ],
];

async function usedMemory(store: Store): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await store.send('INFO', 'memory')))?.[1] ?? Number.NaN);
}

const rows: string[][] = [];
const servers = [await startSorrel(), await startRedis()];
for (const [data, layout, fill] of layouts) {
  const figures: string[] = [];
  for (const server of servers) {
    progress(`${data}, ${layout}: ${server.name}`);
    await using store = await open(`redis://127.0.0.1:${server.port}`);
    await store.flushall();
    const before = await usedMemory(store);
    await fill(store);
    figures.push((((await usedMemory(store)) - before) / count).toFixed(1));
  }
  rows.push([data, layout, ...figures]);
}
for (const server of servers) await server.stop();
progress('');
console.log(`Bytes for each of ${thousands(count)} elements`);
printTable(['data', 'layout', ...servers.map(({ name }) => name)], rows);
