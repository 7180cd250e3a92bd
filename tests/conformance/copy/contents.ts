import type { Store } from '../../../src/store/index.js';

/** A time in the far future, the same in both places. */
const EXPIRES_AT = 33_000_000_000_123;

/** Keys of every type, small and large, with and without a time to live, with names of any bytes. Returns their number. */
export async function seed(store: Store, many = 300): Promise<number> {
  const numbers = Array.from({ length: 2000 }, (_, i) => i);
  await store.set('text', 'grüße 🌿');
  await store.set('number', 12_345);
  await store.set(Buffer.from([0, 0xff, 0xfe]), Buffer.from([0xff, 0x00]));
  await store.set('mortal', 'x', { pxAt: EXPIRES_AT });
  await store.rpush('list', numbers.map(String));
  await store.sadd('small set', ['1', '2', '3']);
  // The elements of these are in the order of a hash table, which differs in every process.
  await store.sadd(
    'large set',
    numbers.map((i) => `member ${i}`),
  );
  await store.hset(
    'large hash',
    numbers.map((i) => [`field ${i}`, `value ${i}`] as const),
  );
  await store.hset('small hash', { a: 1, b: 2 });
  await store.zadd(
    'ranking',
    numbers.map((i) => ({ score: (i * 7919) % 1000, member: `m${i}` })),
  );
  await store.pexpireat('ranking', EXPIRES_AT);
  for (let i = 1; i <= 300; i++) await store.xadd('stream', `${i}-0`, { n: i });
  await store.xgroupCreate('stream', 'group', 0);
  await store.xreadgroup('group', 'ann', { stream: '>' }, { count: 5 });
  await store.xdel('stream', '2-0');
  await store.pfadd(
    'uniques',
    numbers.map((i) => `${i}`),
  );
  await store.pipeline((queue) =>
    Array.from({ length: many }, (_, i) => queue.set(`many:${i}`, `value ${i}`)),
  );
  return 12 + many;
}

/** The contents in a form that does not depend on the order of hash tables, to compare two places. */
export async function contents(store: Store): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for await (const key of store.bytes.scan({ count: 500 })) {
    const name = key.toString('latin1');
    found.set(name, [await store.type(key), await store.pexpiretime(key), await valueAt(store, key)]);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function valueAt(store: Store, key: Buffer): Promise<unknown> {
  switch (await store.type(key)) {
    case 'string':
      return store.bytes.get(key);
    case 'list':
      return store.lrange(key, 0, -1);
    case 'set':
      return (await store.smembers(key)).sort();
    case 'hash':
      return Object.entries(await store.hgetall(key)).sort();
    case 'zset':
      return store.zrange(key, 0, -1, { withScores: true });
    default:
      return [await store.xrange(key, '-', '+'), await store.xpending(key, 'group')];
  }
}
