import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EmbeddedStore,
  ManualClock,
  open,
  type ScriptDefinition,
  type Store,
  StoreError,
} from '../../store/index.js';
import { type Configuration, configuration } from './index.js';

const START = Date.UTC(2026, 0, 1);

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly settings: Configuration;
  /** The same configuration in another process. */
  readonly other: Configuration;
  /** How often the server was asked for a record. */
  reads(): Promise<number>;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(START);
  const store = await open('memory:', { clock });
  return {
    clock,
    store,
    settings: configuration(store),
    other: configuration(store),
    reads: async () => {
      const stats = (await store.send('INFO', 'commandstats')) as string;
      return Number(/cmdstat_hmget:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** A store that is away while `state.isAway`. */
function unreliable(store: Store, state: { isAway: boolean }): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
      return (definition: object) => {
        const call = target.script(definition as ScriptDefinition) as unknown as (
          inputs: object,
        ) => Promise<unknown>;
        return async (inputs: object) => {
          if (state.isAway) throw new StoreError('UNREACHABLE', 'the server is away');
          return call(inputs);
        };
      };
    },
  });
}

/** Collects what a loop yields. */
function collected<T>(items: AsyncIterable<T>): { readonly seen: T[]; readonly done: Promise<void> } {
  const seen: T[] = [];
  const read = async (): Promise<void> => {
    for await (const item of items) seen.push(item);
  };
  return { seen, done: read() };
}

describe('A configuration', () => {
  it('is read from a copy for a second, then asked for again', async () => {
    await using on = await bench();
    await on.settings.set('limits', { uploads: 5 });
    assert.deepEqual(await on.other.get('limits'), { uploads: 5 });
    await on.settings.set('limits', { uploads: 6 });
    on.clock.advance(999);
    for (let i = 0; i < 100; i++) assert.deepEqual(await on.other.get('limits'), { uploads: 5 });
    assert.equal(await on.reads(), 1);
    on.clock.advance(1);
    assert.deepEqual(await on.other.get('limits'), { uploads: 6 });
    assert.equal(await on.other.get('unknown'), undefined);
  });

  it('shows a process its own writes at once', async () => {
    await using on = await bench();
    for (let i = 0; i < 5; i++) {
      const before = on.settings.get('n');
      const written = on.settings.set('n', i);
      await Promise.all([before, written]);
      assert.equal(await on.settings.get('n'), i);
    }
    await on.settings.remove('n');
    assert.equal(await on.settings.get('n'), undefined);
  });

  it('asks once for all callers that ask at the same time', async () => {
    await using on = await bench();
    await on.settings.set('a', [1]);
    const all = await Promise.all(Array.from({ length: 50 }, () => on.other.get('a')));
    assert.ok(all.every((value) => value === all[0]));
    assert.equal(await on.reads(), 1);
    assert.throws(
      () => (all[0] as number[]).push(2),
      TypeError,
      'all callers get the same object, which is frozen',
    );
  });

  it('uses its copy for a while if the server is away, and no longer than `staleFor`', async () => {
    await using on = await bench();
    const state = { isAway: false };
    const settings = configuration(unreliable(on.store, state), { staleFor: 60_000 });
    await settings.set('a', 1);
    assert.equal(await settings.get('a'), 1);
    state.isAway = true;
    on.clock.advance(59_999);
    assert.equal(await settings.get('a'), 1);
    await assert.rejects(settings.get('b'), { code: 'UNREACHABLE' });
    on.clock.advance(1);
    await assert.rejects(settings.get('a'), { code: 'UNREACHABLE' });
    state.isAway = false;
    assert.equal(await settings.get('a'), 1);
  });

  it('is changed depending on its old value, without losing the changes of others', async () => {
    await using on = await bench();
    const add = (settings: Configuration, name: string): Promise<string[]> =>
      settings.update<string[]>('admins', (names = []) => [...names, name]);
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    await Promise.all(names.map((name, i) => add(i % 2 === 0 ? on.settings : on.other, name)));
    assert.deepEqual([...((await on.settings.get('admins')) as string[])].sort(), names.sort());
  });

  it('gives up an update that others always overtake', async () => {
    await using on = await bench();
    let n = 0;
    const overtaken = on.settings.update('x', async () => {
      await on.other.set('x', n++);
      return 'mine';
    });
    await assert.rejects(overtaken, { code: 'CONFLICT' });
    assert.equal(n, 100);
  });

  it('refuses what JSON cannot hold', async () => {
    await using on = await bench();
    for (const value of [undefined, () => 1, Symbol('x')]) {
      await assert.rejects(on.settings.set('a', value), { code: 'OPTION' });
    }
    await on.settings.set('a', null);
    assert.equal(await on.settings.get('a'), null);
  });
});

