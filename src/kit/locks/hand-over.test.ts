import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, bench, codeOf, watch } from '../../../tests/support/kit-locks.js';
import { EvictionGuard } from '../foundation/index.js';
import { locks } from './index.js';
import { type LockRequest, lockSteps, type Turn } from './lock-scripts.js';

/** For this many ms a waiter for a lock that is not fair lets others overtake. */
const PATIENCE = 5;
const STATE = 'lock:{x}:state';

/** The number of scripts that the store has run. */
async function scriptsRun({ store }: Bench): Promise<number> {
  const info = await store.send<string>('INFO', 'commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}

/** Options without a check for eviction. */
const QUIET = { requireNoEviction: false, onWarning: undefined };

describe('A lock that is handed to a waiter', () => {
  it('is held without asking again, with the token in the message', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(PATIENCE);
    const scripts = await scriptsRun(on);
    await first.release();
    const second = await waiting;
    assert.equal((await scriptsRun(on)) - scripts, 1, 'the release');
    assert.equal(second.token, Number(await on.store.send('HGET', STATE, 'fence')));
    assert.ok(second.token > first.token);
    assert.equal(await second.renew(), true);
    assert.equal(await second.release(), true);
  });

  it('counts its lease from the last request, not from the message', async () => {
    await using on = await bench({ lease: 30_000 });
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x', { lease: 9_000 });
    await on.clock.run(PATIENCE + 2_000);
    await first.release();
    const lock = await waiting;
    // From now on renewals fail.
    await on.store.send('DEL', STATE);
    await on.store.send('SET', STATE, 'of another type');
    on.clock.advance(6_999);
    assert.ok(lock.isHeld);
    on.clock.advance(1);
    assert.equal(lock.isHeld, false, 'nine seconds after it joined the queue');
  });

  it('is renewed when a third of its lease has passed since the last request', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x', { lease: 9_000 });
    await on.clock.run(PATIENCE + 2_000);
    await first.release();
    await waiting;
    const scripts = await scriptsRun(on);
    await on.clock.run(999);
    assert.equal(await scriptsRun(on), scripts);
    await on.clock.run(1);
    assert.equal(await scriptsRun(on), scripts + 1);
  });

  it('is claimed again, and so renewed, if much of its lease has passed when the message arrives', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x', { lease: 60_000 });
    const waiting = on.here.acquire('x', { lease: 9_000 });
    await on.clock.run(PATIENCE + 3_000);
    const scripts = await scriptsRun(on);
    await first.release();
    const lock = await waiting;
    assert.equal((await scriptsRun(on)) - scripts, 2, 'the release, and one more look');
    on.clock.advance(8_999);
    assert.ok(lock.isHeld);
  });

  it('has its full lease if it is not renewed', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x', { lease: 9_000, renew: false });
    await on.clock.run(PATIENCE + 1_000);
    await first.release();
    const lock = await waiting;
    await on.clock.run(8_999);
    assert.ok(lock.isHeld);
    await on.clock.run(1);
    assert.equal(lock.isHeld, false);
  });

  it('is found by the next check if the message was lost', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { fair: true }));
    await on.clock.run(100);
    // No client listens on the channel of the message.
    const [id = '', record = ''] = await on.store.send<string[]>('HGETALL', 'lock:{x}:waiters');
    const [alive, , ...request] = record.split(' ');
    await on.store.send('HSET', 'lock:{x}:waiters', id, [alive, 'nowhere', ...request].join(' '));
    await first.release();
    await on.clock.run(4_800);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(200);
    assert.ok(waiting.value()?.isHeld);
    assert.deepEqual(await on.store.send('HKEYS', STATE), ['fence', id]);
  });

  it('is not granted by a message that answers an earlier request', async () => {
    await using on = await bench();
    await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { fair: true, wait: 60_000 }));
    await on.clock.run(100);
    const [id = '', record = ''] = await on.store.send<string[]>('HGETALL', 'lock:{x}:waiters');
    const [, channel = '', , , , attempt] = record.split(' ');
    await on.clock.run(5_000);
    await on.store.send('PUBLISH', channel, `${id} ${attempt} 1`);
    await on.clock.run(100);
    assert.equal(waiting.value(), undefined);
  });

  it('skips a waiter whose process has died, without delay', async () => {
    await using on = await bench();
    const other = await on.store.duplicate();
    const first = await on.here.acquire('x');
    const dead = codeOf(locks(other).acquire('x'));
    await on.clock.run(PATIENCE);
    const waiting = on.here.acquire('x');
    await on.clock.run(PATIENCE);
    await other.close();
    await first.release();
    assert.ok((await waiting).isHeld);
    await on.clock.run(5_000);
    assert.equal(await dead, 'CLOSED');
  });

  it('becomes free if its new holder dies before the message arrives', async () => {
    await using on = await bench({ fair: true });
    const other = await on.store.duplicate();
    const first = await on.here.acquire('x');
    const dead = codeOf(locks(other, { fair: true }).acquire('x', { lease: 4_000 }));
    await on.clock.run(1);
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(1);
    await other.close();
    await first.release();
    await on.clock.run(3_999);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(1_001);
    assert.ok(waiting.value()?.isHeld, 'with its full lease');
    assert.equal(await dead, 'CLOSED');
  });

  it('is released by a waiter that gives up at that moment', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const abort = new AbortController();
    const waiting = codeOf(on.here.acquire('x', { signal: abort.signal }));
    await on.clock.run(PATIENCE);
    const released = first.release();
    abort.abort();
    await released;
    assert.equal(await waiting, 'ABORTED');
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('is left free while the first waiter lets others overtake: the release says for how many µs', async () => {
    await using on = await bench();
    const { acquire, release } = lockSteps(on.store, 60_000, new EvictionGuard(on.store, 'locks', QUIET));
    assert.ok((await acquire(request('a'), first)).isGranted);
    assert.equal((await acquire({ ...request('b'), patience: PATIENCE }, first)).isGranted, false);
    for (let left = PATIENCE; left > 0; left--) {
      assert.equal(await release(request('a')), 2 + left * 1_000);
      assert.ok((await acquire(request('a'), first)).isGranted);
      await on.clock.run(1);
    }
    assert.equal(await release(request('a')), 1);
    assert.equal((await acquire(request('a'), first)).isGranted, false, 'the waiter has it');
  });

  it('is free again after a waiter was overtaken by its own repeated request', async () => {
    await using on = await bench();
    const { acquire, release } = lockSteps(on.store, 60_000, new EvictionGuard(on.store, 'locks', QUIET));
    assert.ok((await acquire(request('a'), first)).isGranted);
    assert.equal((await acquire(request('b', 'woken'), first)).isGranted, false);
    assert.equal((await acquire(request('c'), first)).isGranted, false);
    // The first in the queue is woken to try again, but the second asks before it.
    assert.equal(await release(request('a')), 1);
    assert.ok((await acquire(request('c'), first)).isGranted);
    assert.equal(await release(request('c')), 1);
    assert.equal(await on.store.exists('lock:{x}:queue', 'lock:{x}:waiters'), 0);
    assert.ok((await acquire(request('d'), first)).isGranted);
  });
});

const first = { channel: 'unheard', attempt: 1 };

function request(id: string, turn: Turn = 'given'): LockRequest {
  const keys = { state: STATE, queue: 'lock:{x}:queue', waiters: 'lock:{x}:waiters' };
  return { name: 'x', keys, id, holder: id, lease: 9_000, fair: false, shared: false, turn, patience: 0 };
}
