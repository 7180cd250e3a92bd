import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Discovery } from '../../src/console/boards/discovery.js';
import { Instances } from '../../src/console/boards/instances.js';
import { keyNameOf } from '../../src/console/boards/key-name.js';
import { BOARD_KINDS } from '../../src/kit/boards.js';
import type { Board, BoardPlace } from '../../src/kit/foundation/index.js';
import { defineTask, queue } from '../../src/kit/queue/index.js';
import { semaphores } from '../../src/kit/semaphores/index.js';
import { type EmbeddedStore, ManualClock, open, type Store } from '../../src/store/index.js';
import { startRedis, startRedisCluster, whenRedisIsInstalled } from '../support/fleet/index.js';
import { USES } from '../support/kit-uses.js';

/** The instances that are in a store. */
async function instancesIn(store: EmbeddedStore): Promise<Instances> {
  const instances = new Instances(BOARD_KINDS);
  for (const key of await store.send<string[]>('KEYS', '*')) {
    const name = keyNameOf(key);
    assert.ok(name !== undefined, `${key} is a key of a component`);
    instances.add(key, name);
  }
  await instances.recognise(async (key) => String(await store.send('TYPE', key)));
  return instances;
}

async function changesOf(store: EmbeddedStore): Promise<string> {
  const info = await store.send<string>('INFO', 'persistence');
  return /rdb_changes_since_last_save:(\d+)/.exec(info)?.[1] ?? '';
}

/** What is sent to the browser arrives as it is. */
function checkData(value: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
}

/** Reads everything that a board shows. Returns how many rows there are. */
async function readAll(board: Board): Promise<number> {
  const view = await board.view();
  checkData(view);
  let count = 0;
  for (const { id, columns, total, hasDetail } of view.tables) {
    if (board.writingTables?.includes(id)) continue;
    const page = await board.rows(id, { limit: 50 });
    checkData(page);
    count += page.rows.length;
    for (const { cells } of page.rows)
      assert.equal(cells.length, columns.length, `${id} has a cell for each column`);
    if (total !== undefined && total > 0 && total < 50)
      assert.ok(page.rows.length > 0, `${id} shows its rows`);
    const [first] = page.rows;
    if (hasDetail === true && first !== undefined) {
      const detail = await board.detail?.(id, first.id);
      assert.ok(detail !== undefined, `${id} ${first.id} can be opened`);
      checkData(detail);
    }
  }
  await assert.rejects(board.rows('no such table', { limit: 1 }), { code: 'OPTION' });
  return count;
}

async function checkBoards(store: EmbeddedStore): Promise<number> {
  const instances = await instancesIn(store);
  let shown = 0;
  for (const kind of BOARD_KINDS) {
    for (const place of instances.list(kind.kind, '')) {
      const before = await changesOf(store);
      shown += await readAll(kind.open(store, place));
      assert.equal(await changesOf(store), before, `reading ${kind.kind} ${place.name} changes nothing`);
    }
  }
  return shown;
}

describe('The board of a component is read from the store alone, and reading changes nothing', () => {
  for (const [component, { run }] of Object.entries(USES)) {
    it(component, async () => {
      const clock = new ManualClock(Date.UTC(2024, 0, 1));
      await using store = await open('memory:', { clock });
      let [shown, keys] = [0, 0];
      const look = async (): Promise<void> => {
        keys += await store.send<number>('DBSIZE');
        shown += await checkBoards(store);
      };
      await run(store, clock, look);
      await look();
      assert.equal(shown > 0, keys > 0, 'what is there is shown');
    });
  }
});

it('no two boards have the same name or prefix', () => {
  const kinds = new Set(BOARD_KINDS.map(({ kind }) => kind));
  assert.equal(kinds.size, BOARD_KINDS.length);
  assert.equal(new Set(BOARD_KINDS.map(({ prefix }) => prefix)).size, BOARD_KINDS.length);
});

