import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type StoreTime } from '../../../store/index.js';
import { KitError, Lease } from '../index.js';

async function withTime(test: (time: StoreTime, clock: ManualClock) => Promise<void>): Promise<void> {
  const clock = new ManualClock(1_000_000);
  await using store = await open('memory:', { clock });
  await test(store.time, clock);
}

describe('A lease', () => {
  it('is renewed when a third of it has passed', () =>
    withTime(async (time, clock) => {
      const at: number[] = [];
      const renew = async (): Promise<boolean> => at.push(time.now() - 1_000_000) > 0;
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew });
      await clock.run(3_500);
      assert.deepEqual(at, [1_000, 2_000, 3_000]);
      assert.ok(lease.isHeld);
      assert.equal(lease.heldUntil, 1_006_000);
      lease.stop();
      await clock.run(10_000);
      assert.equal(at.length, 3);
      assert.equal(lease.signal.aborted, false, 'a released lease is not lost');
    }));

  it('starts before the request: a slow reply leaves less time', () =>
    withTime(async (time, clock) => {
      const renew = async (): Promise<boolean> => {
        await time.sleep(500);
        return true;
      };
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew });
      await clock.run(1_500);
      assert.equal(lease.heldUntil, 1_000_000 + 1_000 + 3_000);
      lease.stop();
    }));

  it('is retried sooner after a failure, and lost if failures continue', () =>
    withTime(async (time, clock) => {
      const at: number[] = [];
      const renew = async (): Promise<boolean> => {
        at.push(time.now() - 1_000_000);
        throw new Error('cut off');
      };
      const lease = new Lease({ time, what: 'the thing', duration: 3_000, since: time.now(), renew });
      await clock.run(2_999);
      assert.deepEqual(at, [1_000, 1_300, 1_600, 1_900, 2_200, 2_500, 2_800]);
      assert.ok(lease.isHeld);
      await clock.run(1);
      assert.equal(lease.isHeld, false);
      assert.ok(lease.signal.reason instanceof KitError);
      assert.match(lease.signal.reason.message, /^the thing was lost: its lease ended before it was renewed/);
    }));

  it('recovers if a failure does not last', () =>
    withTime(async (time, clock) => {
      let calls = 0;
      const renew = async (): Promise<boolean> => {
        if (++calls % 3 !== 0) throw new Error('cut off');
        return true;
      };
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew });
      await clock.run(60_000);
      assert.ok(lease.isHeld);
      lease.stop();
    }));

  it('is lost if the server does not reply', () =>
    withTime(async (time, clock) => {
      const renew = (): Promise<boolean> => new Promise(() => {});
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew });
      let isTold = false;
      lease.signal.addEventListener('abort', () => {
        isTold = true;
      });
      await clock.run(2_999);
      assert.equal(isTold, false);
      await clock.run(1);
      assert.equal(isTold, true);
    }));

  it('is lost immediately if the server reports it', () =>
    withTime(async (time, clock) => {
      const renew = async (): Promise<boolean> => false;
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew });
      await clock.run(1_000);
      assert.ok(lease.signal.aborted);
    }));

  it('has an aborted signal even if the signal is first used after the loss', () =>
    withTime(async (time, clock) => {
      const lease = new Lease({ time, what: 'it', duration: 3_000, since: time.now(), renew: undefined });
      await clock.run(3_000);
      assert.ok(lease.signal.aborted);
      assert.equal((lease.signal.reason as KitError).code, 'LOST');
    }));
});
