import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { ManualClock, open, type Store, StoreError } from '../../store/index.js';
import { durableWrites } from './index.js';

const root = mkdtempSync(join(tmpdir(), 'sorrel-durable-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** Replaces the system's call; what is synced is not on disk before `end` is called. */
function holdSyncs(t: TestContext): { readonly begun: number; end(error?: NodeJS.ErrnoException): void } {
  const original = fs.fdatasync;
  const waiting: ((error: NodeJS.ErrnoException | null) => void)[] = [];
  fs.fdatasync = ((_fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    waiting.push(done);
  }) as typeof fs.fdatasync;
  syncBuiltinESMExports();
  t.after(() => {
    fs.fdatasync = original;
    syncBuiltinESMExports();
  });
  return {
    get begun() {
      return waiting.length;
    },
    end: (error) => {
      for (const done of waiting.splice(0)) done(error ?? null);
    },
  };
}

describe('A write to an embedded store', () => {
  it('is confirmed when the append-only file is synced, and not before', async (t) => {
    await using store = await open(`file:${join(root, 'a')}`, { settings: { appendfsync: 'no' } });
    const syncs = holdSyncs(t);
    await store.set('order', 'paid');
    let isOver = false;
    const confirming = durableWrites(store).confirm('order');
    void confirming.then(() => {
      isOver = true;
    });
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    assert.deepEqual([isOver, syncs.begun], [false, 1]);
    syncs.end();
    assert.deepEqual(await confirming, { isConfirmed: true, replicas: 0, disk: 'synced' });
  });

  it('is in the file when it is confirmed', async () => {
    const folder = join(root, 'b');
    await using store = await open(`file:${folder}`);
    await store.set('order', 'paid for by ann');
    await durableWrites(store).confirm('order');
    const files = fs.readdirSync(join(folder, 'appendonlydir'));
    const texts = files.map((name) => fs.readFileSync(join(folder, 'appendonlydir', name), 'latin1'));
    assert.ok(texts.some((text) => text.includes('paid for by ann')));
  });

  it('is late if the disk takes longer than the timeout, and fails if the disk refuses', async (t) => {
    const clock = new ManualClock();
    await using store = await open(`file:${join(root, 'c')}`, { clock, settings: { appendfsync: 'no' } });
    const syncs = holdSyncs(t);
    const writes = durableWrites(store, { timeout: 100 });
    const late = writes.confirm('order');
    while (syncs.begun === 0) await new Promise(setImmediate);
    await clock.run(100);
    assert.deepEqual(await late, { isConfirmed: false, replicas: 0, disk: 'late' });
    syncs.end();
    const failing = assert.rejects(writes.confirm('order'), { code: 'FILES' });
    while (syncs.begun === 0) await new Promise(setImmediate);
    syncs.end(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await failing;
    const controller = new AbortController();
    const aborted = assert.rejects(writes.confirm('order', { signal: controller.signal }), {
      code: 'ABORTED',
    });
    controller.abort();
    await aborted;
    syncs.end();
  });

  it('cannot be confirmed in memory only', async () => {
    await using store = await open();
    const writes = durableWrites(store);
    assert.deepEqual(await writes.confirm('order'), { isConfirmed: false, replicas: 0, disk: 'off' });
    assert.deepEqual(await writes.confirm('order', { disk: false }), {
      isConfirmed: true,
      replicas: 0,
      disk: 'unproven',
    });
    assert.equal((await writes.confirm('order', { disk: false, replicas: 1 })).isConfirmed, false);
  });
});

/** A store whose server answers WAIT and WAITAOF like this. */
function answering(store: Store, answers: Readonly<Record<string, unknown>>, sent: string[] = []): Store {
  return new Proxy(store, {
    get(target, property) {
      if (property === 'kind') return 'standalone';
      if (property === 'with') return () => answering(target, answers, sent);
      if (property === 'transaction') {
        return async (_: unknown, build: (queue: unknown, watched: unknown) => Promise<unknown>) =>
          build(undefined, {
            send: async (name: string, ...args: unknown[]) => {
              sent.push([name, ...args].slice(0, 3).join(' '));
              const answer = answers[name] ?? 'OK';
              if (answer instanceof Error) throw answer;
              return answer;
            },
          });
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('A write to a server', () => {
  const cases: [string, Readonly<Record<string, unknown>>, object, object][] = [
    [
      'has reached enough replicas',
      { WAIT: 2 },
      { replicas: 2 },
      { isConfirmed: true, replicas: 2, disk: 'unproven' },
    ],
    ['has not', { WAIT: 1 }, { replicas: 2 }, { isConfirmed: false, replicas: 1, disk: 'unproven' }],
    [
      'is on disk (7.2)',
      { WAIT: 1, WAITAOF: [1, 0] },
      { disk: true },
      { isConfirmed: true, replicas: 1, disk: 'synced' },
    ],
    [
      'is not yet on disk (7.2)',
      { WAIT: 1, WAITAOF: [0, 0] },
      { disk: true },
      { isConfirmed: false, replicas: 1, disk: 'late' },
    ],
    [
      'is kept in memory (7.2)',
      {
        WAIT: 1,
        WAITAOF: new StoreError(
          'ERR',
          'ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.',
        ),
      },
      { disk: true },
      { isConfirmed: false, replicas: 1, disk: 'off' },
    ],
    [
      'cannot be proven to be on disk (7.0)',
      {
        WAIT: 1,
        WAITAOF: new StoreError('ERR', "ERR unknown command 'WAITAOF', with args beginning with: "),
      },
      { disk: true },
      { isConfirmed: false, replicas: 1, disk: 'unproven' },
    ],
  ];
  for (const [what, answers, options, expected] of cases) {
    it(what, async () => {
      await using store = await open();
      const sent: string[] = [];
      const writes = durableWrites(answering(store, answers, sent), options);
      assert.deepEqual(await writes.confirm('{user:7}:order'), expected);
      assert.match(sent[0] ?? '', /^SET durable:\{user:7\}:mark /, 'a mark first: WAIT counts from it');
    });
  }

  it('is as sure as the weakest of its servers', async () => {
    await using store = await open();
    let number = 3;
    const answers = {
      get WAIT() {
        return --number;
      },
    };
    const writes = durableWrites(answering(store, answers), { replicas: 2 });
    assert.deepEqual(await writes.confirm(['a', 'b']), { isConfirmed: false, replicas: 1, disk: 'unproven' });
  });

  it('names what cannot be a key', async () => {
    await using store = await open();
    const writes = durableWrites(answering(store, { WAIT: 0 }));
    await assert.rejects(writes.confirm([]), { code: 'OPTION' });
    await assert.rejects(writes.confirm('a}b'), /name another key of its server/);
    assert.throws(() => durableWrites(store, { prefix: '{x}' }), { code: 'OPTION' });
    await assert.rejects(writes.confirm('a', { replicas: -1 }), { code: 'OPTION' });
  });
});