describe('Instances', () => {
  async function found(keys: Readonly<Record<string, string>>): Promise<Instances> {
    const instances = new Instances(BOARD_KINDS);
    for (const key of Object.keys(keys)) {
      const name = keyNameOf(key);
      if (name !== undefined) instances.add(key, name);
    }
    await instances.recognise(async (key) => keys[key] ?? 'none');
    return instances;
  }

  const names = (places: readonly BoardPlace[]): string[] =>
    places.map(({ prefix, name }) => `${prefix} ${name}`);

  it('are recognised by their parts and types if their prefix is not the default', async () => {
    const instances = await found({
      'work:{mail}:meta': 'hash',
      'work:{mail}:tasks': 'hash',
      'work:{mail}:outcomes': 'hash',
      'slots:{cpu}:permits': 'zset',
      'people:{all}:layout': 'hash',
      'people:{all-3}:shard': 'set',
      'people:{all-4}:shard': 'set',
    });
    assert.deepEqual(names(instances.list('queue', '')), ['work mail']);
    assert.deepEqual(names(instances.list('semaphore', '')), ['slots cpu']);
    assert.deepEqual(names(instances.list('sharded-set', '')), ['people all']);
    assert.deepEqual(names(instances.list('sharded-hash', '')), []);
  });

  it('are not taken for a component if several fit, or one of their parts belongs to none', async () => {
    const instances = await found({
      'user:{7}:meta': 'hash',
      'order:{7}:permits': 'hash',
      'shop:{7}:tasks': 'hash',
      'shop:{7}:colour': 'string',
      '{braces}:only': 'string',
      plain: 'string',
    });
    assert.equal(instances.counts().size, 0);
  });

  it('of many names are bounded, and the rest is reported', () => {
    const instances = new Instances(BOARD_KINDS);
    for (let i = 0; i < 12_000; i++) {
      instances.add(`lock:{${i}}:state`, { prefix: 'lock', name: String(i), part: 'state' });
    }
    assert.deepEqual(instances.counts().get('lock'), { count: 10_000, isCut: true });
  });
});

describe('Components on servers', whenRedisIsInstalled, () => {
  /** Fills the store, searches it through the other one, and reads every board that was found. */
  async function findAll(store: Store, seenBy: Store): Promise<ReadonlyMap<string, number>> {
    const note = defineTask<number>('note');
    for (const name of ['a', 'b', 'c']) await queue(store, name).add(note, 1);
    await using _permit = await semaphores(store, { limit: 3 }).acquire('cpu');
    const discovery = new Discovery(BOARD_KINDS);
    const shares: number[] = [];
    const { signal } = new AbortController();
    await discovery.run(seenBy, signal, async (share) => void shares.push(share));
    assert.equal(shares.at(-1), 1);
    assert.ok(discovery.isComplete);
    for (const kind of BOARD_KINDS) {
      for (const place of discovery.found.list(kind.kind, '')) await readAll(kind.open(seenBy, place));
    }
    assert.deepEqual(await new Discovery(BOARD_KINDS).partsOf(seenBy, 'semaphore', 'cpu', signal), [
      'permits',
    ]);
    return new Map([...discovery.found.counts()].map(([kind, { count }]) => [kind, count]));
  }

  const EXPECTED = new Map([
    ['queue', 3],
    ['semaphore', 1],
  ]);

  it('are read by a user who may not write', async () => {
    const server = await startRedis();
    try {
      await using store = await open(`redis://127.0.0.1:${server.port}`);
      const rules = ['on', '>secret', '~*', '&*', '+@all', '-@write', '-eval', '-evalsha'];
      await store.send('ACL', 'SETUSER', 'reader', ...rules);
      await using reader = await open(`redis://reader:secret@127.0.0.1:${server.port}`);
      assert.deepEqual(await findAll(store, reader), EXPECTED);
    } finally {
      await server.stop();
    }
  });

  it('are found on all masters of a Cluster', async () => {
    const cluster = await startRedisCluster();
    try {
      const address = `redis+cluster://${cluster.ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
      await using store = await open(address);
      assert.deepEqual(await findAll(store, store), EXPECTED);
    } finally {
      await cluster.stop();
    }
  });
});
