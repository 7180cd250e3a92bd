/** The faults of hand-written semaphores, which those of the kit do not have: the guide's chapter 6. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { semaphores } from '../../src/kit/semaphores/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import { acquireFairSemaphore, acquireUnfairSemaphore } from './semaphores-by-hand.js';

let clock: ManualClock;
let store: EmbeddedStore;

beforeEach(async () => {
  clock = new ManualClock(1_700_000_000_000);
  store = await open('memory:', { clock });
});
afterEach(() => store.close());

/** One permit, ten seconds, asked for by a client whose clock is wrong by `wrongBy` seconds. */
function attempt(wrongBy = 0): { limit: number; timeout: number; now: number } {
  return { limit: 1, timeout: 10, now: clock.now() / 1000 + wrongBy };
}

describe('A client whose clock is slow', () => {
  it('steals a permit of the unfair semaphore: two clients have it', async () => {
    const rightful = await acquireUnfairSemaphore(store, 'remote', attempt());
    const thief = await acquireUnfairSemaphore(store, 'remote', attempt(-0.005));
    assert.ok(rightful && thief, 'five milliseconds are enough');
  });

  it('gets no permit from the semaphore with a counter', async () => {
    await acquireFairSemaphore(store, 'remote', attempt());
    assert.equal(await acquireFairSemaphore(store, 'remote', attempt(-0.005)), undefined);
  });
});

describe('A client whose clock is fast', () => {
  it('treats all holders as expired, with a counter or without: two clients have the permit', async () => {
    assert.ok(await acquireUnfairSemaphore(store, 'unfair', attempt()));
    assert.ok(await acquireUnfairSemaphore(store, 'unfair', attempt(11)));
    assert.ok(await acquireFairSemaphore(store, 'fair', attempt()));
    assert.ok(await acquireFairSemaphore(store, 'fair', attempt(11)));
  });

  it("does not affect the kit, which uses the server's clock", async () => {
    await using permit = await semaphores(store, { limit: 1 }).acquire('remote');
    const trueNow = Date.now;
    try {
      Date.now = () => trueNow() + 3_600_000;
      assert.equal(await semaphores(store, { limit: 1 }).tryAcquire('remote'), undefined);
    } finally {
      Date.now = trueNow;
    }
    assert.ok(permit.isHeld);
  });
});

describe('Two clients that arrive at the same moment', () => {
  it('both get the one permit of the semaphore with a counter, if the first is delayed between its two steps', async () => {
    let second: string | undefined;
    const first = await acquireFairSemaphore(store, 'remote', attempt(), async () => {
      second = await acquireFairSemaphore(store, 'remote', attempt());
    });
    assert.ok(first && second, 'the second has the greater number, but entered first');
  });

  it('never get more than the limit from the kit, where it is one step', async () => {
    const remote = semaphores(store, { limit: 1 });
    const both = await Promise.all([remote.tryAcquire('remote'), remote.tryAcquire('remote')]);
    assert.equal(both.filter(Boolean).length, 1);
  });
});
