/** The faults of hand-written locks, which those of the kit do not have: the guide's chapter 6. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  acquireLockWithTimeout,
  acquirePlainLock,
  releaseCarelessly,
  releaseInTwoSteps,
  releaseWithWatch,
} from '../../src/console/labs/listings/locks.js';
import { locks } from '../../src/kit/locks/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

const YEAR = 365 * 86_400_000;

let clock: ManualClock;
let store: EmbeddedStore;

beforeEach(async () => {
  clock = new ManualClock(1_700_000_000_000);
  store = await open('memory:', { clock });
});
afterEach(() => store.close());

describe('A holder that dies', () => {
  it('keeps a plain SETNX lock forever', async () => {
    await acquirePlainLock(store, 'market');
    clock.advance(YEAR);
    assert.equal(await acquirePlainLock(store, 'market'), undefined);
  });

  it('keeps a lock with a time limit forever, if it dies between SETNX and EXPIRE', async () => {
    await acquireLockWithTimeout(store, 'market', 10, { diesInBetween: true });
    clock.advance(YEAR);
    assert.equal(await acquireLockWithTimeout(store, 'market', 10), undefined);
  });

  it('keeps a lock of the kit until its lease ends', async () => {
    await locks(store).acquire('market', { lease: 10_000, renew: false });
    clock.advance(9_999);
    assert.equal(await locks(store).tryAcquire('market'), undefined);
    clock.advance(1);
    await using lock = await locks(store).tryAcquire('market');
    assert.ok(lock);
  });
});

describe('A holder that takes longer than its time limit', () => {
  it("releases another's lock if it does not check the holder", async () => {
    await acquireLockWithTimeout(store, 'market', 10);
    clock.advance(11_000);
    const second = await acquireLockWithTimeout(store, 'market', 10);
    assert.ok(second);
    await releaseCarelessly(store, 'market');
    assert.ok(
      await acquireLockWithTimeout(store, 'market', 10),
      'a third client has it while the second works',
    );
  });

  it("releases another's lock if check and deletion are two steps", async () => {
    const first = await acquireLockWithTimeout(store, 'market', 10);
    const isReleased = await releaseInTwoSteps(store, 'market', first as string, async () => {
      clock.advance(11_000);
      assert.ok(await acquireLockWithTimeout(store, 'market', 10), 'the second client has it');
    });
    assert.equal(isReleased, true, 'it assumes that it released its own lock');
    assert.ok(
      await acquireLockWithTimeout(store, 'market', 10),
      'a third client has it while the second works',
    );
  });

  it('does not know that it has lost the lock, and continues to work', async () => {
    const first = await acquireLockWithTimeout(store, 'market', 10);
    clock.advance(11_000);
    const second = await acquireLockWithTimeout(store, 'market', 10);
    await store.send('SET', 'price', 'of the second');
    await store.send('SET', 'price', 'of the first, who has no lock');
    assert.equal(await store.send('GET', 'price'), 'of the first, who has no lock');
    assert.equal(await releaseWithWatch(store, 'market', first as string), false, 'too late to know');
    assert.equal(await releaseWithWatch(store, 'market', second as string), true);
  });

  it('keeps a lock of the kit, which is renewed', async () => {
    await using lock = await locks(store).acquire('market', { lease: 10_000 });
    await clock.run(60_000);
    assert.ok(lock.isHeld);
    assert.equal(await locks(store).tryAcquire('market'), undefined);
  });

  it('is informed by a lock of the kit, and its token is refused', async () => {
    const first = await locks(store).acquire('market', { lease: 10_000, renew: false });
    await clock.run(11_000);
    assert.ok(first.signal.aborted, 'told');
    await using second = await locks(store).acquire('market');
    const write = store.script({
      keys: ['price'],
      args: ['token', 'text'],
      lua: `if tonumber(redis.call('HGET', price, 'token') or 0) > tonumber(token) then return 0 end
            redis.call('HSET', price, 'token', token, 'text', text)
            return 1`,
    });
    assert.equal(await write({ price: 'price', token: second.token, text: 'of the second' }), 1);
    assert.equal(await write({ price: 'price', token: first.token, text: 'of the first' }), 0);
    assert.equal(await store.send('HGET', 'price', 'text'), 'of the second');
  });
});

describe('Waiters', () => {
  it('poll hundreds of times a second for a lock by hand, and the last one may be served first', async () => {
    await acquirePlainLock(store, 'market');
    let questions = 0;
    let isHad = false;
    const poll = async (): Promise<void> => {
      while (!isHad) {
        questions++;
        isHad = (await acquirePlainLock(store, 'market')) !== undefined;
        if (!isHad) await store.time.sleep(1);
      }
    };
    const polling = poll();
    for (let step = 0; step < 10; step++) await clock.run(100);
    assert.ok(questions >= 500, `${questions}`);
    await releaseCarelessly(store, 'market');
    assert.ok(await acquirePlainLock(store, 'market'), 'a new client was faster');
    await releaseCarelessly(store, 'market');
    await clock.run(1);
    await polling;
  });

  it('are notified by the kit, in the order of arrival', async () => {
    const market = locks(store, { fair: true });
    const first = await market.acquire('market');
    const waiting = market.acquire('market');
    await clock.run(1_000);
    const before = await commandsProcessed();
    await clock.run(1_000);
    assert.equal((await commandsProcessed()) - before, 1, 'only this command was sent');
    await first.release();
    assert.equal(await market.tryAcquire('market'), undefined, 'a new client must wait');
    await (await waiting).release();
  });
});

async function commandsProcessed(): Promise<number> {
  const info = String(await store.send('INFO', 'stats'));
  return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
}