describe('A watched setting', () => {
  it('is yielded at first and after every change, also its removal, but not for an equal value', async () => {
    await using on = await bench();
    const controller = new AbortController();
    const { seen, done } = collected(on.settings.watch('log', { signal: controller.signal }));
    await on.clock.run(0);
    await on.other.set('log', { level: 'info' });
    await on.clock.run(0);
    await on.other.set('log', { level: 'info' });
    await on.clock.run(0);
    await on.other.set('log', { level: 'debug' });
    await on.clock.run(0);
    await on.other.remove('log');
    await on.clock.run(0);
    controller.abort();
    await done;
    assert.deepEqual(
      seen.map(({ value }) => value),
      [undefined, { level: 'info' }, { level: 'debug' }, undefined],
    );
    const versions = seen.flatMap(({ version }) => version ?? []);
    assert.ok(versions[0]! < versions[1]!);
    await on.clock.run(0);
    assert.deepEqual(await on.store.send('PUBSUB', 'CHANNELS'), [], 'the last watcher ends the subscription');
  });

  it('makes `get` of the same process up to date at once', async () => {
    await using on = await bench();
    const controller = new AbortController();
    const { done } = collected(on.other.watch('a', { signal: controller.signal }));
    await on.other.get('a');
    await on.clock.run(0);
    await on.settings.set('a', 1);
    await on.clock.run(0);
    assert.equal(await on.other.get('a'), 1, 'no time has passed');
    controller.abort();
    await done;
  });

  it('is checked every five seconds, for notices that were lost', async () => {
    await using on = await bench();
    const { seen, done } = collected(on.settings.watch('a'));
    await on.clock.run(0);
    // Written without a notice.
    await on.store.send('HSET', 'config:{a}:record', 'version', 7, 'value', '"quiet"');
    await on.clock.run(5_000);
    assert.deepEqual(seen, [
      { value: undefined, version: undefined },
      { value: 'quiet', version: 7 },
    ]);
    await on.settings.close();
    await done;
  });
});

describe('Maintenance', () => {
  it('is seen by all processes within a second, with its reason', async () => {
    await using on = await bench();
    assert.equal(await on.other.maintenance.status(), undefined);
    await on.settings.maintenance.begin({ reason: 'new disks' });
    on.clock.advance(1_000);
    assert.deepEqual(await on.other.maintenance.status(), {
      reason: 'new disks',
      since: new Date(START),
      until: undefined,
    });
    await on.settings.maintenance.end();
    on.clock.advance(1_000);
    assert.equal(await on.other.maintenance.status(), undefined);
  });

  it('ends by itself on time, also in copies and for watchers', async () => {
    await using on = await bench();
    const { seen, done } = collected(on.other.maintenance.watch());
    await on.clock.run(0);
    await on.settings.maintenance.begin({ for: 1_500 });
    await on.clock.run(1_400);
    assert.deepEqual((await on.other.maintenance.status())?.until, new Date(START + 1_500));
    on.clock.advance(101);
    assert.equal(
      await on.other.maintenance.status(),
      undefined,
      'the copy is younger than a second, but has ended',
    );
    await on.clock.run(10);
    assert.deepEqual(
      seen.map((status) => status !== undefined),
      [false, true, false],
    );
    await on.other.close();
    await done;
  });

  it('does not touch a setting of the same name', async () => {
    await using on = await bench();
    await on.settings.set('maintenance', 'mine');
    await on.settings.maintenance.begin();
    await on.settings.maintenance.end();
    assert.equal(await on.settings.get('maintenance'), 'mine');
  });
});

