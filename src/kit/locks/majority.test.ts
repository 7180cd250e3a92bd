import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type Store, StoreError } from '../../store/index.js';
import { type MajorityLocks, type MajorityLocksOptions, majorityLocks } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly stores: readonly Store[];
  readonly here: MajorityLocks;
  readonly there: MajorityLocks;
}

async function bench(options: MajorityLocksOptions = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const stores = await Promise.all([1, 2, 3].map(() => open('memory:', { clock })));
  return {
    clock,
    stores,
    here: majorityLocks(stores, options),
    there: majorityLocks(stores, options),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.code : String(error);
}

describe('A majority lock', () => {
  it('is held by one client, and by the next after its release', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    assert.equal(await on.there.tryAcquire('x'), undefined);
    assert.equal(await first.release(), true);
    const second = await on.there.tryAcquire('x');
    assert.ok(second?.isHeld && second.token > first.token);
  });

  it('stays held while a minority of the stores is unreachable', async () => {
    await using on = await bench();
    await on.stores[0]?.close();
    const lock = await on.here.acquire('x');
    assert.equal(await on.there.tryAcquire('x'), undefined);
    await on.clock.run(3_600_000);
    assert.ok(lock.isHeld);
    assert.equal(await lock.release(), true);
  });

  it('cannot be acquired while a majority is unreachable', async () => {
    await using on = await bench();
    await Promise.all([on.stores[0]?.close(), on.stores[2]?.close()]);
    assert.equal(await on.here.tryAcquire('x'), undefined);
    const waiting = on.here.acquire('x', { wait: 2_000 });
    const outcome = codeOf(waiting);
    await on.clock.run(3_000);
    assert.equal(await outcome, 'TIMEOUT');
  });

  it('is lost when a majority loses it, but not when one store does', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    await on.stores[1]?.send('FLUSHALL');
    await on.clock.run(60_000);
    assert.ok(lock.isHeld);
    assert.equal(await on.stores[1]?.send('HLEN', 'lock:{x}:state'), 2, 'the store has the lock again');
    await Promise.all([on.stores[0]?.send('FLUSHALL'), on.stores[1]?.send('FLUSHALL')]);
    await on.clock.run(10_000);
    assert.equal(lock.isHeld, false);
    assert.equal((lock.signal.reason as StoreError).code, 'LOST');
  });

  it('is waited for until it is released', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = on.there.acquire('x');
    await on.clock.run(1_000);
    await lock.release();
    await on.clock.run(50);
    assert.ok((await waiting).isHeld);
  });

  it('is held by competing clients one after the other', async () => {
    await using on = await bench();
    let inside = 0;
    let done = 0;
    const tokens: number[] = [];
    const work = Array.from({ length: 6 }, async (_, i) => {
      await using lock = await (i % 2 === 0 ? on.here : on.there).acquire('x', {
        wait: Number.POSITIVE_INFINITY,
      });
      assert.equal(++inside, 1);
      tokens.push(lock.token);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      done++;
    });
    while (done < work.length) await on.clock.run(100);
    await Promise.all(work);
    assert.deepEqual(
      tokens,
      tokens.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('has a greater token each time, whichever stores grant it and however their clocks differ', async () => {
    await using on = await bench();
    // The first store is an hour ahead.
    const ahead = (on.clock.now() + 3_600_000) * 1000;
    await on.stores[0]?.send('HSET', 'lock:{x}:state', 'fence', ahead);
    const first = await on.here.acquire('x');
    assert.ok(first.token > ahead);
    await first.release();
    await on.stores[0]?.close();
    const second = await on.there.acquire('x');
    assert.ok(second.token > first.token);
  });

  it('counts as held for a little less than the lease, because clocks may differ', async () => {
    await using on = await bench({ renew: false, lease: 10_000 });
    const lock = await on.here.acquire('x');
    await on.clock.run(9_897);
    assert.ok(lock.isHeld);
    await on.clock.run(1);
    assert.equal(lock.isHeld, false);
    assert.equal(await on.there.tryAcquire('x'), undefined);
  });

  it('gives up when its signal aborts', async () => {
    await using on = await bench();
    await on.here.acquire('x');
    const abort = new AbortController();
    const outcome = codeOf(on.there.acquire('x', { signal: abort.signal }));
    await on.clock.run(1_000);
    abort.abort();
    await on.clock.run(100);
    assert.equal(await outcome, 'ABORTED');
  });

  it('needs an odd number of stores, and options that exist', async () => {
    await using on = await bench();
    assert.throws(
      () => majorityLocks(on.stores.slice(0, 2)),
      /an odd number of different stores, at least 3, not 2/,
    );
    const misspelt = JSON.parse('{"patienc": 1}') as MajorityLocksOptions;
    assert.throws(() => majorityLocks(on.stores, misspelt), /no option 'patienc': did you mean 'patience'\?/);
  });
});
