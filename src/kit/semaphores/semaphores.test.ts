import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EmbeddedStore, ManualClock, open, StoreError } from '../../store/index.js';
import { type Permit, type Semaphores, type SemaphoresOptions, semaphores } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly here: Semaphores;
}

async function bench(options: Partial<SemaphoresOptions> = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const here = semaphores(store, { limit: 2, ...options });
  return { clock, store, here, [Symbol.asyncDispose]: () => store.close() };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.code : String(error);
}

/** The number of scripts that the store has run. */
async function scriptsRun({ store }: Bench): Promise<number> {
  const info = await store.send<string>('INFO', 'commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}

describe('A semaphore', () => {
  it('grants its number of permits, and then one for each released permit', async () => {
    await using on = await bench();
    const first = await on.here.acquire('x');
    await on.here.acquire('x');
    assert.equal(await on.here.tryAcquire('x'), undefined);
    assert.deepEqual(await on.here.status('x'), { limit: 2, held: 2, waiting: 0 });
    assert.equal(await first.release(), true);
    assert.ok(await on.here.tryAcquire('x'));
    assert.equal(await on.here.tryAcquire('x'), undefined);
  });

  it('releases a permit at the end of its block', async () => {
    await using on = await bench();
    {
      await using permit = await on.here.acquire('x', { permits: 2 });
      assert.equal(permit.permits, 2);
      assert.equal((await on.here.status('x')).held, 2);
    }
    assert.deepEqual(await on.here.status('x'), { limit: 2, held: 0, waiting: 0 });
  });

  it('renews permits for hours, and reports a lost one', async () => {
    await using on = await bench({ lease: 300_000 });
    const permit = await on.here.acquire('x');
    await on.clock.run(5 * 3_600_000);
    assert.ok(permit.isHeld);
    await on.store.send('DEL', 'semaphore:{x}:permits');
    await on.clock.run(100_000);
    assert.equal(permit.isHeld, false);
    assert.match(String(permit.signal.reason), /^KitError: the permit of 'x' was lost: /);
    assert.equal(await permit.release(), false);
  });

  it('frees the permits of dead holders when their lease ends', async () => {
    await using on = await bench();
    await on.here.acquire('x', { renew: false, lease: 1_000, permits: 2 });
    assert.equal(await on.here.tryAcquire('x'), undefined);
    const waiting = on.here.acquire('x');
    await on.clock.run(1_000);
    assert.ok((await waiting).isHeld);
  });

  it('lets a permit be renewed by hand', async () => {
    await using on = await bench({ renew: false, lease: 1_000 });
    const permit = await on.here.acquire('x', { permits: 2 });
    await on.clock.run(900);
    assert.equal(await permit.extend(5_000), true);
    await on.clock.run(4_999);
    assert.ok(permit.isHeld);
    assert.equal(await on.here.tryAcquire('x'), undefined);
    await on.clock.run(1);
    assert.equal(await permit.renew(), false);
  });

  it('serves waiters in order of arrival, without delay', async () => {
    await using on = await bench();
    const other = semaphores(on.store, { limit: 2 });
    const held = await Promise.all([on.here.acquire('x'), on.here.acquire('x')]);
    const order: number[] = [];
    const rest = Array.from({ length: 8 }, async (_, i) => {
      await using permit = await (i % 2 === 0 ? on.here : other).acquire('x');
      assert.ok(permit.isHeld);
      order.push(i);
    });
    await on.clock.run(10);
    assert.equal((await on.here.status('x')).waiting, 8);
    await Promise.all(held.map((permit) => permit.release()));
    await Promise.all(rest);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('hands permits to waiters with the message that wakes them', async () => {
    await using on = await bench({ limit: 1 });
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x');
    await on.clock.run(1);
    const scripts = await scriptsRun(on);
    await first.release();
    const second = await waiting;
    assert.equal((await scriptsRun(on)) - scripts, 1, 'the release');
    assert.equal(await second.renew(), true);
    assert.equal(await second.release(), true);
  });

  it('is asked again if the message was lost, or arrived when much of the lease had passed', async () => {
    await using on = await bench({ limit: 1 });
    const first = await on.here.acquire('x');
    const waiting = on.here.acquire('x', { lease: 6_000 });
    await on.clock.run(2_000);
    const scripts = await scriptsRun(on);
    await first.release();
    const second = await waiting;
    assert.equal((await scriptsRun(on)) - scripts, 2, 'the release, and one more look');
    const last = on.here.acquire('x');
    await on.clock.run(1);
    const [id = '', record = ''] = await on.store.send<string[]>('HGETALL', 'semaphore:{x}:waiters');
    const [alive, , ...request] = record.split(' ');
    await on.store.send('HSET', 'semaphore:{x}:waiters', id, [alive, 'nowhere', ...request].join(' '));
    await second.release();
    await on.clock.run(5_000);
    assert.ok((await last).isHeld);
  });

  it('does not let a small request overtake a large one', async () => {
    await using on = await bench();
    const one = await on.here.acquire('x');
    const both = on.here.acquire('x', { permits: 2 });
    await on.clock.run(1);
    assert.equal(
      await on.here.tryAcquire('x'),
      undefined,
      'one permit is free, but another client waits for it',
    );
    await one.release();
    assert.equal((await both).permits, 2);
  });

  it('gives up after `wait` ms or when the signal aborts, and serves the next waiter', async () => {
    await using on = await bench();
    await on.here.acquire('x', { permits: 1 });
    const abort = new AbortController();
    const large = codeOf(on.here.acquire('x', { permits: 2, wait: 3_000 }));
    await on.clock.run(1);
    const large2 = codeOf(on.here.acquire('x', { permits: 2, signal: abort.signal }));
    await on.clock.run(1);
    const small = on.here.acquire('x');
    await on.clock.run(3_000);
    assert.equal(await large, 'TIMEOUT');
    abort.abort();
    assert.equal(await large2, 'ABORTED');
    assert.ok((await small).isHeld);
  });

  it('refuses a request for more permits than the limit', async () => {
    await using on = await bench();
    assert.equal(await codeOf(on.here.acquire('x', { permits: 3 })), 'OPTION');
  });

  it('runs a function under a permit', async () => {
    await using on = await bench();
    assert.equal(await on.here.run('x', (permit) => permit.permits), 1);
    assert.equal(await codeOf(on.here.run('x', () => on.clock.run(11), { lease: 10, renew: false })), 'LOST');
  });

  it('leaves no keys in the store', async () => {
    await using on = await bench();
    const permit = await on.here.acquire('x', { permits: 2 });
    const waiting = on.here.acquire('x');
    await on.clock.run(1);
    await permit.release();
    await (await waiting).release();
    assert.equal(await on.store.send('DBSIZE'), 0);
  });
});

describe("A semaphore's limit", () => {
  it('can be raised, which serves waiters immediately', async () => {
    await using on = await bench({ limit: 1 });
    await on.here.acquire('x');
    const waiting = [on.here.acquire('x'), on.here.acquire('x')];
    await on.clock.run(1);
    await semaphores(on.store, { limit: 1 }).setLimit('x', 3);
    const permits: Permit[] = await Promise.all(waiting);
    assert.ok(permits.every((permit) => permit.isHeld));
    assert.deepEqual(await on.here.status('x'), { limit: 3, held: 3, waiting: 0 });
  });

  it('can be lowered: held permits stay held, and none is granted until enough are released', async () => {
    await using on = await bench({ limit: 3 });
    const held = await Promise.all([on.here.acquire('x'), on.here.acquire('x'), on.here.acquire('x')]);
    await on.here.setLimit('x', 1);
    assert.ok(await held[0]?.renew());
    await held[0]?.release();
    await held[1]?.release();
    assert.equal(await on.here.tryAcquire('x'), undefined);
    await held[2]?.release();
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('of 0 grants nothing until it is raised', async () => {
    await using on = await bench();
    await on.here.setLimit('x', 0);
    const waiting = on.here.acquire('x');
    await on.clock.run(6_000);
    assert.equal((await on.here.status('x')).waiting, 1);
    await on.here.setLimit('x', undefined);
    assert.ok((await waiting).isHeld);
    assert.equal((await on.here.status('x')).limit, 2);
  });

  it('ends a wait when it is lowered below the request', async () => {
    await using on = await bench();
    await on.here.acquire('x');
    const outcome = codeOf(on.here.acquire('x', { permits: 2 }));
    await on.clock.run(1);
    await on.here.setLimit('x', 1);
    assert.equal(await outcome, 'OPTION');
  });

  it('is required, and must be a whole number', async () => {
    await using on = await bench();
    const none = JSON.parse('{}') as SemaphoresOptions;
    assert.throws(() => semaphores(on.store, none), /semaphores needs the option `limit`/);
    assert.throws(
      () => semaphores(on.store, { limit: 1.5 }),
      /`limit` must be a whole number of at least 0, not 1.5/,
    );
    await assert.rejects(on.here.setLimit('x', -1), /setLimit: `limit` must be a whole number/);
  });
});