describe('A component of the application', () => {
  /** Opens stores in memory and keeps account of them. */
  function opener() {
    const opened: { address: string; store: Store; isClosed: boolean }[] = [];
    const openOne = async (address: string): Promise<Store> => {
      if (address === 'memory:broken') throw new StoreError('UNREACHABLE', 'no server');
      const store = await open();
      const entry = { address, store, isClosed: false };
      opened.push(entry);
      const close = store.close.bind(store);
      store.close = async () => {
        entry.isClosed = true;
        await close();
      };
      return store;
    };
    return { opened, open: openOne };
  }

  it('connects once, however often it is used (not anew for each call)', async () => {
    await using on = await bench();
    const { opened, open: openOne } = opener();
    await on.settings.set('logs', { address: 'memory:a', database: 0 });
    const logs = on.settings.component('logs', (store) => store, { open: openOne });
    await Promise.all(Array.from({ length: 20 }, () => logs.use((store) => store.incr('n'))));
    on.clock.advance(5_000);
    assert.equal(await logs.use((store) => store.get('n')), '20');
    // Written again in another order: another version, but the same setting.
    await on.settings.set('logs', { database: 0, address: 'memory:a' });
    assert.equal(await logs.use((store) => store.get('n')), '20');
    assert.equal(opened.length, 1);
    await on.settings.close();
    assert.ok(opened[0]?.isClosed);
  });

  it('is given a new connection when its setting changes; the old one is closed after its last use', async () => {
    await using on = await bench();
    const { opened, open: openOne } = opener();
    await on.settings.set('logs', 'memory:a');
    const logs = on.settings.component('logs', (store) => store, { open: openOne });
    let finish = (): void => {};
    const slow = logs.use(async (store) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await store.set('late', 1);
      return store;
    });
    await on.clock.run(0);
    await on.settings.set('logs', 'memory:b');
    await logs.use((store) => store.set('early', 1));
    assert.deepEqual(
      opened.map(({ address, isClosed }) => [address, isClosed]),
      [
        ['memory:a', false],
        ['memory:b', false],
      ],
    );
    finish();
    await slow;
    assert.deepEqual(
      opened.map(({ isClosed }) => isClosed),
      [true, false],
    );
    await logs.close();
    assert.ok(opened[1]?.isClosed);
  });

  it('rejects while it has no usable setting, and works when it has one', async () => {
    await using on = await bench();
    const { opened, open: openOne } = opener();
    const logs = on.settings.component('logs', (store) => store, { open: openOne });
    const used = (): Promise<unknown> => logs.use((store) => store.get('a'));
    await assert.rejects(used(), { code: 'MISSING', message: /'logs' has no setting: write its address/ });
    await on.settings.set('logs', { adress: 'memory:a' });
    await assert.rejects(used(), { code: 'SETTING', message: /must be an address or/ });
    await on.settings.set('logs', 'memory:broken');
    await assert.rejects(used(), { code: 'UNREACHABLE' });
    await assert.rejects(used(), { code: 'UNREACHABLE' });
    await on.settings.set('logs', 'memory:a');
    assert.equal(await used(), null);
    assert.equal(opened.length, 1);
    await on.settings.close();
  });

  it('closes a connection on which nothing can be built', async () => {
    await using on = await bench();
    const { opened, open: openOne } = opener();
    await on.settings.set('logs', 'memory:a');
    const build = (): never => {
      throw new Error('on purpose');
    };
    const logs = on.settings.component('logs', build, { open: openOne });
    await assert.rejects(
      logs.use(() => 1),
      /on purpose/,
    );
    assert.ok(opened[0]?.isClosed);
  });
});
