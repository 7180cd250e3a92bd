import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open, type Store, StoreError } from '../../store/index.js';
import { type Algorithm, type RateLimiterOptions, rateLimiter } from './index.js';

const ALGORITHMS: readonly Algorithm[] = ['token-bucket', 'gcra', 'fixed-window', 'sliding-window'];

async function bench(options: RateLimiterOptions) {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return { clock, store, limiter: rateLimiter(store, options), [Symbol.asyncDispose]: () => store.close() };
}

describe('Several windows', () => {
  const WINDOWS = [
    { limit: 2, per: 1_000, algorithm: 'sliding-window', name: 'second' },
    { limit: 3, per: 60_000, algorithm: 'fixed-window', name: 'minute' },
  ] as const;

  it('all must have enough units, and a refused call takes none', async () => {
    await using on = await bench({ windows: WINDOWS });
    const first = await on.limiter.take('x', 2);
    assert.deepEqual([first.isAllowed, first.remaining, first.fullIn], [true, 0, 60_000]);
    const refused = await on.limiter.take('x');
    assert.deepEqual([refused.isAllowed, refused.retryIn], [false, 1_000]);
    assert.deepEqual(refused.windows, [
      { name: 'second', limit: 2, per: 1_000, isAllowed: false, remaining: 0, nextIn: 1_000 },
      { name: 'minute', limit: 3, per: 60_000, isAllowed: true, remaining: 1, nextIn: 60_000 },
    ]);
    on.clock.advance(1_000);
    assert.equal((await on.limiter.take('x')).isAllowed, true, 'the minute still had its unit');
    const last = await on.limiter.take('x');
    assert.deepEqual([last.isAllowed, last.retryIn], [false, 59_000]);
    assert.equal((await on.limiter.look('x', 2)).windows[0]?.isAllowed, false);
  });

  it('count apart from a limiter of one of them', async () => {
    await using on = await bench({ windows: WINDOWS });
    const alone = rateLimiter(on.store, { limit: 2, per: 1_000, algorithm: 'sliding-window' });
    await on.limiter.take('x', 2);
    assert.equal((await alone.look('x')).remaining, 2);
    await on.limiter.reset('x');
    assert.equal((await on.limiter.look('x')).remaining, 2);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('agree with limiters of one window each, whatever happens', async () => {
    const windows = ALGORITHMS.map((algorithm, at) => ({ limit: 3 + at, per: 1_000 * (at + 1), algorithm }));
    const moves = fc.record({
      pause: fc.nat(900),
      call: fc.constantFrom('look', 'penalize', 'reward'),
      units: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 30 }), async (sequence) => {
        await using on = await bench({ windows });
        const single = windows.map((window) => rateLimiter(on.store, window));
        for (const { pause, call, units } of sequence) {
          on.clock.advance(pause);
          const together = await on.limiter[call as 'look']('x', units);
          const apart = await Promise.all(single.map((limiter) => limiter[call as 'look']('x', units)));
          assert.deepEqual(
            together.windows.map(({ isAllowed, remaining, nextIn }) => ({ isAllowed, remaining, nextIn })),
            apart.map(({ windows: [state] }) => ({
              isAllowed: state?.isAllowed,
              remaining: state?.remaining,
              nextIn: state?.nextIn,
            })),
          );
          assert.equal(together.retryIn, Math.max(...apart.map(({ retryIn }) => retryIn)));
          assert.equal(together.fullIn, Math.max(...apart.map(({ fullIn }) => fullIn)));
        }
      }),
      { numRuns: 30 },
    );
  });
});

