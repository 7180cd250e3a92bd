import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cached } from '../../src/kit/cache/index.js';
import { ranking } from '../../src/kit/rankings/index.js';
import { sessions } from '../../src/kit/sessions/index.js';
import { open, type Store } from '../../src/store/index.js';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { LIMIT, ShopProcess } from './programs/web-crew.js';

const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 18);

describe('A shop of several processes', { ...whenRedisIsInstalled, timeout: 300_000 }, () => {
  let server: Server;
  let store: Store;
  let shops: ShopProcess[];

  before(async () => {
    server = await startRedis();
    store = await open(`redis://127.0.0.1:${server.port}`);
    shops = await Promise.all([1, 2, 3].map(() => ShopProcess.start(server.port)));
  });
  after(async () => {
    for (const shop of shops ?? []) shop.kill();
    await store?.close();
    await server?.stop();
  });

  it('counts one vote if a user votes in all of them at once', async () => {
    const news = ranking(store, 'news');
    for (let round = 0; round < ROUNDS; round++) {
      const article = { author: 'ann', title: 'title', link: 'https://a.example' };
      const ids = await Promise.all(Array.from({ length: 20 }, () => news.post(article)));
      const counted = await Promise.all(shops.map((shop) => shop.ask<string[]>('vote', ids, 'bob')));
      assert.deepEqual(counted.flat().sort(), [...ids].sort(), 'each vote was counted in one process');
      for (const id of ids) {
        const { up, score, postedAt } = (await news.get(id)) as NonNullable<
          Awaited<ReturnType<typeof news.get>>
        >;
        assert.deepEqual([up, score], [2, postedAt.getTime() / 1_000 + 2 * 432]);
      }
    }
  });

  it('never removes a session that came back while two processes clean', async () => {
    const all = sessions(store, { limit: LIMIT });
    const [visitor, ...cleaners] = shops as [ShopProcess, ShopProcess, ShopProcess];
    let returned = 0;
    let removed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const created = [];
      for (let i = 0; i < 2 * LIMIT; i++) created.push((await all.create()).token);
      // The oldest are the next to go.
      const returning = created.slice(0, LIMIT);
      const [back, ...counts] = await Promise.all([
        visitor.ask<string[]>('visit', returning),
        ...cleaners.map((cleaner) => cleaner.ask<number>('clean')),
      ]);
      for (const token of back) {
        assert.ok((await all.get(token)) !== undefined, 'it was visited, and is there');
      }
      returned += back.length;
      removed += counts.reduce((sum, count) => sum + count, 0);
      assert.ok((await all.count()) >= LIMIT, 'no more than needed is removed');
      for (const token of created) await all.revoke(token);
    }
    assert.ok(returned > 0 && removed > 0, `${returned} came back, ${removed} were removed`);
  });

  it('drops results from memory although the connection for messages was cut', async () => {
    let version = 0;
    const produce = async (): Promise<number> => version;
    const address = `redis://127.0.0.1:${server.port}`;
    await using other = await open(address);
    const options = { name: 'cut', local: 10 };
    const [here, there] = [cached(store, produce, options), cached(other, produce, options)];
    for (let round = 0; round < Math.ceil(ROUNDS / 5); round++) {
      // Until the result is in memory: then a call needs no command.
      const isKept = async (): Promise<boolean> => {
        await here();
        const before = await commands();
        await here();
        return (await commands()) - before === 1;
      };
      while (!(await isKept()));
      version++;
      await Promise.all([
        other.send('CLIENT', 'KILL', 'TYPE', 'pubsub'),
        round % 2 === 0 ? there.invalidate() : there.refresh(),
      ]);
      const giveUpAt = Date.now() + 20_000;
      while ((await here()) !== version) {
        assert.ok(Date.now() < giveUpAt, 'an outdated result is still in memory');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    await Promise.all([here.close(), there.close()]);
  });

  /** Calls of scripts so far, all from this process. */
  async function commands(): Promise<number> {
    const info = (await store.send('INFO', 'commandstats')) as string;
    const calls = (name: string): number =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
    return calls('evalsha') + calls('eval') + calls('info');
  }

  it('produces a value once, and once more if its producer is killed', async () => {
    for (let round = 0; round < Math.ceil(ROUNDS / 25); round++) {
      const id = `round ${round}`;
      const producer = await ShopProcess.start(server.port);
      producer.ask('produce', id).catch(() => {});
      while ((await store.get(`calls:${id}`)) === null)
        await new Promise((resolve) => setTimeout(resolve, 2));
      const waiting = Promise.all(shops.flatMap((shop) => [1, 2].map(() => shop.ask('produce', id))));
      while ((await store.send('HLEN', `cache:{slow:["${id}"]}:waiters`)) !== 6) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      producer.kill();
      assert.deepEqual(new Set(await waiting), new Set([`${id} after 2 calls`]));
      assert.equal(await store.get(`calls:${id}`), '2');
    }
  });
});
