import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EmbeddedStore, ManualClock, open, StoreError } from '../../store/index.js';
import { KitError, type Lock, type Locks, type LocksOptions, locks } from './index.js';

const HOUR = 3_600_000;

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly here: Locks;
}

async function bench(options: LocksOptions = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return {
    clock,
    store,
    here: locks(store, options),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.code : String(error);
}

interface Watched<T> {
  readonly promise: Promise<T>;
  /** What it has come to so far. */
  value(): T | undefined;
  error(): unknown;
}

/** Follows a promise without waiting for it. */
function watch<T>(promise: Promise<T>): Watched<T> {
  let value: T | undefined;
  let error: unknown;
  promise.then(
    (result) => {
      value = result;
    },
    (reason) => {
      error = reason;
    },
  );
  return { promise, value: () => value, error: () => error };
}

describe('A lock', () => {
  it('is held by one, and by the next after its release', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.equal(await first.release(), true);
    const second = await on.here.tryAcquire('x');
    assert.ok(second?.isHeld);
    await second.release();
  });

  it('is released when its block is left, also by an error', async () => {
    await using on = await bench();
    await assert.rejects(async () => {
      await using lock = await on.here.acquire('x');
      assert.ok(lock.isHeld);
      throw new Error('in the block');
    }, /in the block/);
    await using again = await on.here.tryAcquire('x');
    assert.ok(again);
  });

  it('cannot be released by one who has lost it', async () => {
    await using on = await bench({ renew: false, lease: 1_000 });
    const former = await on.here.acquire('x');
    on.clock.advance(1_000);
    const present = await on.here.acquire('x');
    assert.equal(await former.release(), false);
    assert.equal(await on.here.tryAcquire('x'), undefined, 'the present holder still has it');
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

  it('ends with its lease where renewal is not wanted, and tells', async () => {
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

  it('can be renewed by hand, for as long as is asked', async () => {
    await using on = await bench({ renew: false, lease: 10_000 });
    const lock = await on.here.acquire('x');
    await on.clock.run(5_000);
    assert.equal(await lock.renew(60_000), true);
    await on.clock.run(59_999);
    assert.ok(lock.isHeld);
    await on.clock.run(1);
    assert.equal(lock.isHeld, false);
    assert.equal(await lock.renew(), false);
  });

  it('that somebody removed from the store is lost at the next renewal', async () => {
    await using on = await bench({ lease: 30_000 });
    const lock = await on.here.acquire('x');
    await on.store.send('FLUSHALL');
    await on.clock.run(10_000);
    assert.equal(lock.isHeld, false);
    assert.equal((lock.signal.reason as KitError).code, 'LOST');
    assert.match((lock.signal.reason as KitError).message, /^the lock 'x' was lost: /);
  });

  it('is lost when the clock jumps over its lease, as after a stopped process', async () => {
    await using on = await bench({ lease: 30_000 });
    const lock = await on.here.acquire('x');
    on.clock.advance(20_000);
    on.clock.advance(30_000);
    assert.equal(lock.isHeld, false);
    assert.equal(await lock.release(), false);
  });

  it('leaves nothing behind but its fence, and that for a day', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await lock.release();
    await (await waiting).release();
    assert.deepEqual(await on.store.send('KEYS', '*'), ['lock:{x}:state']);
    assert.deepEqual(await on.store.send('HKEYS', 'lock:{x}:state'), ['fence']);
    await on.clock.run(24 * HOUR + 1);
    assert.equal(await on.store.send('DBSIZE'), 0);
  });
});

describe('Waiting for a lock', () => {
  it('ends with its release, without any time passing', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    const second = on.here.acquire('x');
    await first.release();
    const lock = await second;
    assert.ok(lock.isHeld);
    assert.equal(on.clock.now(), 1_700_000_000_000);
  });

  it('ends when the lease of a dead holder does', async () => {
    await using on = await bench();
    await on.here.acquire('x', { renew: false, lease: 8_000 });
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(7_999);
    assert.equal(waiting.value(), undefined);
    await on.clock.run(1);
    assert.ok(waiting.value()?.isHeld);
  });

  it('is given up after `wait` ms, and leaves the line', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { wait: 4_000, fair: true }));
    await on.clock.run(3_999);
    assert.equal(waiting.error(), undefined);
    await on.clock.run(1);
    assert.equal(await codeOf(waiting.promise), 'TIMEOUT');
    assert.match(String(waiting.error()), /the lock 'x' could not be had within 4000 ms: raise `wait`/);
    assert.equal(await on.store.send('EXISTS', 'lock:{x}:queue', 'lock:{x}:waiters'), 0);
    await lock.release();
    assert.ok(await on.here.tryAcquire('x', { fair: true }));
  });

  it('does not take place with `wait` 0', async () => {
    await using on = await bench();
    await on.here.acquire('x');
    assert.equal(await codeOf(on.here.acquire('x', { wait: 0 })), 'TIMEOUT');
  });

  it('can be ended by a signal, before or meanwhile', async () => {
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

  it('goes on for an hour while the lock is renewed, and ends with its release', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x', { wait: Number.POSITIVE_INFINITY }));
    await on.clock.run(HOUR);
    assert.equal(waiting.value(), undefined);
    await lock.release();
    assert.ok((await waiting.promise).isHeld);
  });

  it('survives a lost message: the waiter looks for itself after five seconds at most', async () => {
    await using on = await bench();
    const lock = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(100);
    // The waiter is taken off the line, so nobody wakes it.
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
  it('goes from one to the next in the order in which they came', async () => {
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

  it('is not taken by one who comes later, even if it is free', async () => {
    await using on = await bench({ fair: true });
    await on.here.acquire('x', { renew: false, lease: 3_000 });
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(2_999);
    on.clock.advance(1);
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.ok((await waiting.promise).isHeld);
  });

  it('passes over waiters that have died', async () => {
    await using on = await bench({ fair: true });
    const lock = await on.here.acquire('x');
    const record = `${on.clock.now() + 15_000} nobody g x 30000 1 h`;
    await on.store.send('ZADD', 'lock:{x}:queue', 1, 'dead');
    await on.store.send('HSET', 'lock:{x}:waiters', 'dead', record);
    const waiting = watch(on.here.acquire('x', { wait: 60_000 }));
    await on.clock.run(20_000);
    await lock.release();
    assert.ok((await waiting.promise).isHeld);
  });
});

describe('Fencing tokens', () => {
  it('increase from holder to holder, and are no less than the time in µs', async () => {
    await using on = await bench();
    const tokens: number[] = [];
    for (let i = 0; i < 5; i++) {
      await using lock = await on.here.acquire('x');
      tokens.push(lock.token);
    }
    const start = 1_700_000_000_000_000;
    assert.deepEqual(tokens, [start, start + 1, start + 2, start + 3, start + 4]);
  });

  it('increase although the data was lost meanwhile', async () => {
    await using on = await bench();
    const before = await on.here.acquire('x');
    await on.clock.run(1);
    await on.store.send('FLUSHALL');
    const after = await on.here.acquire('x');
    assert.ok(after.token > before.token);
  });

  it('do not decrease when the clock is put back', async () => {
    await using on = await bench();
    const ahead = (on.clock.now() + HOUR) * 1000;
    await on.store.send('HSET', 'lock:{x}:state', 'fence', ahead);
    assert.equal((await on.here.acquire('x')).token, ahead + 1);
  });
});

describe('The same holder', () => {
  it('may have a lock several times, and others when all are released', async () => {
    await using on = await bench();
    const outer = await on.here.acquire('x');
    const inner = await on.here.acquire('x', { holder: outer.holder });
    assert.equal(inner.token, outer.token);
    await outer.release();
    assert.equal(await on.here.tryAcquire('x'), undefined);
    await inner.release();
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('does not wait behind others who wait', async () => {
    await using on = await bench({ fair: true });
    const outer = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(1);
    const inner = await on.here.acquire('x', { holder: outer.holder });
    assert.equal(waiting.value(), undefined);
    await inner.release();
    await outer.release();
    await waiting.promise;
  });
});

describe('A read-write lock', () => {
  it('lets many read and one write', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const readers = await Promise.all([both.read(), both.read(), both.read()]);
    assert.ok(readers.every((reader) => reader.isShared && reader.isHeld));
    const writing = watch(both.write());
    await on.clock.run(1);
    assert.equal(writing.value(), undefined);
    await Promise.all(readers.map((reader) => reader.release()));
    const writer = await writing.promise;
    assert.equal(await on.here.tryAcquire('x', { shared: true }), undefined);
    assert.ok(readers.every((reader) => reader.token < writer.token));
  });

  it('does not let readers overtake a writer who waits, and then lets all in at once', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const reader = await both.read();
    const writing = watch(both.write());
    await on.clock.run(1);
    const later = [watch(both.read()), watch(both.read())];
    await on.clock.run(1);
    assert.deepEqual(
      later.map((reading) => reading.value()),
      [undefined, undefined],
    );
    await reader.release();
    const writer = await writing.promise;
    assert.deepEqual(
      later.map((reading) => reading.value()),
      [undefined, undefined],
    );
    await writer.release();
    const [one, two] = await Promise.all(later.map((reading) => reading.promise));
    assert.ok(one?.isHeld && two?.isHeld);
  });

  it('can go from reading to writing if nobody else reads, and back', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const reader = await both.read();
    const writer = await both.write({ holder: reader.holder });
    assert.equal(await on.here.tryAcquire('x', { shared: true }), undefined);
    await writer.release();
    assert.ok(await on.here.tryAcquire('x', { shared: true }));
  });

  it('refuses to go from reading to writing while others read', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const [reader] = await Promise.all([both.read(), both.read()]);
    const upgrade = both.write({ holder: (reader as Lock).holder });
    assert.equal(await codeOf(upgrade), 'UPGRADE');
  });
});

describe('Several locks at once', () => {
  it('are taken in the order of their names, and released together', async () => {
    await using on = await bench();
    const set = await on.here.acquireAll(['b', 'a', 'b']);
    assert.deepEqual(
      set.locks.map((lock) => lock.name),
      ['a', 'b'],
    );
    assert.ok(set.get('b').isHeld && set.isHeld);
    assert.throws(() => set.get('c'), /'c' is not one of these locks: a, b/);
    assert.equal(await on.here.tryAcquire('a'), undefined);
    assert.equal(await set.release(), true);
    assert.ok(await on.here.tryAcquire('a'));
  });

  it('do not wait for each other in a circle', async () => {
    await using on = await bench();
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        await using set = await on.here.acquireAll(i % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a']);
        assert.equal(++inside, 1);
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(set.isHeld);
        inside--;
      }),
    );
  });

  it('are all given back if one cannot be had', async () => {
    await using on = await bench();
    await on.here.acquire('b');
    assert.equal(await codeOf(on.here.acquireAll(['a', 'b'], { wait: 0 })), 'TIMEOUT');
    assert.ok(await on.here.tryAcquire('a'));
  });

  it('are lost with the first of them', async () => {
    await using on = await bench();
    const set = await on.here.acquireAll(['a', 'b']);
    await on.store.send('DEL', 'lock:{b}:state');
    await on.clock.run(10_000);
    assert.equal(set.isHeld, false);
    assert.equal((set.signal.reason as KitError).code, 'LOST');
    assert.equal(await set.release(), false);
  });

  it('cannot be none', async () => {
    await using on = await bench();
    assert.equal(await codeOf(on.here.acquireAll([])), 'OPTION');
  });
});

describe('Work done under a lock', () => {
  it('gives its result and releases the lock', async () => {
    await using on = await bench();
    assert.equal(await on.here.run('x', async (lock) => typeof lock.token), 'number');
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('is refused if the lock was lost meanwhile', async () => {
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
        "locks has no option 'leese': did you mean 'lease'? it takes prefix, lease, wait, renew, fair, fenceMemory",
    });
    await assert.rejects(on.here.acquire('x', misspelt), /acquire has no option 'leese'/);
    await assert.rejects(
      on.here.acquire('x', { lease: 0 }),
      /`lease` must be a number of whole milliseconds of at least 10, not 0/,
    );
    await assert.rejects(on.here.acquire(''), /a name is a string that is not empty/);
    assert.throws(() => locks(on.store, { prefix: 'a{b}' }), /`prefix` must not contain braces/);
  });
});
