import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { open } from '../open.js';
import { ManualClock } from './manual-clock.js';

describe('an embedded store', () => {
  it('returns text, bytes or exact integers, as promises or synchronously', async () => {
    await using store = await open();
    assert.equal(await store.set('text', 'grüße 😀'), 'OK');
    assert.equal(await store.get('text'), 'grüße 😀');
    assert.deepEqual(await store.bytes.get('text'), Buffer.from('grüße 😀'));
    assert.equal(store.sync.get('text'), 'grüße 😀');
    assert.deepEqual(store.sync.bytes.get('text'), Buffer.from('grüße 😀'));
    assert.equal(await store.exact.incrby('n', 2n ** 53n + 1n), 2n ** 53n + 1n);
    assert.equal(store.sync.exact.incr('n'), 2n ** 53n + 2n);
    assert.deepEqual(await store.bytes.exact.send('OBJECT', 'REFCOUNT', 'n'), 1n);
  });

  it('accepts text of any length and any characters', async () => {
    await using store = await open();
    for (const length of [0, 1, 31, 32, 33, 5_000, 20_000, 70_000, 300_000]) {
      for (const letter of ['a', 'é', '漢', '😀']) {
        const text = letter.repeat(length);
        store.sync.set(text, text);
        assert.equal(store.sync.get(text), text);
      }
    }
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    store.sync.set(bytes, bytes);
    assert.deepEqual(store.sync.bytes.get(bytes), bytes);
    assert.deepEqual(await store.bytes.send('GET', new Uint8Array(bytes)), bytes);
  });

  it('throws errors of Redis with their code, synchronously from `sync`', async () => {
    await using store = await open();
    await store.lpush('list', 'a');
    await assert.rejects(store.get('list'), { name: 'StoreError', code: 'WRONGTYPE' });
    assert.throws(() => store.sync.get('list'), { name: 'StoreError', code: 'WRONGTYPE' });
    assert.throws(() => store.sync.send('GET', null as never), { code: 'MISUSE', message: /not null/ });
    assert.throws(() => store.sync.send('CLIENT', 'REPLY', 'OFF'), { code: 'MISUSE' });
    assert.throws(() => store.sync.transaction((queue) => [queue.send('CLIENT', 'REPLY', 'OFF')]), {
      code: 'MISUSE',
    });
    assert.equal(store.sync.send('PING'), 'PONG');
    await assert.rejects(store.send('MULTI'), { code: 'MISUSE', message: /use transaction\(\)/ });
  });

  it('runs synchronous transactions completely, or not at all if a command does not exist', async () => {
    await using store = await open();
    assert.deepEqual(
      store.sync.transaction((queue) => [queue.incr('n'), queue.get('n')]),
      [1, '1'],
    );
    assert.throws(() => store.sync.transaction((queue) => [queue.incr('n'), queue.send('NOPE')]), {
      code: 'EXECABORT',
    });
    assert.throws(() => store.sync.transaction((queue) => [queue.lpush('n', 'x'), queue.incr('n')]), {
      code: 'WRONGTYPE',
    });
    assert.equal(store.sync.get('n'), '2');
  });

  it('answers a blocking command that cannot wait as if it had timed out', async () => {
    await using store = await open();
    assert.equal(store.sync.send('BLPOP', 'list', 0), null);
    assert.equal(store.sync.get('list'), null);
    store.sync.rpush('list', 'a');
    assert.deepEqual(store.sync.send('BLPOP', 'list', 0), ['list', 'a']);
  });

  it('serves, aborts and closes blocked calls without leaving anything behind', async () => {
    const store = await open();
    const served = store.blpop('list', 0);
    const controller = new AbortController();
    const aborted = store.with({ signal: controller.signal }).brpop('other', 0);
    assert.equal(await store.ping(), 'PONG');
    controller.abort();
    await assert.rejects(aborted, { code: 'ABORTED' });
    store.sync.rpush('list', 'a');
    assert.deepEqual(await served, { key: 'list', element: 'a' });
    store.sync.rpush('other', 'b');
    assert.equal(store.sync.llen('other'), 1);
    const closed = store.blpop('list', 0);
    await store.close();
    await assert.rejects(closed, { code: 'CLOSED' });
    await assert.rejects(store.get('list'), { code: 'CLOSED' });
    assert.throws(() => store.sync.get('list'), { code: 'CLOSED' });
    await store.close();
  });

  it('ends a blocking call that CLIENT PAUSE delays when its signal aborts or the store is closed', async () => {
    const clock = new ManualClock();
    const store = await open('memory:', { clock });
    await store.send('CLIENT PAUSE', 1000);
    const controller = new AbortController();
    const aborted = assert.rejects(store.with({ signal: controller.signal }).blpop('list', 0), {
      code: 'ABORTED',
    });
    const closed = assert.rejects(store.blpop('list', 0), { code: 'CLOSED' });
    await turn();
    controller.abort();
    await aborted;
    await store.close();
    await closed;
  });

  it('delays calls during CLIENT PAUSE and keeps their order', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    await store.send('CLIENT PAUSE', 1000);
    const calls = [
      store.rpush('list', 'a'),
      store.transaction((queue) => [queue.rpush('other', 'b')]),
      store.rpush('list', 'c'),
      store.blpop('third', 1),
    ];
    assert.throws(() => store.sync.rpush('list', 'd'), { code: 'PAUSED' });
    await clock.run(1000);
    await clock.run(1000);
    assert.deepEqual(await Promise.all(calls), [1, [1], 2, null]);
    assert.deepEqual(store.sync.lrange('list', 0, -1), ['a', 'c']);
  });

  it('continues after CLIENT KILL in another session', async () => {
    await using store = await open('memory:', { database: 3 });
    const id = await store.send('CLIENT ID');
    await store.set('key', 'value');
    await using other = await store.duplicate();
    await other.send('CLIENT KILL', 'ID', Number(id));
    assert.equal(await store.get('key'), 'value');
    assert.notEqual(await store.send('CLIENT ID'), id);
  });

  it('shares its engine with its duplicates until the last of them is closed', async () => {
    const store = await open();
    const other = await store.duplicate();
    await store.set('key', 'value');
    await store.close();
    assert.equal(await other.get('key'), 'value');
    await other.close();
    await assert.rejects(other.get('key'), { code: 'CLOSED' });
  });

  it('lets the event loop run while commands are awaited one after the other', async () => {
    await using store = await open();
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      while (!isOver) {
        await turn();
        turns++;
      }
    })();
    for (let i = 0; i < 10_000; i++) await store.incr('n');
    isOver = true;
    await counting;
    assert.ok(turns >= 10, `${turns} turns`);
  });

  it('counts every command that was called', async () => {
    await using store = await open();
    for (let i = 0; i < 1000; i++) store.sync.get('key');
    assert.match(String(store.sync.send('INFO', 'commandstats')), /cmdstat_get:calls=1000,/);
  });

  it('scans synchronously, too', async () => {
    await using store = await open();
    for (let i = 0; i < 100; i++) store.sync.set(`key:${i}`, i);
    store.sync.zadd('ranking', 1.5, 'ann');
    assert.equal(new Set(store.sync.scan({ match: 'key:*', count: 7 })).size, 100);
    assert.deepEqual([...store.sync.zscan('ranking')], [['ann', 1.5]]);
    assert.deepEqual([...store.sync.scan({ type: 'zset' })], ['ranking']);
  });

  it('ends transactions that watch keys, and calls that CLIENT PAUSE delays, when it is closed', async () => {
    const store = await open();
    const other = await store.duplicate();
    const [begun, going] = [new Moment(), new Moment()];
    const transaction = store.transaction({ watch: ['key'] }, async (queue) => {
      begun.come();
      await going.came;
      return [queue.set('key', 'too late')];
    });
    await begun.came;
    await store.close();
    going.come();
    await assert.rejects(transaction, { code: 'CLOSED' });
    await other.send('CLIENT', 'PAUSE', 60_000, 'WRITE');
    const delayed = await other.duplicate();
    const waiting = [
      delayed.transaction({ watch: ['key'] }, (queue) => [queue.set('key', 'too late')]),
      delayed.transaction((queue) => [queue.set('key', 'too late')]),
      delayed.pipeline((queue) => [queue.set('key', 'too late')]),
      delayed.set('key', 'too late'),
    ];
    const ends = waiting.map((call) => Promise.resolve(call).catch(({ code }) => code));
    await delayed.close();
    assert.deepEqual(await Promise.all(ends), ['CLOSED', 'CLOSED', 'CLOSED', 'CLOSED']);
    await other.send('CLIENT', 'UNPAUSE');
    assert.equal(await other.get('key'), null);
    await other.close();
  });

  it('rejects misspelt options of calls, and functions that return no list', async () => {
    await using store = await open();
    // As programs that are not type-checked call it.
    const loose = store as unknown as Record<string, (...args: unknown[]) => unknown>;
    const call = async (name: string, ...args: unknown[]) =>
      (loose[name] as (...args: unknown[]) => unknown)(...args);
    const option = { code: 'OPTION' };
    await assert.rejects(call('with', { timout: 1 }), {
      ...option,
      message: /^with has no option 'timout': available options/,
    });
    await assert.rejects(call('with', { signal: 'x' }), option);
    await assert.rejects(
      call('pipeline', () => [], { settled: true }),
      option,
    );
    await assert.rejects(
      call('transaction', { watch: ['a'], attemps: 1 }, () => []),
      option,
    );
    await assert.rejects(
      call('transaction', { watch: 'ab' }, () => []),
      option,
    );
    await assert.rejects(call('subscribe', 'news', { bufer: 1 }), option);
    await assert.rejects(call('subscribe', 'news', { overflow: 'drop' }), option);
    await assert.rejects(call('script', { kyes: ['a'], lua: 'return 1' }), option);
    await assert.rejects(call('script', {}), option);
    await store.set('a', 1);
    await assert.rejects(store.scan({ macth: 'x' } as object).next(), {
      ...option,
      message: /^scan has no option 'macth'/,
    });
    await assert.rejects(store.hscan('h', { type: 'x' } as object).next(), option);
    assert.throws(() => store.sync.scan({ macth: 'x' } as object).next(), option);
    assert.throws(() => store.sync.zscan('z', { macth: 'x' } as object).next(), option);
    const misuse = { code: 'MISUSE' };
    await assert.rejects(
      call('pipeline', async () => []),
      misuse,
    );
    await assert.rejects(
      call('transaction', () => {}),
      misuse,
    );
    await assert.rejects(
      call('transaction', { watch: ['a'] }, () => 'a'),
      misuse,
    );
    await assert.rejects(call('send'), misuse);
  });

  it('rejects options that are misspelt, belong to other stores or have an invalid value', async () => {
    const mistaken: [options: object, reason: RegExp][] = [
      [{ databse: 1 }, /'databse' is unknown: available options are database, clock, settings, seed/],
      [{ password: 'x' }, /'password' is not for memory: stores/],
      [{ database: -1 }, /'database' must be a whole number/],
      [{ database: 16 }, /no database 16: they are numbered 0 to 15/],
      [{ clock: Date }, /'clock' must be a ManualClock/],
      [{ settings: { maxmemroy: '1mb' } }, /'maxmemroy'.*no such setting/],
      [{ settings: { maxmemory: 'much' } }, /'maxmemory' cannot be 'much': argument must be a memory value/],
    ];
    for (const [options, message] of mistaken) {
      await assert.rejects(open('memory:', options), { code: 'OPTION', message });
    }
  });

  it('applies engine settings, and repeats random choices for the same seed', async () => {
    const sample = async (): Promise<unknown> => {
      await using store = await open('memory:', { seed: 7, settings: { databases: 2, appendonly: false } });
      for (let i = 0; i < 50; i++) store.sync.sadd('set', `member:${i}`);
      assert.deepEqual(store.sync.send('CONFIG GET', 'databases'), ['databases', '2']);
      return store.sync.send('SRANDMEMBER', 'set', 5);
    };
    assert.deepEqual(await sample(), await sample());
  });
});

/** A moment that a test waits for. */
class Moment {
  come: () => void = () => {};
  readonly came = new Promise<void>((resolve) => {
    this.come = resolve;
  });
}
