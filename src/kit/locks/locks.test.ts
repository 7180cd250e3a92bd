import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, codeOf, HOUR } from '../../../tests/support/kit-locks.js';
import { KitError, type LocksOptions, locks } from './index.js';

describe('A lock', () => {
  it('is held by one client, and by the next after its release', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.equal(await first.release(), true);
    const second = await on.here.tryAcquire('x');
    assert.ok(second?.isHeld);
    await second.release();
  });

  it('is released at the end of its block, even after an error', async () => {
    await using on = await bench();
    await assert.rejects(async () => {
      await using lock = await on.here.acquire('x');
      assert.ok(lock.isHeld);
      throw new Error('in the block');
    }, /in the block/);
    await using again = await on.here.tryAcquire('x');
    assert.ok(again);
  });

  it('cannot be released by a client that has lost it', async () => {
    await using on = await bench({ renew: false, lease: 1_000 });
    const former = await on.here.acquire('x');
    on.clock.advance(1_000);
    const present = await on.here.acquire('x');
    assert.equal(await former.release(), false);
    assert.equal(await on.here.tryAcquire('x'), undefined, 'the current holder still has it');
    assert.equal(await present.release(), true);
  });

  it('can be released twice', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    assert.deepEqual(await Promise.all([lock.release(), lock.release()]), [true, true]);
  });

  it('of another name or prefix is another lock', async () => {
    await using on = await bench();
    const names = ['x', 'y', 'a b', '酸模', '{x}', 'x}', 'x:holds'];
    const held = await Promise.all(names.map((name) => on.here.tryAcquire(name)));
    assert.ok(held.every((lock) => lock?.isHeld));
    assert.ok(await locks(on.store, { prefix: 'other' }).tryAcquire('x'));
  });

  it('is renewed while it is held, for hours', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x', { lease: 300_000 });
    await on.clock.run(5 * HOUR);
    assert.ok(lock.isHeld);
    assert.equal(lock.signal.aborted, false);
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.equal(await lock.release(), true);
  });

  it('is not renewed after its release', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    await lock.release();
    await on.clock.run(HOUR);
    assert.deepEqual(await on.store.send('HKEYS', 'lock:{x}:state'), ['fence']);
  });

  it('ends with its lease if it is not renewed, and aborts its signal', async () => {
    await using on = await bench({ renew: false, lease: 10_000 });
    const lock = await on.here.acquire('x');
    await on.clock.run(9_999);
    assert.ok(lock.isHeld);
    await on.clock.run(1);
    assert.equal(lock.isHeld, false);
    assert.ok(lock.signal.reason instanceof KitError);
    assert.equal(lock.signal.reason.code, 'LOST');
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('can be renewed by hand, for a given time', async () => {
    await using on = await bench({ renew: false, lease: 10_000 });
    const lock = await on.here.acquire('x');
    await on.clock.run(5_000);
    assert.equal(await lock.extend(60_000), true);
    await on.clock.run(59_999);
    assert.ok(lock.isHeld);
    await on.clock.run(1);
    assert.equal(lock.isHeld, false);
    assert.equal(await lock.renew(), false);
  });

  it('that was removed from the store is lost at the next renewal', async () => {
    await using on = await bench({ lease: 30_000 });
    const lock = await on.here.acquire('x');
    await on.store.send('FLUSHALL');
    await on.clock.run(10_000);
    assert.equal(lock.isHeld, false);
    assert.equal((lock.signal.reason as KitError).code, 'LOST');
    assert.match((lock.signal.reason as KitError).message, /^the lock 'x' was lost: /);
  });

  it('is lost when the clock jumps past its lease, as after a paused process', async () => {
    await using on = await bench({ lease: 30_000 });
    const lock = await on.here.acquire('x');
    on.clock.advance(20_000);
    on.clock.advance(30_000);
    assert.equal(lock.isHeld, false);
    assert.equal(await lock.release(), false);
  });

  it('leaves only its fence in the store, for one to two hours', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(10);
    await lock.release();
    await (await waiting).release();
    assert.deepEqual(await on.store.send('KEYS', '*'), ['lock:{x}:state']);
    assert.deepEqual(await on.store.send('HKEYS', 'lock:{x}:state'), ['fence']);
    await on.clock.run(HOUR - 11);
    assert.equal(await on.store.send('DBSIZE'), 1);
    await on.clock.run(HOUR + 12);
    assert.equal(await on.store.send('DBSIZE'), 0);
  });
});

describe('Fencing tokens', () => {
  it('increase from holder to holder, and are at least the time in µs', async () => {
    await using on = await bench();
    const tokens: number[] = [];
    for (let i = 0; i < 5; i++) {
      await using lock = await on.here.acquire('x');
      tokens.push(lock.token);
    }
    const start = 1_700_000_000_000_000;
    assert.deepEqual(tokens, [start, start + 1, start + 2, start + 3, start + 4]);
  });

  it('increase even if the data was lost', async () => {
    await using on = await bench();
    const before = await on.here.acquire('x');
    await on.clock.run(1);
    await on.store.send('FLUSHALL');
    const after = await on.here.acquire('x');
    assert.ok(after.token > before.token);
  });

  it('do not decrease when the clock is set back', async () => {
    await using on = await bench();
    const ahead = (on.clock.now() + HOUR) * 1000;
    await on.store.send('HSET', 'lock:{x}:state', 'fence', ahead);
    assert.equal((await on.here.acquire('x')).token, ahead + 1);
  });
});

describe('Running a function under a lock', () => {
  it('returns its result and releases the lock', async () => {
    await using on = await bench();
    assert.equal(await on.here.run('x', async (lock) => typeof lock.token), 'number');
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('rejects if the lock was lost before the end', async () => {
    await using on = await bench({ renew: false, lease: 1_000 });
    const work = on.here.run('x', () => on.clock.run(2_000));
    assert.equal(await codeOf(work), 'LOST');
  });
});

describe('Options of locks', () => {
  it('that are misspelt are refused, with a hint', async () => {
    await using on = await bench();
    const misspelt = JSON.parse('{"leese": 5000}') as LocksOptions;
    assert.throws(() => locks(on.store, misspelt), {
      code: 'OPTION',
      message:
        "locks has no option 'leese': did you mean 'lease'? it takes prefix, lease, wait, renew, requireNoEviction, onWarning, fair, fenceMemory",
    });
    await assert.rejects(on.here.acquire('x', misspelt), /acquire has no option 'leese'/);
    await assert.rejects(
      on.here.acquire('x', { lease: 0 }),
      /`lease` must be a number of whole milliseconds of at least 10, not 0/,
    );
    await assert.rejects(on.here.acquire(''), /a name must be a non-empty string/);
    assert.throws(() => locks(on.store, { prefix: 'a{b}' }), /`prefix` must not contain braces/);
  });
});