for (const algorithm of ALGORITHMS) {
  describe(`Penalties, rewards and blocks of a ${algorithm}`, () => {
    it('a penalty takes units that are not there, at most one full window', async () => {
      await using on = await bench({ limit: 2, per: 1_000, algorithm });
      await on.limiter.take('x');
      const owing = await on.limiter.penalize('x', 2);
      assert.deepEqual([owing.isAllowed, owing.remaining], [false, 0]);
      assert.ok(owing.retryIn > 500, `${owing.retryIn}`);
      for (let i = 0; i < 5; i++) await on.limiter.penalize('x', 2);
      const { fullIn } = await on.limiter.look('x');
      assert.ok(fullIn <= 2_000, `${fullIn}`);
      on.clock.advance(fullIn + 1);
      assert.equal((await on.limiter.take('x', 2)).isAllowed, true);
    });

    it('a reward returns units, never more than there can be', async () => {
      await using on = await bench({ limit: 3, per: 60_000, algorithm });
      await on.limiter.take('x', 3);
      assert.equal((await on.limiter.reward('x')).remaining, 1);
      assert.equal((await on.limiter.reward('x', 3)).remaining, 3);
      assert.equal((await on.limiter.reward('new', 3)).remaining, 3);
      assert.equal((await on.limiter.take('x', 3)).isAllowed, true);
      assert.equal((await on.limiter.take('x')).isAllowed, false);
    });

    it('a refused name is blocked for the given time, which further calls do not extend', async () => {
      await using on = await bench({ limit: 1, per: 100, algorithm, block: 5_000 });
      assert.equal((await on.limiter.take('x')).isBlocked, false);
      const refused = await on.limiter.take('x');
      assert.deepEqual([refused.isAllowed, refused.isBlocked, refused.retryIn], [false, true, 5_000]);
      on.clock.advance(4_000);
      const again = await on.limiter.take('x');
      assert.deepEqual([again.isAllowed, again.isBlocked, again.retryIn], [false, true, 1_000]);
      assert.equal((await on.limiter.look('x')).isAllowed, false);
      on.clock.advance(1_001);
      assert.equal((await on.limiter.take('x')).isAllowed, true);
    });

    it('a name can be blocked by hand, until a reset', async () => {
      await using on = await bench({ limit: 5, per: 100, algorithm, block: 0 });
      await on.limiter.block('x', 1_000);
      assert.deepEqual((await on.limiter.take('x')).retryIn, 1_000);
      assert.equal((await on.limiter.take('y', 5)).isAllowed, true);
      assert.equal((await on.limiter.take('y', 5)).isBlocked, false, 'refused, but not blocked');
      await on.limiter.reset('x');
      assert.equal((await on.limiter.take('x')).isAllowed, true);
    });
  });
}

describe('The fast path for one window', () => {
  for (const algorithm of ALGORITHMS) {
    it(`decides as the code for all cases does: ${algorithm}`, async () => {
      const moves = fc.record({
        pause: fc.nat(700),
        call: fc.constantFrom('take', 'take', 'take', 'look', 'penalize', 'reward'),
        cost: fc.constantFrom(1, 1, 1, 2, 3),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(moves, { maxLength: 40 }), async (sequence) => {
          const window = { limit: 3, per: 1_000, algorithm };
          await using on = await bench(window);
          // A limiter that can block names has another key, and never takes the fast path.
          const other = rateLimiter(on.store, { ...window, block: 0, prefix: 'other' });
          for (const { pause, call, cost } of sequence) {
            on.clock.advance(pause);
            const decisions = [on.limiter, other].map((limiter) => limiter[call as 'take']('x', cost));
            const [fast, slow] = await Promise.all(decisions);
            assert.deepEqual(fast, slow);
            const state = async (prefix: string): Promise<unknown> => {
              const [key] = (await on.store.send('KEYS', `${prefix}:*`)) as string[];
              return key === undefined
                ? null
                : [await on.store.bytes.send('DUMP', key), await on.store.send('PTTL', key)];
            };
            assert.deepEqual(await state('rate'), await state('other'));
          }
        }),
        { numRuns: 40 },
      );
    });
  }
});

