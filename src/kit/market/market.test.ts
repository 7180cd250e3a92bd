import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open, type Store } from '../../store/index.js';
import { type Market, type MarketVariant, market } from './index.js';

const VARIANTS: readonly MarketVariant[] = ['script', 'watch', 'lock', 'fine-lock'];

async function listed(own: Market, seller: string, item: string, price: number): Promise<string> {
  const result = await own.list(seller, item, price);
  assert.equal(result.outcome, 'listed');
  return result.outcome === 'listed' ? result.id : '';
}

for (const variant of VARIANTS) {
  describe(`A market, variant ${variant}`, () => {
    it('moves the item and the money', async () => {
      await using store = await open();
      const realm = market(store, 'realm', { variant });
      await realm.give('ann', 'sword', 2);
      await realm.deposit('bob', 2_000);
      const id = await listed(realm, 'ann', 'sword', 1_250);
      assert.deepEqual(await realm.browse(), [{ id, seller: 'ann', item: 'sword', price: 1_250 }]);
      assert.deepEqual(await realm.items('ann'), new Map([['sword', 1]]));
      assert.deepEqual(await realm.purchase('bob', id, 1_250), {
        outcome: 'bought',
        seller: 'ann',
        item: 'sword',
        price: 1_250,
      });
      assert.deepEqual([await realm.funds('ann'), await realm.funds('bob')], [1_250, 750]);
      assert.deepEqual(await realm.items('bob'), new Map([['sword', 1]]));
      assert.deepEqual(await realm.browse(), []);
    });

    it('has a distinct outcome for each reason not to sell', async () => {
      await using store = await open();
      const realm = market(store, 'realm', { variant });
      assert.deepEqual(await realm.list('ann', 'sword', 5), { outcome: 'missing' });
      await realm.give('ann', 'sword');
      const id = await listed(realm, 'ann', 'sword', 100);
      assert.deepEqual(await realm.purchase('bob', id, 100), { outcome: 'no-funds', funds: 0 });
      await realm.deposit('bob', 97);
      assert.deepEqual(await realm.purchase('bob', id, 100), { outcome: 'no-funds', funds: 97 });
      assert.equal(await realm.reprice('bob', id, 1), false, "not bob's");
      assert.equal(await realm.reprice('ann', id, 50), true);
      assert.deepEqual(await realm.purchase('bob', id, 100), { outcome: 'repriced', price: 50 });
      assert.equal(await realm.unlist('bob', id), false, "not bob's");
      assert.equal(await realm.unlist('ann', id), true);
      assert.deepEqual(await realm.purchase('bob', id, 50), { outcome: 'gone' });
      assert.deepEqual(await realm.items('ann'), new Map([['sword', 1]]));
      assert.equal(await realm.funds('bob'), 97);
    });

    it('keeps amounts exact up to 2^53 - 1, and leaves nothing of what is used up', async () => {
      await using store = await open();
      const realm = market(store, 'realm', { variant });
      await realm.deposit('bob', Number.MAX_SAFE_INTEGER);
      await assert.rejects(realm.deposit('ann', 1), { code: 'FULL' });
      await realm.give('ann', 'sword');
      const price = Number.MAX_SAFE_INTEGER - 2;
      const id = await listed(realm, 'ann', 'sword', price);
      assert.deepEqual(await realm.purchase('bob', id, price - 1), { outcome: 'repriced', price });
      assert.equal((await realm.purchase('bob', id, price)).outcome, 'bought');
      assert.deepEqual([await realm.funds('ann'), await realm.funds('bob')], [price, 2]);
      assert.equal(await realm.withdraw('ann', price), 0);
      assert.equal(await realm.withdraw('bob', 3), undefined);
      const own = await listed(realm, 'bob', 'sword', 2);
      assert.equal((await realm.purchase('bob', own, 2)).outcome, 'bought', 'their own listing');
      assert.equal(await realm.withdraw('bob', 2), 0);
      assert.equal(await realm.take('bob', 'sword', 2), undefined);
      assert.equal(await realm.take('bob', 'sword'), 0);
      const free = await (async () => {
        await realm.give('ann', 'gift');
        return listed(realm, 'ann', 'gift', 0);
      })();
      assert.equal((await realm.purchase('cem', free, 0)).outcome, 'bought');
      await realm.give('ann', 'gift');
      const dear = await listed(realm, 'ann', 'gift', 5);
      assert.deepEqual(await realm.purchase('dan', dear, 5), { outcome: 'no-funds', funds: 0 });
      await realm.unlist('ann', dear);
      await realm.take('ann', 'gift');
      await realm.take('cem', 'gift');
      assert.deepEqual(await leftIn(store), []);
    });

    it('sells a listing once, however many buy it at once', async () => {
      await using store = await open();
      const realm = market(store, 'realm', { variant });
      await realm.give('ann', 'sword');
      const buyers = Array.from({ length: 8 }, (_, i) => `buyer ${i}`);
      for (const buyer of buyers) await realm.deposit(buyer, 10);
      const id = await listed(realm, 'ann', 'sword', 10);
      const results = await Promise.all(buyers.map((buyer) => realm.purchase(buyer, id, 10)));
      const outcomes = results.map(({ outcome }) => outcome).sort();
      assert.deepEqual(outcomes, ['bought', ...Array(7).fill('gone')]);
      assert.equal(await realm.funds('ann'), 10);
    });

    it('a buyer does not spend money twice', async () => {
      await using store = await open();
      const realm = market(store, 'realm', { variant });
      await realm.give('ann', 'sword', 5);
      await realm.deposit('bob', 10);
      const ids = [];
      for (let i = 0; i < 5; i++) ids.push(await listed(realm, 'ann', 'sword', 10));
      const results = await Promise.all(ids.map((id) => realm.purchase('bob', id, 10)));
      assert.equal(results.filter(({ outcome }) => outcome === 'bought').length, 1);
      assert.deepEqual([await realm.funds('ann'), await realm.funds('bob')], [10, 0]);
      const again = await Promise.all([1, 2, 3].map(() => realm.list('bob', 'sword', 1)));
      assert.equal(again.filter(({ outcome }) => outcome === 'listed').length, 1, 'nor an item');
    });
  });
}

