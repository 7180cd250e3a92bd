import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type Sessions, sessions } from '../sessions/index.js';
import { type CartItem, type Carts, type CartsOptions, carts } from './index.js';

const HOUR = 3_600_000;

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly all: Sessions;
  readonly shop: Carts;
}

async function bench(options: Partial<CartsOptions> = {}, limit = 10): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const all = sessions(store, { idle: HOUR, limit });
  const shop = carts(store, { sessions: all, ...options });
  return { clock, store, all, shop, [Symbol.asyncDispose]: () => store.close() };
}

const tableOf = (items: readonly CartItem[]): Record<string, number> =>
  Object.fromEntries(items.map(({ item, count }) => [item, count]));

describe('The cart of a session', () => {
  it('has counts that are set, changed and removed', async () => {
    await using on = await bench();
    const { token } = await on.all.create();
    const cart = on.shop.ofSession(token);
    assert.equal(await cart.set('book', 2), 2);
    assert.equal(await cart.add('book'), 3);
    assert.equal(await cart.add('book', -1), 2);
    assert.equal(await cart.set('lamp', 1), 1);
    assert.deepEqual(await cart.items(), [
      { item: 'book', count: 2 },
      { item: 'lamp', count: 1 },
    ]);
    assert.equal(await cart.set('book', 0), 0);
    assert.equal(await cart.add('lamp', -5), 0);
    assert.deepEqual(await cart.items(), []);
    await cart.set('vase', 1);
    await cart.remove('vase');
    await cart.set('book', 1);
    await cart.clear();
    assert.deepEqual(await cart.items(), []);
  });

  it('needs a session, keeps it alive and ends with it', async () => {
    await using on = await bench();
    assert.equal(await on.shop.ofSession('unknown').set('book', 1), undefined);
    assert.deepEqual(await on.shop.ofSession('unknown').items(), []);
    const { token } = await on.all.create();
    const cart = on.shop.ofSession(token);
    await cart.set('book', 1);
    for (let i = 0; i < 4; i++) {
      on.clock.advance(HOUR / 2);
      await on.all.touch(token);
    }
    assert.deepEqual(tableOf(await cart.items()), { book: 1 }, 'visits keep it');
    on.clock.advance(HOUR - 1);
    assert.equal(await cart.add('book'), 2, 'changes are visits');
    on.clock.advance(HOUR + HOUR / 1_000);
    assert.deepEqual(await cart.items(), []);
    assert.equal(await cart.add('book'), undefined);
    assert.equal(await on.all.count(), 0);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('is removed with its session, by the cleaner too', async () => {
    await using on = await bench({}, 2);
    const tokens: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { token } = await on.all.create();
      await on.shop.ofSession(token).set('book', 1);
      tokens.push(token);
      on.clock.advance(1);
    }
    await on.all.clean();
    const keys = (await on.store.send('KEYS', '*:cart:*')) as string[];
    assert.equal(keys.length, 2);
    await on.all.revoke(tokens[3] as string);
    assert.deepEqual(await on.shop.ofSession(tokens[3] as string).items(), []);
    assert.deepEqual(tableOf(await on.shop.ofSession(tokens[2] as string).items()), { book: 1 });
  });

  it('goes with its session when that gets another token', async () => {
    await using on = await bench();
    const { token } = await on.all.create();
    await on.shop.ofSession(token).set('book', 2);
    const rotated = await on.all.rotate(token, { user: 'ann' });
    assert.deepEqual(tableOf(await on.shop.ofSession(rotated?.token as string).items()), { book: 2 });
    assert.deepEqual(await on.shop.ofSession(token).items(), []);
  });

  it('is limited', async () => {
    await using on = await bench({ maxItems: 2, maxCount: 5 });
    const { token } = await on.all.create();
    const cart = on.shop.ofSession(token);
    await cart.set('a', 5);
    await cart.set('b', 1);
    await assert.rejects(cart.set('c', 1), { code: 'FULL', message: /no room for 'c'/ });
    await assert.rejects(cart.add('a'), { code: 'FULL', message: /more than 5 of 'a'/ });
    assert.deepEqual(tableOf(await cart.items()), { a: 5, b: 1 });
  });
});

describe('The cart of a user', () => {
  it('is the same in all sessions, and is kept for a while', async () => {
    await using on = await bench({ keep: 10 * HOUR });
    await on.shop.ofUser('ann').set('book', 2);
    assert.deepEqual(tableOf(await on.shop.ofUser('ann').items()), { book: 2 });
    on.clock.advance(10 * HOUR + 1);
    assert.deepEqual(await on.shop.ofUser('ann').items(), []);
  });

  it('takes in the cart of a session at a login', async () => {
    for (const [rule, expected] of [
      ['add', { book: 5, lamp: 1, vase: 4 }],
      ['max', { book: 3, lamp: 1, vase: 4 }],
      ['keep', { book: 3, lamp: 1, vase: 4 }],
      ['replace', { book: 2, lamp: 1, vase: 4 }],
    ] as const) {
      await using on = await bench();
      const { token } = await on.all.create();
      await on.shop.ofSession(token).set('book', 2);
      await on.shop.ofSession(token).set('lamp', 1);
      await on.shop.ofUser('ann').set('book', 3);
      await on.shop.ofUser('ann').set('vase', 4);
      const { items, refused } = await on.shop.merge(token, 'ann', { rule });
      assert.deepEqual(tableOf(items), expected, rule);
      assert.deepEqual(refused, []);
      assert.deepEqual(await on.shop.ofSession(token).items(), []);
      assert.deepEqual(tableOf((await on.shop.merge(token, 'ann', { rule })).items), expected, 'once');
    }
  });

  it('says for what it had no room', async () => {
    await using on = await bench({ maxItems: 2, maxCount: 5 });
    const { token } = await on.all.create();
    await on.shop.ofSession(token).set('a', 4);
    await on.shop.ofSession(token).set('b', 1);
    await on.shop.ofUser('ann').set('a', 3);
    await on.shop.ofUser('ann').set('c', 1);
    const { items, refused } = await on.shop.merge(token, 'ann');
    assert.deepEqual([tableOf(items), refused], [{ a: 5, c: 1 }, ['b']]);
  });
});

/** A store whose scripts fail once, at the given call: before or after the server has run it. */
function failing(store: EmbeddedStore, call: number, isRun: boolean): EmbeddedStore {
  let calls = 0;
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'script') return Reflect.get(target, name, target);
      return (definition: never) => {
        const bound = target.script(definition) as (inputs: never) => Promise<unknown>;
        return async (inputs: never) => {
          const isNow = ++calls === call;
          if (isNow && !isRun) throw new Error('the process died');
          const reply = await bound(inputs);
          if (isNow) throw new Error('the process died');
          return reply;
        };
      };
    },
  });
}

