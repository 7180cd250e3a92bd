import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type Store, StoreError } from '../../store/index.js';
import { type RateLimiterOptions, rateLimiter } from './index.js';
import type { Policy } from './policy.js';
import { RememberedRefusals } from './remembered-refusals.js';

/** A store that counts the calls of scripts. */
function counting(store: Store): { readonly store: Store; readonly calls: () => number } {
  let calls = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
      return (definition: never) => {
        const run = target.script(definition) as (inputs: never) => Promise<unknown>;
        return (inputs: never) => {
          calls++;
          return run(inputs);
        };
      };
    },
  });
  return { store: counted, calls: () => calls };
}

async function bench(options: RateLimiterOptions) {
  const clock = new ManualClock(1_700_000_000_000);
  const memory = await open('memory:', { clock });
  const { store, calls } = counting(memory);
  const limiter = rateLimiter(store, options);
  return { clock, limiter, calls, store: memory, [Symbol.asyncDispose]: () => memory.close() };
}

describe('A call that waits', () => {
  it('gets its units when there are enough, in the order of the calls', async () => {
    await using on = await bench({ limit: 10, per: 1_000, burst: 1 });
    const begun = on.clock.now();
    const got: string[] = [];
    const waits = Array.from({ length: 5 }, async (_, i) => {
      assert.equal((await on.limiter.wait('api')).isAllowed, true);
      got.push(`${i} at ${on.clock.now() - begun}`);
    });
    await on.clock.run(1_000);
    await Promise.all(waits);
    assert.deepEqual(got, ['0 at 0', '1 at 100', '2 at 200', '3 at 300', '4 at 400']);
    assert.equal(on.calls(), 9, 'one refused and one allowed call for each that waits');
    assert.equal((await on.limiter.wait('other', { cost: 1, within: 0 })).isAllowed, true);
  });

  it('ends at its time limit, or at once if the units will come later', async () => {
    await using on = await bench({ limit: 1, per: 10_000, algorithm: 'fixed-window' });
    await on.limiter.take('x');
    await assert.rejects(on.limiter.wait('x', { within: 9_999 }), {
      code: 'TIMEOUT',
      message: /'x' could not get its units within 9999 ms: there are enough in 10000 ms/,
    });
    const first = on.limiter.wait('x', { within: 30_000 });
    const behind = assert.rejects(on.limiter.wait('x', { within: 500 }), {
      code: 'TIMEOUT',
      message: /other calls are before it/,
    });
    const last = on.limiter.wait('x', { within: 60_000 });
    await on.clock.run(500);
    await behind;
    await on.clock.run(9_510);
    assert.equal((await first).isAllowed, true);
    await on.clock.run(10_010);
    assert.equal((await last).isAllowed, true);
  });

  it('ends with its signal, and those behind it go on', async () => {
    await using on = await bench({ limit: 1, per: 1_000 });
    await on.limiter.take('x');
    const controller = new AbortController();
    const { signal } = controller;
    const waits = assert.rejects(on.limiter.wait('x', { signal }), { code: 'ABORTED' });
    const behind = assert.rejects(on.limiter.wait('x', { signal }), { code: 'ABORTED' });
    const last = on.limiter.wait('x');
    await on.clock.run(10);
    controller.abort();
    await waits;
    await behind;
    await on.clock.run(1_000);
    assert.equal((await last).isAllowed, true);
    await assert.rejects(on.limiter.wait('x', { signal }), { code: 'ABORTED' });
  });

  it('tries again while the store is away', async () => {
    await using on = await bench({ limit: 1, per: 1_000 });
    let isAway = true;
    const away = new Proxy(on.store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
        return (definition: never) => {
          const run = target.script(definition) as (inputs: never) => Promise<unknown>;
          return (inputs: never) =>
            isAway ? Promise.reject(new StoreError('UNREACHABLE', 'no server')) : run(inputs);
        };
      },
    });
    const limiter = rateLimiter(away, { limit: 1, per: 1_000 });
    const late = assert.rejects(limiter.wait('x', { within: 300 }), {
      code: 'TIMEOUT',
      message: /no server/,
    });
    const begun = on.clock.now();
    await on.clock.run(300);
    await late;
    assert.equal(on.clock.now() - begun, 300);
    const waits = limiter.wait('x', { within: 1_000 });
    await on.clock.run(250);
    isAway = false;
    await on.clock.run(200);
    assert.equal((await waits).isAllowed, true);
  });

  it('notices units that are returned while it waits, and that the store is closed', async () => {
    await using on = await bench({ limit: 1, per: 3_600_000, algorithm: 'fixed-window' });
    const within = Number.POSITIVE_INFINITY;
    await on.limiter.take('x');
    const begun = on.clock.now();
    const waits = on.limiter.wait('x', { within }).then(() => on.clock.now() - begun);
    await on.clock.run(1_000);
    await on.limiter.reset('x');
    await on.clock.run(10_000);
    assert.equal(await waits, 5_000);
    const closed = [0, 1].map(() => assert.rejects(on.limiter.wait('x', { within }), { code: 'CLOSED' }));
    await on.clock.run(1_000);
    await on.store.close();
    await on.clock.run(5_000);
    await Promise.all(closed);
  });

  it('takes no units without telling: a store that answers a little late is waited for', async () => {
    await using on = await bench({ limit: 1, per: 1_000 });
    const slow = new Proxy(on.store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
        return (definition: never) => {
          const run = target.script(definition) as (inputs: never) => Promise<unknown>;
          return (inputs: never) => on.store.time.sleep(100).then(() => run(inputs));
        };
      },
    });
    const limiter = rateLimiter(slow, { limit: 1, per: 1_000 });
    for (const [name, within] of [
      ['x', 0],
      ['y', 50],
    ] as const) {
      const waits = limiter.wait(name, { within });
      await on.clock.run(100);
      assert.equal((await waits).isAllowed, true);
    }
  });

  it('refuses what cannot be', async () => {
    await using on = await bench({ limit: 2, per: 1_000 });
    await assert.rejects(on.limiter.wait('x', { cost: 3 }), { code: 'OPTION' });
    await assert.rejects(on.limiter.wait('x', { wihtin: 3 } as never), { code: 'OPTION', message: /within/ });
    const blocking = rateLimiter(on.store, { limit: 2, per: 1_000, block: 5 });
    await assert.rejects(blocking.wait('x'), { code: 'OPTION', message: /block/ });
    assert.equal((await rateLimiter(on.store, { limit: 2, per: 1_000, block: 0 }).wait('x')).remaining, 1);
  });
});

