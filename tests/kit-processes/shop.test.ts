import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { market } from '../../src/kit/market/index.js';
import { stock } from '../../src/kit/stock/index.js';
import { open, type Store } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { type Bought, BUYER_MONEY, LISTINGS, PRICE, PROCESSES, UNITS } from './programs/shop-plan.js';

describe('Buyers in several processes', whenRedisIsInstalled, () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let store: Store;
  const children: ChildProcess[] = [];
  let results: readonly Bought[];

  before(async () => {
    redis = await startRedis();
    const address = `redis://127.0.0.1:${redis.port}`;
    store = await open(address);
    await stock(store).offer('tv', UNITS);
    const realm = market(store, 'realm');
    await realm.give('ann', 'sword', LISTINGS);
    for (let i = 0; i < LISTINGS; i++) await realm.list('ann', 'sword', PRICE);
    const program = sourceProgram(new URL('programs/shop-worker.ts', import.meta.url));
    for (let i = 0; i < PROCESSES; i++) {
      children.push(
        spawn(process.execPath, [...SOURCE_OPTIONS, program, address, `${i}`], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        }),
      );
    }
    await Promise.all(children.map((child) => once(child, 'message')));
    const answers = children.map((child) => once(child, 'message'));
    await store.set('go', 1);
    results = (await Promise.all(answers)).map(([bought]) => bought as Bought);
  });

  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await store?.close();
    await redis?.stop();
  });

  it('a thousand buyers at once: every unit is sold, and none twice', async () => {
    const buyers = results.flatMap((result) => result.buyers);
    assert.equal(buyers.length, UNITS);
    assert.equal(new Set(buyers).size, UNITS, 'one for each buyer');
    assert.deepEqual(await stock(store).status('tv'), {
      total: UNITS,
      available: 0,
      reserved: 0,
      sold: UNITS,
    });
  });

  it('every listing is bought once, whatever variants the processes use', async () => {
    const bought = results.map((result) => result.listings);
    assert.equal(new Set(bought.flat()).size, bought.flat().length, 'no item is bought twice');
    assert.equal(bought.flat().length, LISTINGS);
    const realm = market(store, 'realm');
    assert.equal(await realm.funds('ann'), LISTINGS * PRICE);
    for (const [i, listings] of bought.entries()) {
      assert.equal(await realm.funds(`buyer ${i}`), BUYER_MONEY - listings.length * PRICE);
      assert.equal((await realm.items(`buyer ${i}`)).get('sword') ?? 0, listings.length);
    }
  });
});
