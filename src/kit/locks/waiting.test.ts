import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, codeOf, HOUR, watch } from '../../../tests/support/kit-locks.js';
import { type KitError, locks } from './index.js';

/** For this many ms a waiter for a lock that is not fair lets others overtake. */
const PATIENCE = 5;

describe('Waiting for a lock', () => {
  it('ends with its release, without delay', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const second = on.here.acquire('x');
    await on.clock.run(PATIENCE);
    await first.release();
    const lock = await second;
    assert.ok(lock.isHeld);
    assert.equal(on.clock.now(), 1_700_000_000_000 + PATIENCE);
  });

  it('lets other clients overtake only in the first few ms', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(PATIENCE - 1);
    await first.release();
    const second = await on.here.tryAcquire('x');
    assert.ok(second?.isHeld, 'it was free');
    await on.clock.run(1);
    assert.equal(waiting.value(), undefined);
    await second.release();
    assert.equal(await on.here.tryAcquire('x'), undefined, 'it was handed to the waiter');
    assert.ok((await waiting.promise).isHeld);
  });

  it('ends in its first few ms, too, if no client overtakes', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(1);
    await first.release();
    assert.ok((await waiting).isHeld);
    assert.equal(on.clock.now(), 1_700_000_000_001);
  });

  it('ends after a few ms if the process that released the lock has died before it served the waiters', async () => {
    await using on = await bench();
    const other = await on.store.duplicate();
    const first = await locks(other).acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(1);
    await first.release();
    await other.close();
    await on.clock.run(PATIENCE - 2);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(1);
    assert.ok(waiting.value()?.isHeld);
  });

  it('lets no client overtake if the clock was set back', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(PATIENCE);
    const [id = ''] = await on.store.send<string[]>('ZRANGE', 'lock:{x}:queue', 0, 0);
    await on.store.send('ZADD', 'lock:{x}:queue', (on.clock.now() + HOUR) * 1_000, id);
    await first.release();
    assert.equal(await on.here.tryAcquire('x'), undefined, 'it was handed to the waiter');
    assert.ok((await waiting).isHeld);
  });

  it('ends when the lease of a dead holder ends', async () => {
    await using on = await bench();
    await on.here.acquire('x', { renew: false, lease: 8_000 });
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(7_999);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(1);
    assert.ok(waiting.value()?.isHeld);
  });

  it('ends after `wait` ms, and leaves the queue', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { wait: 4_000, fair: true }));
    await on.clock.run(3_999);
    assert.equal(waiting.error(), undefined);
    await on.clock.run(1);
    assert.equal(await codeOf(waiting.promise), 'TIMEOUT');
    assert.match(String(waiting.error()), /the lock 'x' could not be acquired within 4000 ms: raise `wait`/);
    assert.equal(await on.store.send('EXISTS', 'lock:{x}:queue', 'lock:{x}:waiters'), 0);
    await lock.release();
    assert.ok(await on.here.tryAcquire('x', { fair: true }));
  });

  it('is skipped with `wait` 0', async () => {
    await using on = await bench();
    await on.here.acquire('x');
    assert.equal(await codeOf(on.here.acquire('x', { wait: 0 })), 'TIMEOUT');
  });

  it('can be ended by a signal, before it starts or later', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const abort = new AbortController();
    const waiting = watch(on.here.acquire('x', { signal: abort.signal }));
    await on.clock.run(1_000);
    abort.abort(new Error('changed my mind'));
    assert.equal(await codeOf(waiting.promise), 'ABORTED');
    assert.equal(((waiting.error() as KitError).cause as Error).message, 'changed my mind');
    assert.equal(await codeOf(on.here.acquire('x', { signal: abort.signal })), 'ABORTED');
    await lock.release();
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('continues for an hour while the lock is renewed, and ends with its release', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { wait: Number.POSITIVE_INFINITY }));
    await on.clock.run(HOUR);
    assert.equal(waiting.value(), undefined);
    await lock.release();
    assert.ok((await waiting.promise).isHeld);
  });

  it('survives a lost message: the waiter checks after at most five seconds', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(100);
    // The waiter is removed from the queue, so it is not woken.
    await on.store.send('DEL', 'lock:{x}:queue', 'lock:{x}:waiters');
    await lock.release();
    await on.clock.run(4_000);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(1_000);
    assert.ok(waiting.value()?.isHeld);
  });

  it('ends with an error when the store is closed', async () => {
    const on = await bench();
    await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(1);
    await on.store.close();
    await on.clock.run(10_000);
    assert.equal(await codeOf(waiting.promise), 'CLOSED');
  });
});

describe('A fair lock', () => {
  it('is handed over without delay', async () => {
    await using on = await bench({ fair: true });
    const first = await on.here.acquire('x');
    const second = on.here.acquire('x');
    await first.release();
    assert.ok((await second).isHeld);
    assert.equal(on.clock.now(), 1_700_000_000_000);
  });

  it('is handed over in order of arrival', async () => {
    await using on = await bench({ fair: true });
    const other = locks(on.store, { fair: true });
    const first = await on.here.acquire('x');
    const order: number[] = [];
    const rest = Array.from({ length: 8 }, async (_, i) => {
      await using lock = await (i % 2 === 0 ? on.here : other).acquire('x');
      assert.ok(lock.isHeld);
      order.push(i);
    });
    await on.clock.run(10);
    await first.release();
    await Promise.all(rest);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('is not taken by a later client, even if it is free', async () => {
    await using on = await bench({ fair: true });
    await on.here.acquire('x', { renew: false, lease: 3_000 });
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(2_999);
    on.clock.advance(1);
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.ok((await waiting.promise).isHeld);
  });

  it('skips dead waiters', async () => {
    await using on = await bench({ fair: true });
    const lock = await on.here.acquire('x');
    const record = `${on.clock.now() + 15_000} unheard g x 30000 1 h`;
    await on.store.send('ZADD', 'lock:{x}:queue', 1, 'dead');
    await on.store.send('HSET', 'lock:{x}:waiters', 'dead', record);
    const waiting = watch(on.here.acquire('x', { wait: 60_000 }));
    await on.clock.run(20_000);
    await lock.release();
    assert.ok((await waiting.promise).isHeld);
  });
});