/** Keys that are left, without those of locks, which expire. */
async function leftIn(store: Store): Promise<string[]> {
  return ((await store.send('KEYS', '*')) as string[]).filter((key) => !key.startsWith('market-lock:'));
}

describe('A market', () => {
  it('behaves like a plain model in every variant, and conserves money and items', async () => {
    await using store = await open();
    let round = 0;
    const user = fc.constantFrom('ann', 'bob', 'cem');
    const item = fc.constantFrom('sword', 'shield');
    const price = fc.integer({ min: 0, max: 9 });
    const which = fc.nat(5);
    const step = fc.oneof(
      fc.record({ deposit: user, amount: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ withdraw: user, amount: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ give: user, item }),
      fc.record({ list: user, item, price }),
      fc.record({ purchase: user, which, price: fc.option(price, { nil: undefined }) }),
      fc.record({ reprice: user, which, price }),
      fc.record({ unlist: user, which }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(3)), { maxLength: 40 }), async (steps) => {
        const name = `r${round++}`;
        // Clients of different variants share the market.
        const clients = VARIANTS.map((variant) => market(store, name, { variant }));
        const model = new ModelMarket();
        const ids: string[] = [];
        for (const [one, client] of steps) {
          const own = clients[client] as Market;
          const id = 'which' in one ? (ids[one.which] ?? 'none') : '';
          if ('deposit' in one) {
            assert.equal(await own.deposit(one.deposit, one.amount), model.pay(one.deposit, one.amount));
          } else if ('withdraw' in one) {
            assert.equal(await own.withdraw(one.withdraw, one.amount), model.pay(one.withdraw, -one.amount));
          } else if ('give' in one) {
            assert.equal(await own.give(one.give, one.item), model.carry(one.give, one.item, 1));
          } else if ('list' in one) {
            const result = await own.list(one.list, one.item, one.price);
            assert.equal(
              result.outcome,
              model.carry(one.list, one.item, -1) === undefined ? 'missing' : 'listed',
            );
            if (result.outcome !== 'listed') continue;
            ids.push(result.id);
            model.listings.set(result.id, { seller: one.list, item: one.item, price: one.price });
          } else if ('purchase' in one) {
            const expected = one.price ?? model.listings.get(id)?.price ?? 0;
            assert.deepEqual(
              await own.purchase(one.purchase, id, expected),
              model.purchase(one.purchase, id, expected),
            );
          } else if ('reprice' in one) {
            const listing = model.owned(one.reprice, id);
            assert.equal(await own.reprice(one.reprice, id, one.price), listing !== undefined);
            if (listing !== undefined) listing.price = one.price;
          } else {
            const listing = model.owned(one.unlist, id);
            assert.equal(await own.unlist(one.unlist, id), listing !== undefined);
            if (listing === undefined) continue;
            model.listings.delete(id);
            model.carry(one.unlist, listing.item, 1);
          }
        }
        for (const [i, name] of ['ann', 'bob', 'cem'].entries()) {
          const own = clients[i] as Market;
          assert.equal(await own.funds(name), model.funds.get(name) ?? 0);
          assert.deepEqual(Object.fromEntries(await own.items(name)), model.itemsOf(name));
        }
        const found = await clients[3]?.browse();
        assert.deepEqual(new Map(found?.map(({ id, ...rest }) => [id, rest])), model.listings);
        const sum = [...model.funds.values()].reduce((all, one) => all + one, 0);
        assert.equal(Number(await store.get(`market:{${name}}:total`)), sum);
      }),
      { numRuns: 60 },
    );
  });

  it('reads pages of listings, cheapest first', async () => {
    await using store = await open();
    const realm = market(store, 'realm');
    await realm.give('ann', 'sword', 5);
    for (const price of [30, 10, 50, 20, 40]) await realm.list('ann', 'sword', price);
    const prices = async (offset: number): Promise<number[]> =>
      (await realm.browse({ offset, limit: 2 })).map((listing) => listing.price);
    assert.deepEqual([await prices(0), await prices(2), await prices(4)], [[10, 20], [30, 40], [50]]);
  });

  it('refuses amounts that are not whole numbers of the smallest unit', async () => {
    await using store = await open();
    const realm = market(store, 'realm');
    await realm.give('ann', 'sword');
    for (const price of [9.99, -1, Number.NaN, 2 ** 53]) {
      await assert.rejects(realm.list('ann', 'sword', price), /whole number of the smallest unit \(cents\)/);
    }
    await assert.rejects(realm.deposit('ann', 0), { code: 'OPTION' });
    await assert.rejects(realm.give('ann', 'sword', 0.5), { code: 'OPTION' });
  });

  it('counts retries, and gives up after `attempts`', async () => {
    await using store = await open();
    let retries = 0;
    const realm = market(store, 'realm', { variant: 'watch', attempts: 3, onRetry: () => retries++ });
    await realm.give('ann', 'sword');
    await realm.deposit('bob', 10);
    const id = await listed(realm, 'ann', 'sword', 10);
    // Every look at the listing is followed by a change of it.
    const changing = new Proxy(store, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
        return (options: never, build: (queue: unknown, watched: unknown) => Promise<unknown>) =>
          target.transaction(options, (async (queue: unknown, watched: unknown) => {
            const built = await build(queue, watched);
            await target.send('HINCRBY', `market:{realm}:listing:${id}`, 'looks', 1);
            return built;
          }) as never);
      },
    });
    const unlucky = market(changing, 'realm', { variant: 'watch', attempts: 3, onRetry: () => retries++ });
    await assert.rejects(unlucky.purchase('bob', id, 10), { code: 'CONFLICT' });
    assert.equal(retries, 2);
    assert.equal((await realm.purchase('bob', id, 10)).outcome, 'bought');
  });
});

