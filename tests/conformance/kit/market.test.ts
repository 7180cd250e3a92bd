import assert from 'node:assert/strict';
import { type MarketVariant, market } from '../../../src/kit/market/index.js';
import { onEveryStore } from './support.js';

const VARIANTS: readonly MarketVariant[] = ['script', 'watch', 'lock', 'fine-lock'];

onEveryStore('Markets', (test) => {
  test('clients of all variants trade at once, and money and items are conserved', async (store, {
    space,
    another,
  }) => {
    const setUp = market(store, space);
    const users = VARIANTS.map((variant) => `user of ${variant}`);
    for (const user of users) {
      await setUp.deposit(user, 1_000);
      await setUp.give(user, 'sword', 5);
    }
    const clients = await Promise.all(
      VARIANTS.map(async (variant) => market(await another(), space, { variant, attempts: 1_000 })),
    );
    const outcomes: string[] = [];
    await Promise.all(
      clients.map(async (own, me) => {
        for (let i = 0; i < 8; i++) {
          await own.list(users[me]!, 'sword', 10 + ((i * 7 + me) % 5));
          const [cheapest] = await own.browse({ limit: 1 });
          if (cheapest === undefined) continue;
          outcomes.push((await own.purchase(users[me]!, cheapest.id, cheapest.price)).outcome);
        }
      }),
    );
    assert.ok(outcomes.includes('bought'));
    let [money, swords] = [0, (await setUp.browse({ limit: 1_000 })).length];
    for (const user of users) {
      money += await setUp.funds(user);
      swords += (await setUp.items(user)).get('sword') ?? 0;
    }
    assert.deepEqual([money, swords], [4_000, 20]);
  });

  for (const variant of VARIANTS) {
    test(`variant ${variant}: a listing is sold once, at its price`, async (store, { space, another }) => {
      const ours = market(store, space, { variant });
      const theirs = market(await another(), space, { variant });
      await ours.give('ann', '剑');
      for (const buyer of ['bob', 'cem']) await ours.deposit(buyer, 100);
      const listed = await ours.list('ann', '剑', 60);
      const id = listed.outcome === 'listed' ? listed.id : '';
      assert.deepEqual(await theirs.purchase('bob', id, 59), { outcome: 'repriced', price: 60 });
      const both = await Promise.all([ours.purchase('bob', id, 60), theirs.purchase('cem', id, 60)]);
      assert.deepEqual(both.map(({ outcome }) => outcome).sort(), ['bought', 'gone']);
      assert.equal(await theirs.funds('ann'), 60);
    });
  }
});
