/** The faults of the short implementations in the guide's chapter 10, which the components of the kit do not have. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Sharding, sharding } from '../../src/kit/sharding/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import { askAll, pageByOffset, pageByScore, serverOf } from './scaling-by-hand.js';

const KEYS = Array.from({ length: 200 }, (_, i) => `user:${i}`);

let store: EmbeddedStore;
let servers: EmbeddedStore[];
let users: Sharding;

before(async () => {
  store = await open();
  servers = await Promise.all(Array.from({ length: 4 }, () => open()));
  users = sharding(store, 'users');
  await users.create(['memory:', 'memory:', 'memory:', 'memory:'], { lease: 50 });
});
after(async () => {
  await users.close();
  for (const each of [store, ...servers]) await each.close();
});

describe('One more server', () => {
  it('by hand hides most of the keys', async () => {
    for (const key of KEYS) await serverOf(servers, key).set(key, 1);
    const more = [...servers, await open()];
    const found = await Promise.all(KEYS.map((key) => serverOf(more, key).get(key)));
    await more[4]?.close();
    const hidden = found.filter((value) => value === null).length;
    assert.ok(hidden > KEYS.length / 2, `${hidden} of ${KEYS.length}`);
  });

  it('of the kit gets its share of the keys, and hides none', async () => {
    for (const key of KEYS) await users.store.set(key, 1);
    await users.reshard({ add: ['memory:'] });
    const found = await Promise.all(KEYS.map((key) => users.store.get(key)));
    assert.ok(found.every((value) => value === '1'));
  });
});

describe('A page of all shards', () => {
  const AUTHORS = ['ann', 'bob', 'eve', 'joe'];
  const keys = AUTHORS.map((author) => `{${author}}:posts`);

  before(async () => {
    // All posts have one of two scores, as those of one second have.
    for (const [i, server] of servers.entries()) {
      for (let post = 0; post < 10; post++) {
        const [score, member] = [post < 5 ? 1 : 2, `${AUTHORS[i]} ${post}`];
        await server.zadd('posts', score, member);
        await users.store.zadd(keys[i] as string, score, member);
      }
    }
  });

  it('by hand and by offset reads all entries before it, of every shard', async () => {
    const { page, read } = await pageByOffset(servers, 'posts', 8, 2);
    assert.equal(page.length, 2);
    assert.equal(read, 40);
  });

  it('by hand and by score repeats entries, or leaves them out', async () => {
    const first = await pageByScore(servers, 'posts', { last: 3, isExclusive: false, limit: 15 });
    const [, last] = first.at(-1) as readonly [string, number];
    const again = await pageByScore(servers, 'posts', { last, isExclusive: false, limit: 15 });
    assert.deepEqual(again, first, 'inclusive: it never goes on');
    const next = await pageByScore(servers, 'posts', { last, isExclusive: true, limit: 15 });
    const seen = new Set([...first, ...next].map(([member]) => member));
    const below = await pageByScore(servers, 'posts', { last: 1, isExclusive: true, limit: 15 });
    assert.deepEqual(below, []);
    assert.ok(seen.size < 40, 'exclusive: the rest of a score is never shown');
  });

  it('of the kit begins after an entry: each is shown once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await users.timeline(keys, { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map(({ member }) => member));
      cursor = page.next;
    } while (cursor !== undefined);
    assert.equal(seen.length, 40);
    assert.equal(new Set(seen).size, 40);
  });
});

describe('An answer of all servers', () => {
  it('by hand comes after half a second, even if all have answered', async () => {
    const clock = new ManualClock();
    await using timed = await open('memory:', { clock });
    const answers = askAll(
      servers,
      (server) => server.ping(),
      (ms) => timed.time.sleep(ms),
    );
    let isOver = false;
    void answers.then(() => {
      isOver = true;
    });
    await clock.run(499);
    assert.equal(isOver, false);
    await clock.run(1);
    assert.equal((await answers).length, 4);
  });

  it('of the kit comes with the last answer', async () => {
    const { isComplete } = await users.timeline(['{ann}:posts'], { limit: 1, timeout: 3_600_000 });
    assert.equal(isComplete, true);
  });
});
