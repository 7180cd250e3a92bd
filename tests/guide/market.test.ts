import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listByHand, purchaseByWatch, purchaseUnderLock } from '../../src/console/labs/listings/market.js';
import { type MarketVariant, market } from '../../src/kit/market/index.js';
import { stock } from '../../src/kit/stock/index.js';
import { type EmbeddedStore, open } from '../../src/store/index.js';

const VARIANTS: readonly MarketVariant[] = ['script', 'watch', 'lock', 'fine-lock'];
const SWORD = { buyer: 'bob', item: 'sword', seller: 'ann' };

async function byHand(store: EmbeddedStore, funds: number, price: number): Promise<void> {
  await store.send('SADD', 'inventory:ann', 'sword');
  await store.send('HSET', 'users:bob', 'funds', funds);
  await listByHand(store, 'sword', 'ann', price);
}

async function fundsOf(store: EmbeddedStore, user: string): Promise<number> {
  return Number(await store.send('HGET', `users:${user}`, 'funds'));
}

/** The same in a market of ours, in every variant. */
async function inEveryVariant(
  funds: number,
  price: number,
  check: (realm: ReturnType<typeof market>, id: string) => Promise<void>,
): Promise<void> {
  for (const variant of VARIANTS) {
    await using store = await open();
    const realm = market(store, 'realm', { variant });
    await realm.give('ann', 'sword');
    await realm.deposit('bob', funds);
    const listed = await realm.list('ann', 'sword', price);
    await check(realm, listed.outcome === 'listed' ? listed.id : '');
  }
}

describe('A market by hand, and ours', () => {
  it('a watch on the whole market is repeated when any other item is listed', async () => {
    await using store = await open();
    await byHand(store, 100, 50);
    let looks = 0;
    const buying = purchaseByWatch(store, { ...SWORD, price: 50 }, async () => {
      await store.send('SADD', 'inventory:cem', `shield ${++looks}`);
      await listByHand(store, `shield ${looks}`, 'cem', 5);
    });
    await assert.rejects(buying, { code: 'CONFLICT' }, 'it never succeeds while others list items');
    assert.equal(looks, 5);

    await using other = await open();
    let retries = 0;
    const realm = market(other, 'realm', { variant: 'watch', onRetry: () => retries++ });
    await realm.give('ann', 'sword');
    await realm.give('cem', 'shield', 50);
    await realm.deposit('bob', 100);
    const listed = await realm.list('ann', 'sword', 50);
    const id = listed.outcome === 'listed' ? listed.id : '';
    const [bought] = await Promise.all([
      realm.purchase('bob', id, 50),
      ...Array.from({ length: 50 }, () => market(other, 'realm').list('cem', 'shield', 5)),
    ]);
    assert.deepEqual([bought.outcome, retries], ['bought', 0]);
  });

  it('compared as texts, 97 is more than 100', async () => {
    await using store = await open();
    await byHand(store, 97, 100);
    assert.equal(await purchaseUnderLock(store, { ...SWORD, price: 100 }), true);
    assert.equal(await fundsOf(store, 'bob'), -3, 'bob has debts');
    await inEveryVariant(97, 100, async (realm, id) => {
      assert.deepEqual(await realm.purchase('bob', id, 100), { outcome: 'no-funds', funds: 97 });
    });
  });

  it('without the expected price, a buyer pays the price that the seller has changed', async () => {
    await using store = await open();
    await byHand(store, 5_000, 10);
    await store.send('ZADD', 'market:', 4_999, 'sword.ann'); // after bob has seen 10
    assert.equal(await purchaseUnderLock(store, { ...SWORD, price: 10 }), true);
    assert.equal(await fundsOf(store, 'bob'), 1);
    await inEveryVariant(5_000, 10, async (realm, id) => {
      await realm.reprice('ann', id, 4_999);
      assert.deepEqual(await realm.purchase('bob', id, 10), { outcome: 'repriced', price: 4_999 });
      assert.equal(await realm.funds('bob'), 5_000);
    });
  });

  it('fractions are cut off: the seller gets less than the price', async () => {
    await using store = await open();
    await byHand(store, 100, 9.99);
    assert.equal(await purchaseByWatch(store, { ...SWORD, price: 9.99 }), true);
    assert.equal(await fundsOf(store, 'ann'), 9);
    await inEveryVariant(1_000, 9_99, async (realm, id) => {
      await assert.rejects(realm.list('ann', 'sword', 9.99), { code: 'OPTION' });
      await realm.purchase('bob', id, 9_99);
      assert.equal(await realm.funds('ann'), 9_99);
    });
  });

  it('in a set, the second of two equal items disappears', async () => {
    await using store = await open();
    await byHand(store, 100, 50);
    await store.send('SADD', 'inventory:bob', 'sword');
    await purchaseByWatch(store, { ...SWORD, price: 50 });
    assert.equal(await store.send('SCARD', 'inventory:bob'), 1, 'bob has paid and got nothing');
    await inEveryVariant(100, 50, async (realm, id) => {
      await realm.give('bob', 'sword');
      await realm.purchase('bob', id, 50);
      assert.deepEqual(await realm.items('bob'), new Map([['sword', 2]]));
    });
  });
});

describe('The last unit of a stock', () => {
  it('is sold to two buyers who both read that there is one, but to one here', async () => {
    await using store = await open();
    await store.set('stock:tv', 1);
    const bought = await Promise.all(['ann', 'bob'].map((buyer) => buyByReading(store, 'stock:tv', buyer)));
    assert.deepEqual([bought, await store.get('stock:tv')], [[true, true], '-1'], 'one of them gets nothing');
    const sale = stock(store, { perBuyer: 1 });
    await sale.offer('tv', 1);
    const results = await Promise.all(['ann', 'bob'].map((buyer) => sale.reserve('tv', buyer)));
    assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ['reserved', 'sold-out']);
    assert.deepEqual(await sale.status('tv'), { total: 1, available: 0, reserved: 1, sold: 0 });
  });

  it('is sold to a buyer who has one already and asks twice at once, but not here', async () => {
    await using store = await open();
    await store.set('stock:tv', 5);
    await Promise.all(['ann', 'ann'].map((buyer) => buyByReading(store, 'stock:tv', buyer)));
    assert.equal(await store.get('stock:tv'), '3');
    const sale = stock(store, { perBuyer: 1 });
    await sale.offer('tv', 5);
    await Promise.all(['ann', 'ann'].map((buyer) => sale.reserve('tv', buyer)));
    assert.equal((await sale.status('tv'))?.available, 4);
  });
});

/** Checks in one step whether the buyer has one and whether there are any, and lowers the number in another. */
async function buyByReading(store: EmbeddedStore, key: string, buyer: string): Promise<boolean> {
  if ((await store.sismember(`${key}:buyers`, buyer)) || Number(await store.get(key)) <= 0) return false;
  await store.decr(key);
  await store.sadd(`${key}:buyers`, buyer);
  return true;
}