class ModelMarket {
  readonly funds = new Map<string, number>();
  readonly items = new Map<string, number>();
  readonly listings = new Map<string, { seller: string; item: string; price: number }>();

  pay(user: string, amount: number): number | undefined {
    const has = (this.funds.get(user) ?? 0) + amount;
    if (has < 0) return undefined;
    this.funds.set(user, has);
    return has;
  }

  carry(user: string, item: string, quantity: number): number | undefined {
    const count = (this.items.get(`${user}/${item}`) ?? 0) + quantity;
    if (count < 0) return undefined;
    this.items.set(`${user}/${item}`, count);
    return count;
  }

  itemsOf(user: string): Record<string, number> {
    const own = [...this.items].filter(([name, count]) => name.startsWith(`${user}/`) && count > 0);
    return Object.fromEntries(own.map(([name, count]) => [name.slice(user.length + 1), count]));
  }

  owned(user: string, id: string) {
    const listing = this.listings.get(id);
    return listing?.seller === user ? listing : undefined;
  }

  purchase(buyer: string, id: string, expected: number): object {
    const listing = this.listings.get(id);
    if (listing === undefined) return { outcome: 'gone' };
    if (listing.price !== expected) return { outcome: 'repriced', price: listing.price };
    const funds = this.funds.get(buyer) ?? 0;
    if (funds < expected) return { outcome: 'no-funds', funds };
    this.pay(buyer, -expected);
    this.pay(listing.seller, expected);
    this.carry(buyer, listing.item, 1);
    this.listings.delete(id);
    return { outcome: 'bought', ...listing };
  }
}