/** A store whose scripts fail while `isAway`, as those of a server that cannot be reached. */
async function failing() {
  const clock = new ManualClock(1_700_000_000_000);
  const real = await open('memory:', { clock });
  const state = { isAway: false, calls: 0, error: new StoreError('UNREACHABLE', 'away') };
  const override = (target: Store): Store =>
    new Proxy(target, {
      get(of, key) {
        if (key === 'with') return () => override(of);
        if (key === 'script') {
          return (definition: never) => {
            const run = of.script(definition) as (inputs: never) => Promise<unknown>;
            return (inputs: never) => {
              state.calls++;
              return state.isAway ? Promise.reject(state.error) : run(inputs);
            };
          };
        }
        const value = Reflect.get(of, key, of) as unknown;
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
  return { clock, state, store: override(real), [Symbol.asyncDispose]: () => real.close() };
}

describe('Insurance', () => {
  it('decides in this process while the store is away, with its share of each limit', async () => {
    await using on = await failing();
    const options = { limit: 8, per: 60_000, algorithm: 'fixed-window', insurance: { share: 0.25 } } as const;
    const limiter = rateLimiter(on.store, options);
    assert.deepEqual((await limiter.take('x', 5)).isInsured, false);
    on.state.isAway = true;
    const first = await limiter.take('x');
    assert.deepEqual([first.isAllowed, first.isInsured, first.remaining], [true, true, 1]);
    assert.equal((await limiter.take('x')).isAllowed, true);
    const refused = await limiter.take('x');
    assert.deepEqual([refused.isAllowed, refused.retryIn], [false, 60_000]);
    on.clock.advance(60_001);
    assert.equal((await limiter.take('x', 8)).isAllowed, true, 'costs all that this process has');
    assert.equal((await limiter.take('x')).isAllowed, false);
  });

  it('asks the store once a second, and returns to it when it answers', async () => {
    await using on = await failing();
    const limiter = rateLimiter(on.store, { limit: 3, per: 60_000, insurance: true });
    on.state.isAway = true;
    for (let i = 0; i < 5; i++) await limiter.take('x');
    assert.equal(on.state.calls, 1, 'the others were decided at once');
    on.clock.advance(1_000);
    await limiter.take('x');
    assert.equal(on.state.calls, 2);
    on.state.isAway = false;
    await limiter.take('x');
    assert.equal(on.state.calls, 2);
    on.clock.advance(1_000);
    assert.equal((await limiter.look('x')).isInsured, true, 'this call has asked, and did not wait');
    const back = await limiter.look('x');
    assert.deepEqual([back.isInsured, back.remaining], [false, 3]);
  });

  it('passes on errors that are no outage', async () => {
    await using on = await failing();
    const limiter = rateLimiter(on.store, { limit: 3, per: 60_000, insurance: true });
    on.state.isAway = true;
    on.state.error = new StoreError('NOPERM', 'NOPERM no permission');
    await assert.rejects(limiter.take('x'), { code: 'NOPERM' });
  });

  it('without it, calls reject', async () => {
    await using on = await failing();
    on.state.isAway = true;
    await assert.rejects(rateLimiter(on.store, { limit: 3, per: 60_000 }).take('x'), { code: 'UNREACHABLE' });
  });
});

describe('Options of a limiter', () => {
  it('are refused if they cannot be meant', async () => {
    await using store = await open();
    const refuses = (options: object, message: RegExp): void =>
      assert.throws(() => rateLimiter(store, options as never), { code: 'OPTION', message });
    const window = { limit: 1, per: 1 };
    refuses({}, /needs the option `limit`/);
    refuses({ limit: 1 }, /needs the option `per`/);
    refuses({ windows: [] }, /`windows` must be a list of windows/);
    refuses({ windows: [window], limit: 1 }, /either `windows` or `limit`, not both/);
    refuses({ windows: [window, window] }, /two windows have the name '1\/1ms'/);
    refuses({ windows: [{ limit: 1 }] }, /needs the option `per`/);
    refuses({ ...window, name: 'a"b' }, /printable ASCII/);
    refuses({ ...window, algorithm: 'fixed-window', burst: 2 }, /a fixed window has no `burst`/);
    refuses({ ...window, insurance: { share: 0 } }, /`share` must be above 0/);
    refuses({ ...window, insurance: { shares: 1 } }, /did you mean 'share'\?/);
    refuses({ ...window, block: -1 }, /`block` must be a number of whole milliseconds/);
    await assert.rejects(rateLimiter(store, window).block('x', 5), {
      code: 'OPTION',
      message: /the option `block`/,
    });
  });
});
