import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { argumentKey } from './argument-key.js';
import { type Cached, type CachedOptions, cached } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  /** Another client, as in another process. */
  readonly other: EmbeddedStore;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const other = await store.duplicate();
  return {
    clock,
    store,
    other,
    async [Symbol.asyncDispose]() {
      await store.close();
      await other.close();
    },
  };
}

type Own = Partial<CachedOptions<[string], string>>;

/** A function whose results tell how often it was called, and that goes on when the test says so. */
class Source {
  calls = 0;
  version = 0;
  #gates: (() => void)[] = [];
  isHeld = false;
  failure: string | undefined;

  readonly read = async (id: string): Promise<string> => {
    this.calls++;
    const seen = this.version;
    if (this.isHeld) await new Promise<void>((resolve) => this.#gates.push(resolve));
    if (this.failure !== undefined) throw new Error(this.failure);
    return `${id} ${seen}`;
  };

  letGo(): void {
    this.isHeld = false;
    for (const gate of this.#gates.splice(0)) gate();
  }
}

function cachedOn(store: EmbeddedStore, source: Source, options: Own = {}): Cached<[string], string> {
  return cached(store, source.read, { name: 'read', jitter: 0, ...options });
}

describe('A cached function', () => {
  it('is called once for all processes until its result has ended', async () => {
    await using on = await bench();
    const source = new Source();
    const [here, there] = [cachedOn(on.store, source), cachedOn(on.other, source)];
    assert.deepEqual(await Promise.all([here('a'), there('a'), here('a'), there('b')]), [
      'a 0',
      'a 0',
      'a 0',
      'b 0',
    ]);
    assert.equal(source.calls, 2);
    on.clock.advance(299_999);
    await here('a');
    assert.equal(source.calls, 2);
    on.clock.advance(2);
    await here('a');
    assert.equal(source.calls, 3);
  });

  it('has the same keys in every process, and for equal arguments', async () => {
    await using on = await bench();
    const search = cached(on.store, async (_: object) => 1, { name: 'search' });
    await search({ page: 2, order: 'time' });
    await search({ order: 'time', page: 2 });
    assert.deepEqual(await on.store.send('KEYS', '*'), ['cache:{search:[{"order":"time","page":2}]}:entry']);
    assert.equal(
      argumentKey(['x', 1, undefined, null, 2n, new Date(5)]),
      '["x",1,undefined,null,2n,Date(5)]',
    );
    assert.notEqual(argumentKey(['1']), argumentKey([1]));
    assert.equal(argumentKey(['x'.repeat(300)]), '#S-pCgVTy9QdXdhzZ8Hiet8HuRAjUqqtb-AHd3PI-oT4');
    await assert.rejects(search(new Map()), { code: 'OPTION', message: /not a Map: pass `key`/ });
  });

  it('returns what JSON keeps, also nothing, and compresses large results', async () => {
    await using on = await bench();
    const results: Record<string, unknown> = {
      nothing: undefined,
      nil: null,
      zero: 0,
      deep: { list: [1, { a: 'é' }] },
      large: 'x'.repeat(100_000),
    };
    let calls = 0;
    const read = cached(
      on.store,
      async (id: string) => {
        calls++;
        return results[id];
      },
      { name: 'any' },
    );
    for (const [id, result] of Object.entries(results)) {
      assert.deepEqual(await read(id), result);
      assert.deepEqual(await read(id), result);
    }
    assert.equal(calls, 5);
    assert.ok((await on.store.send<number>('HSTRLEN', 'cache:{any:["large"]}:entry', 'body')) < 1_000);
  });

  it('ends its results by chance a little earlier, so that they do not end together', async () => {
    await using on = await bench();
    const read = cachedOn(on.store, new Source(), { ttl: 1_000, jitter: 0.5, random: () => 0.5 });
    await read('a');
    assert.equal(await on.store.send('PTTL', 'cache:{read:["a"]}:entry'), 750);
  });

  it('returns the stale result while one call makes a new one', async () => {
    await using on = await bench();
    const source = new Source();
    const [here, there] = [1, 2].map(() => cachedOn(on.store, source, { ttl: 1_000, stale: 5_000 }));
    await here!('a');
    on.clock.advance(1_001);
    source.version = 1;
    source.isHeld = true;
    assert.deepEqual([await here!('a'), await there!('a'), await here!('a')], ['a 0', 'a 0', 'a 0']);
    await turn();
    assert.equal(source.calls, 2);
    source.letGo();
    await turn();
    await turn();
    assert.deepEqual([await here!('a'), await there!('a')], ['a 1', 'a 1']);
    assert.equal(source.calls, 2);
    on.clock.advance(6_001);
    source.version = 2;
    assert.equal(await here!('a'), 'a 2', 'a result that is too stale is not used');
  });

  it('keeps a stale result if no new one can be made, and does not try with every call', async () => {
    await using on = await bench();
    const source = new Source();
    const errors: unknown[] = [];
    const read = cachedOn(on.store, source, {
      ttl: 1_000,
      stale: 60_000,
      onError: (error) => errors.push(error),
    });
    await read('a');
    on.clock.advance(1_001);
    source.failure = 'the database is down';
    for (let i = 0; i < 5; i++) {
      assert.equal(await read('a'), 'a 0');
      await turn();
    }
    assert.deepEqual([source.calls, errors.length], [2, 1]);
    on.clock.advance(1_001);
    assert.equal(await read('a'), 'a 0');
    await turn();
    assert.equal(source.calls, 3);
  });

  it('shares an error with the callers that waited for the result, and is called again by the next', async () => {
    await using on = await bench();
    const source = new Source();
    source.isHeld = true;
    source.failure = 'the database is down';
    const [here, there] = [cachedOn(on.store, source), cachedOn(on.other, source)];
    const calls = [here('a'), there('a'), there('a')];
    const outcomes = Promise.allSettled(calls);
    while ((await on.store.send('HLEN', 'cache:{read:["a"]}:waiters')) !== 2) await turn();
    source.letGo();
    const codes = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason);
    assert.deepEqual(
      codes.map((error) => `${error.code} ${error.message.includes('the database is down')}`),
      ['undefined true', 'PRODUCER true', 'PRODUCER true'],
    );
    assert.equal(source.calls, 1);
    source.failure = undefined;
    assert.equal(await there('a'), 'a 0');
  });

  it('is called again when the process that called it has died', async () => {
    await using on = await bench();
    const source = new Source();
    const read = cachedOn(on.store, source, { lease: 3_000 });
    // As a process that died would have left it.
    await on.store.send('SET', 'cache:{read:["a"]}:producer', 'dead', 'PX', 3_000);
    const waiting = read('a');
    await on.clock.run(2_900);
    assert.equal(source.calls, 0);
    await on.clock.run(200);
    assert.equal(await waiting, 'a 0');
  });

  it('may take longer than its lease, and a caller waits no longer than it wants', async () => {
    await using on = await bench();
    const source = new Source();
    source.isHeld = true;
    const [here, there] = [1, 2].map(() => cachedOn(on.store, source, { lease: 1_000, wait: 5_000 }));
    const first = here!('a');
    await on.clock.run(10);
    const second = assert.rejects(there!('a'), { code: 'TIMEOUT' });
    const third = assert.rejects(there!.get(['a'], { signal: AbortSignal.abort() }), { code: 'ABORTED' });
    await on.clock.run(6_000);
    await Promise.all([second, third]);
    assert.equal(source.calls, 1);
    source.letGo();
    assert.equal(await first, 'a 0');
    assert.equal(await there!('a'), 'a 0');
  });

  it('has no leases, waiters or timers left when all is done', async () => {
    await using on = await bench();
    const source = new Source();
    const read = cachedOn(on.store, source);
    await Promise.all([read('a'), read('a'), read('a')]);
    await read.invalidate('a');
    assert.deepEqual(await on.store.send('KEYS', 'cache:*'), []);
  });
});

describe('Invalidation', () => {
  it('removes a result, and voids one that is being produced', async () => {
    await using on = await bench();
    const source = new Source();
    const [here, there] = [cachedOn(on.store, source), cachedOn(on.other, source)];
    await here('a');
    source.version = 1;
    assert.equal(await there.invalidate('a'), true);
    assert.equal(await there.invalidate('a'), false);
    source.isHeld = true;
    const old = here('a');
    while (source.calls < 2) await turn();
    source.version = 2;
    await there.invalidate('a');
    source.isHeld = false;
    assert.equal(await there('a'), 'a 2', 'does not wait for the old production');
    source.letGo();
    assert.equal(await old, 'a 1');
    assert.equal(await here('a'), 'a 2', 'the old result was not stored');
  });

  it('wakes those who wait for a production that is now worthless', async () => {
    await using on = await bench();
    const source = new Source();
    source.isHeld = true;
    const read = cachedOn(on.store, source);
    const [first, second] = [read('a'), read('a')];
    while ((await on.store.send('HLEN', 'cache:{read:["a"]}:waiters')) !== 1) await turn();
    source.version = 1;
    source.isHeld = false;
    await read.invalidate('a');
    assert.equal(await second, 'a 1');
    source.letGo();
    assert.equal(await first, 'a 0');
  });

  it('by tag removes the results of all functions', async () => {
    await using on = await bench();
    const source = new Source();
    const names = cached(on.store, source.read, { name: 'names', tags: (_, id) => [`user:${id}`, 'users'] });
    const ages = cached(on.store, source.read, { name: 'ages', tags: (_, id) => [`user:${id}`] });
    for (const id of ['7', '8']) {
      await names(id);
      await ages(id);
    }
    source.version = 1;
    assert.equal(await names.invalidateTag('user:7'), 2);
    assert.deepEqual(
      [await names('7'), await ages('7'), await names('8'), await ages('8')],
      ['7 1', '7 1', '8 0', '8 0'],
    );
    assert.equal(await ages.invalidateTag('users'), 2);
    assert.equal(await ages.invalidateTag('unknown'), 0);
    assert.deepEqual([await names('8'), await ages('8')], ['8 1', '8 0']);
  });

  it('by tag voids results whose production began before it, although their tags were not known', async () => {
    await using on = await bench();
    const source = new Source();
    source.isHeld = true;
    const read = cachedOn(on.store, source, { tags: () => ['all'] });
    const old = read('a');
    while (source.calls < 1) await turn();
    source.version = 1;
    await read.invalidateTag('all');
    source.letGo();
    assert.equal(await old, 'a 0');
    assert.equal(await read('a'), 'a 1');
    assert.equal(await read('a'), 'a 1');
    assert.equal(source.calls, 2);
  });

  it('is not needed for a refresh, which stores a new result at once', async () => {
    await using on = await bench();
    const source = new Source();
    const read = cachedOn(on.store, source);
    await read('a');
    source.version = 1;
    assert.equal(await read.refresh('a'), 'a 1');
    assert.equal(await read('a'), 'a 1');
    assert.equal(source.calls, 2);
  });
});
