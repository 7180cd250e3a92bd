import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench } from '../../../tests/support/kit-locks.js';

describe('The status of a lock', () => {
  it('shows the holders, their leases and the number of waiters', async () => {
    await using on = await bench({ lease: 10_000, renew: false });
    assert.deepEqual(await on.here.status('x'), { holders: [], waiting: 0 });
    const lock = await on.here.acquire('x');
    const waiting = [on.here.acquire('x', { fair: true }), on.here.acquire('x', { fair: true })];
    await on.clock.run(4_000);
    const { holder, token } = lock;
    const held = { holder, token, isShared: false, acquisitions: 1, leaseLeft: 6_000 };
    assert.deepEqual(await on.here.status('x'), { holders: [held], waiting: 2 });
    await lock.release();
    await (await waiting[0])?.release();
    await (await waiting[1])?.release();
    assert.deepEqual(await on.here.status('x'), { holders: [], waiting: 0 });
  });

  it('counts a holder once, however often it has acquired the lock, and lists all holders of a shared lock', async () => {
    await using on = await bench({ lease: 10_000, renew: false });
    const first = await on.here.acquire('x', { shared: true });
    await on.clock.run(1_000);
    await on.here.acquire('x', { shared: true, holder: first.holder });
    const second = await on.here.acquire('x', { shared: true });
    const { holders } = await on.here.status('x');
    assert.deepEqual(
      new Map(
        holders.map(({ holder, acquisitions, isShared, leaseLeft }) => [
          holder,
          { acquisitions, isShared, leaseLeft },
        ]),
      ),
      new Map([
        [first.holder, { acquisitions: 2, isShared: true, leaseLeft: 10_000 }],
        [second.holder, { acquisitions: 1, isShared: true, leaseLeft: 10_000 }],
      ]),
    );
  });

  it('omits holders whose lease has ended, and dead waiters', async () => {
    await using on = await bench({ lease: 10_000, renew: false });
    await on.here.acquire('x');
    const dead = `${on.clock.now() - 1} channel g x 10000 1 h`;
    await on.store.send('HSET', 'lock:{x}:waiters', 'dead', dead);
    await on.store.send('ZADD', 'lock:{x}:queue', 1, 'dead');
    assert.equal((await on.here.status('x')).waiting, 0);
    on.clock.advance(10_000);
    assert.deepEqual((await on.here.status('x')).holders, []);
  });
});

describe('A forced release', () => {
  it('gives the lock to the next waiter, with a greater token, and the former holder loses it', async () => {
    await using on = await bench({ lease: 30_000 });
    const stuck = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(1_000);
    assert.equal(await on.here.forceRelease('x'), 1);
    const next = await waiting;
    assert.ok(next.token > stuck.token);
    await on.clock.run(10_000);
    assert.equal(stuck.isHeld, false);
    assert.equal((stuck.signal.reason as { code: string }).code, 'LOST');
    assert.equal(await stuck.release(), false);
    assert.ok(next.isHeld);
    assert.equal(await next.release(), true);
  });

  it('can be limited to one holder, so that it does not affect the next one', async () => {
    await using on = await bench();
    const stuck = await on.here.acquire('x');
    assert.equal(await on.here.forceRelease('x', { holder: 'another' }), 0);
    assert.equal(await on.here.forceRelease('x', { holder: stuck.holder }), 1);
    const next = await on.here.acquire('x');
    assert.equal(await on.here.forceRelease('x', { holder: stuck.holder }), 0);
    assert.ok(await next.renew());
  });

  it('takes a shared lock from one holder or from all', async () => {
    await using on = await bench();
    const readers = [];
    for (let i = 0; i < 3; i++) readers.push(await on.here.acquire('x', { shared: true }));
    await on.here.acquire('x', { shared: true, holder: readers[0]?.holder as string });
    const writing = on.here.readWrite('x').write();
    await on.clock.run(100);
    assert.equal(await on.here.forceRelease('x', { holder: readers[0]?.holder as string }), 1);
    assert.equal((await on.here.status('x')).holders.length, 2, 'with both of its acquisitions');
    assert.equal(await on.here.forceRelease('x'), 2);
    assert.ok((await writing).isHeld);
    assert.equal(await on.here.forceRelease('y'), 0);
  });
});

describe('An extended lease', () => {
  it('is not shortened by a renewal', async () => {
    await using on = await bench({ lease: 3_000 });
    const lock = await on.here.acquire('x');
    assert.equal(await lock.extend(60_000), true);
    await on.clock.run(25_000);
    assert.ok(await lock.renew());
    assert.equal((await on.here.status('x')).holders[0]?.leaseLeft, 35_000);
    on.clock.advance(34_999);
    assert.ok(lock.isHeld, 'until the end on the server');
  });
});