describe('A limiter that remembers refused calls', () => {
  const options = { limit: 2, per: 1_000, algorithm: 'fixed-window', rememberRefused: true } as const;

  it('does not ask the store until the call could be allowed', async () => {
    await using on = await bench(options);
    await on.limiter.take('x', 2);
    assert.deepEqual((await on.limiter.take('x')).retryIn, 1_000);
    assert.equal(on.calls(), 2);
    on.clock.advance(400);
    for (let i = 0; i < 100; i++) {
      const decision = await on.limiter.take('x', 1 + (i % 2));
      const { isAllowed, remaining, retryIn, fullIn, windows } = decision;
      assert.deepEqual(
        [isAllowed, remaining, retryIn, fullIn, windows[0]?.nextIn],
        [false, 0, 600, 600, 600],
      );
    }
    assert.equal((await on.limiter.look('x')).isAllowed, false);
    assert.equal(on.calls(), 2);
    assert.equal((await on.limiter.take('y')).isAllowed, true);
    on.clock.advance(601);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
  });

  it('asks for a smaller number of units, and after units were returned', async () => {
    await using on = await bench(options);
    await on.limiter.take('x');
    assert.equal((await on.limiter.take('x', 2)).isAllowed, false);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
    assert.equal((await on.limiter.take('x')).isAllowed, false);
    await on.limiter.reward('x');
    assert.equal((await on.limiter.take('x')).isAllowed, true);
    assert.equal((await on.limiter.take('x')).isAllowed, false);
    await on.limiter.reset('x');
    assert.equal((await on.limiter.take('x')).isAllowed, true);
    // A refusal that was on its way when the units were returned.
    await on.limiter.take('x');
    const [refused] = await Promise.all([on.limiter.take('x'), on.limiter.reset('x')]);
    assert.equal(refused.isAllowed, false);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
  });

  it('asks again if this process has refused by itself, while the store was away', async () => {
    await using on = await bench(options);
    await on.limiter.take('x', 2);
    const refused = await on.limiter.take('x');
    let asked = 0;
    const insured: Policy = {
      decide: async () => ({ ...refused, isInsured: ++asked > 0 }),
      block: async () => {},
      reset: async () => {},
    };
    const policy = new RememberedRefusals(insured, on.store.time);
    for (let i = 1; i <= 3; i++) {
      assert.equal((await policy.decide('x', 'take', 1)).isAllowed, false);
      assert.equal(asked, i);
    }
  });

  it('remembers a bounded number of names', async () => {
    await using on = await bench(options);
    for (let i = 0; i < 10_100; i++) {
      await on.limiter.take(`${i}`, 2);
      await on.limiter.take(`${i}`);
    }
    const before = on.calls();
    await on.limiter.take('0');
    assert.equal(on.calls(), before + 1, 'the oldest is forgotten');
    await on.limiter.take('10099');
    assert.equal(on.calls(), before + 1);
  });
});