describe('Merging', () => {
  it('loses nothing and counts nothing twice, wherever a process dies', async () => {
    for (let call = 1; call <= 3; call++) {
      for (const isRun of [false, true]) {
        await using on = await bench();
        const { token } = await on.all.create();
        await on.shop.ofSession(token).set('book', 2);
        await on.shop.ofUser('ann').set('book', 1);
        const dying = carts(failing(on.store, call, isRun), { sessions: on.all });
        await assert.rejects(dying.merge(token, 'ann'), /died/);
        await on.shop.ofSession(token).add('book', 10);
        await on.shop.ofSession(token).set('lamp', 1);
        await on.shop.merge(token, 'ann');
        const { items } = await on.shop.merge(token, 'ann');
        assert.deepEqual(
          tableOf(items),
          { book: 13, lamp: 1 },
          `call ${call}, ${isRun ? 'after' : 'before'}`,
        );
      }
    }
  });

  it('that began for one user is finished for that user', async () => {
    await using on = await bench();
    const { token } = await on.all.create();
    await on.shop.ofSession(token).set('book', 2);
    const dying = carts(failing(on.store, 2, true), { sessions: on.all });
    await assert.rejects(dying.merge(token, 'ann'), /died/);
    await on.shop.ofSession(token).set('lamp', 1);
    assert.deepEqual(tableOf((await on.shop.merge(token, 'bob')).items), { lamp: 1 });
    assert.deepEqual(tableOf(await on.shop.ofUser('ann').items()), { book: 2 });
  });

  it('is the same as with plain tables, whatever happens before', async () => {
    const item = fc.constantFrom('a', 'b', 'c');
    const count = fc.integer({ min: -2, max: 4 });
    const owner = fc.constantFrom('s0', 's1', 'ann', 'bob');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), owner, item, count }),
      fc.record({ kind: fc.constant('add' as const), owner, item, count }),
      fc.record({
        kind: fc.constant('merge' as const),
        from: fc.constantFrom('s0', 's1'),
        to: fc.constantFrom('ann', 'bob'),
        diesAt: fc.nat(6),
        isRun: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await using on = await bench();
        const tokens = { s0: (await on.all.create()).token, s1: (await on.all.create()).token };
        const isSession = (name: string): name is 's0' | 's1' => name in tokens;
        const cartOf = (name: string) =>
          isSession(name) ? on.shop.ofSession(tokens[name]) : on.shop.ofUser(name);
        const tables = new Map(['s0', 's1', 'ann', 'bob'].map((name) => [name, new Map<string, number>()]));
        const put = (name: string, item: string, count: number): void => {
          if (count > 0) tables.get(name)?.set(item, count);
          else tables.get(name)?.delete(item);
        };
        for (const step of steps) {
          if (step.kind === 'merge') {
            const dying = carts(failing(on.store, step.diesAt, step.isRun), { sessions: on.all });
            const token = tokens[step.from as 's0' | 's1'];
            await dying.merge(token, step.to).catch(() => on.shop.merge(token, step.to));
            for (const [item, count] of tables.get(step.from) ?? []) {
              put(step.to, item, (tables.get(step.to)?.get(item) ?? 0) + count);
            }
            tables.get(step.from)?.clear();
          } else if (step.kind === 'set') {
            await cartOf(step.owner).set(step.item, step.count);
            put(step.owner, step.item, step.count);
          } else {
            await cartOf(step.owner).add(step.item, step.count);
            put(step.owner, step.item, (tables.get(step.owner)?.get(step.item) ?? 0) + step.count);
          }
        }
        for (const [name, table] of tables) {
          assert.deepEqual(tableOf(await cartOf(name).items()), Object.fromEntries(table), name);
        }
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
    );
  });
});
