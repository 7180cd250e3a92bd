/** `sorrel copy` between every two kinds of places: everything is copied and verified, and an interrupted copy can be resumed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type CopyOptions, type CopyReport, copyEverything } from '../../../src/cli/copy/copy-everything.js';
import { CopyPlace } from '../../../src/cli/copy/copy-place.js';
import { CopyState } from '../../../src/cli/copy/copy-state.js';
import { open, type Store } from '../../../src/store/index.js';
import {
  ask,
  type RedisCluster,
  type Server,
  startRedis,
  startRedisCluster,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../support/fleet/index.js';
import { contents, seed } from './contents.js';

const LIMIT = { timeout: 180_000 };
const LIBRARY = `#!lua name=mylib
redis.register_function('twice', function(keys, args) return args[1] * 2 end)`;

const folder = mkdtempSync(join(tmpdir(), 'sorrel-copying-'));
after(async () => {
  await stopAllServers();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
function freshFolder(): `file:${string}` {
  return `file:${join(folder, `${++count}`)}`;
}

/** The file with the state of the copy between these two places. */
function statePath(from: string, to: string): string {
  const hash = createHash('sha256').update(`${from} ${to}`).digest('hex');
  return join(folder, `${hash}.json`);
}

/** Runs the copy like the command. */
async function copy(from: string, to: string, options: Partial<CopyOptions> = {}): Promise<CopyReport> {
  const state = new CopyState(from, to, statePath(from, to));
  const source = await CopyPlace.open(from, 'source');
  const target = await CopyPlace.open(to, 'target').catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  try {
    const report = await copyEverything(source, target, state, {
      replace: false,
      delete: false,
      signal: new AbortController().signal,
      onProgress: () => {},
      ...options,
    });
    await target.finish();
    state.remove();
    return report;
  } finally {
    await source.close();
    await target.close();
  }
}

async function filled(): Promise<{ address: `file:${string}`; keys: number; content: Map<string, unknown> }> {
  const address = freshFolder();
  await using store = await open(address);
  const keys = await seed(store);
  return { address, keys, content: await contents(store) };
}

async function contentsAt(address: string): Promise<Map<string, unknown>> {
  await using store: Store = await open(address);
  return await contents(store);
}

const EQUAL = { repaired: 0, differing: 0, surplus: 0 };

describe('A copy between folders and files', LIMIT, () => {
  it('copies every key with its value and its time to live', async () => {
    const { address, keys, content } = await filled();
    const to = freshFolder();
    assert.deepEqual(await copy(address, to), { keys, databases: 1, libraries: 0, ...EQUAL });
    assert.deepEqual(await contentsAt(to), content);
    assert.deepEqual(await contentsAt(address), content);
  });

  it('can use an RDB file in between', async () => {
    const { address, keys, content } = await filled();
    const file = join(folder, 'backup.rdb');
    {
      // The state of a copy that is killed at its very end.
      const settings = { appendonly: false, dbfilename: 'dump.rdb' };
      await using killed = await open(`file:${join(folder, '.backup.rdb.sorrel-copy')}`, { settings });
      await killed.set('from another time', 1);
      await killed.send('SAVE');
    }
    assert.equal((await copy(address, file)).keys, keys);
    assert.ok(existsSync(file));
    const to = freshFolder();
    assert.equal((await copy(file, to)).keys, keys);
    assert.deepEqual(await contentsAt(to), content);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('.')),
      [],
    );
    await assert.rejects(copy(address, file), /backup\.rdb exists/);
  });

  it('copies all databases and all functions', async () => {
    const [from, to] = [freshFolder(), freshFolder()];
    for (const database of [0, 3]) {
      await using store = await open(from, { database });
      await store.set('number', database);
      await store.functionLoad(LIBRARY, { replace: true });
    }
    assert.deepEqual(await copy(from, to), { keys: 2, databases: 2, libraries: 1, ...EQUAL });
    for (const database of [0, 3]) {
      await using store = await open(to, { database });
      assert.equal(await store.get('number'), `${database}`);
      assert.equal(await store.dbsize(), 1);
      assert.equal(await store.fcall('twice', [], 4), 8);
    }
  });

  it('resumes where it was interrupted', async () => {
    const { address, keys, content } = await filled();
    const to = freshFolder();
    const controller = new AbortController();
    const enough = new Error('enough');
    const interrupted = copy(address, to, {
      signal: controller.signal,
      onProgress: () => controller.abort(enough),
    });
    await assert.rejects(interrupted, enough);
    const half = await contentsAt(to);
    assert.ok(half.size > 0 && half.size < keys, `${half.size}`);
    // The append-only file does not contain the seen times of consumers, so that the reopened source differs slightly.
    const { repaired, ...report } = await copy(address, to);
    assert.ok(repaired <= 1, `${repaired}`);
    assert.deepEqual(report, { keys, databases: 1, libraries: 0, differing: 0, surplus: 0 });
    assert.deepEqual(await contentsAt(to), content);
  });

  it('finds and corrects differences after an interruption', async () => {
    const { address, keys, content } = await filled();
    const to = freshFolder();
    const controller = new AbortController();
    await assert.rejects(
      copy(address, to, {
        signal: controller.signal,
        onProgress: (phase) => phase === 'compared' && controller.abort(new Error('later')),
      }),
      /later/,
    );
    {
      await using store = await open(to);
      await store.srem('large set', 'member 7');
      await store.persist('mortal');
      await store.del('text');
      await store.xack('stream', 'group', '1-0');
    }
    assert.deepEqual(await copy(address, to), { keys, databases: 1, libraries: 0, ...EQUAL, repaired: 4 });
    assert.deepEqual(await contentsAt(to), content);
  });

  it('refuses a target that is not empty, unless replacing is allowed', async () => {
    const { address, keys, content } = await filled();
    const to = freshFolder();
    {
      await using store = await open(to);
      await store.mset({ text: 'other', mine: 'stays' });
    }
    await assert.rejects(copy(address, to), /is not empty: --replace/);
    const report = await copy(address, to, { replace: true });
    assert.deepEqual(report, { keys, databases: 1, libraries: 0, ...EQUAL, surplus: 1 });
    const found = await contentsAt(to);
    assert.equal(found.delete('mine'), true);
    assert.deepEqual(found, content);
  });

  it('deletes keys that only the target has, if requested, and only in databases of the source', async () => {
    const [from, to] = [freshFolder(), freshFolder()];
    {
      await using store = await open(from);
      await store.set('kept', 1);
    }
    for (const database of [0, 3]) {
      await using store = await open(to, { database });
      await store.mset({ mine: 1, other: 2 });
    }
    const report = await copy(from, to, { replace: true, delete: true });
    assert.deepEqual(report, { keys: 1, databases: 1, libraries: 0, ...EQUAL, surplus: 2 });
    assert.deepEqual([...(await contentsAt(to)).keys()], ['kept']);
    await using untouched = await open(to, { database: 3 });
    assert.equal(await untouched.dbsize(), 2);
  });

  it('distinguishes the states of different copies', async () => {
    const path = join(folder, 'other-state.json');
    const state = new CopyState('file:a', 'file:b', path);
    state.begin();
    assert.throws(() => new CopyState('file:a', 'file:c', path), /other addresses/);
    assert.ok(new CopyState('file:a', 'file:b', path).isResumed);
    writeFileSync(path, 'something else');
    assert.throws(() => new CopyState('file:a', 'file:b', path), /is not the state of a copy/);
  });

  it('reports an invalid address', async () => {
    await assert.rejects(copy('memory:', freshFolder()), /memory: is empty/);
    await assert.rejects(copy(`file:${join(folder, 'none')}`, freshFolder()), /there is no folder/);
    await assert.rejects(copy(freshFolder(), 'nonsense'), /there is no folder|address/);
  });
});

describe('A copy between servers', { ...LIMIT, ...whenRedisIsInstalled }, () => {
  let redis: Server;
  let cluster: RedisCluster;
  let redisAddress: string;
  let clusterAddress: string;

  before(async () => {
    [redis, cluster] = await Promise.all([startRedis(), startRedisCluster()]);
    redisAddress = `redis://127.0.0.1:${redis.port}`;
    clusterAddress = `redis+cluster://127.0.0.1:${cluster.ports[1]}`;
  });

  it('works from a folder to Redis, to a Cluster, and back', async () => {
    const { address, keys, content } = await filled();
    const expected = { keys, databases: 1, libraries: 0, ...EQUAL };
    assert.deepEqual(await copy(address, redisAddress), expected);
    assert.deepEqual(await contentsAt(redisAddress), content);
    assert.deepEqual(await copy(redisAddress, clusterAddress), expected);
    assert.deepEqual(await contentsAt(clusterAddress), content);
    const sizes = await Promise.all(cluster.ports.map((port) => ask(port, 'DBSIZE')));
    assert.ok(
      sizes.every((size) => Number(size) > 0),
      String(sizes),
    );
    const back = freshFolder();
    assert.deepEqual(await copy(clusterAddress, back), expected);
    assert.deepEqual(await contentsAt(back), content);
    await ask(redis.port, 'FLUSHALL');
    await cluster.flush();
  });

  it('loads functions on every server of a Cluster', async () => {
    await ask(redis.port, 'FUNCTION', 'LOAD', LIBRARY);
    await ask(redis.port, 'SET', 'k', 'v');
    assert.equal((await copy(redisAddress, clusterAddress)).libraries, 1);
    for (const port of cluster.ports) assert.equal(await ask(port, 'FCALL', 'twice', '0', '21'), 42);
    await ask(redis.port, 'FUNCTION', 'FLUSH');
    await ask(redis.port, 'FLUSHALL');
    for (const port of cluster.ports) await ask(port, 'FUNCTION', 'FLUSH');
    await cluster.flush();
  });

  it('copies one database to another if the addresses name them', async () => {
    for (const database of [0, 1, 2]) {
      await using store = await open(redisAddress, { database });
      await store.set(`only in ${database}`, 'x');
    }
    const to = `${redisAddress}/7`;
    await assert.rejects(copy(redisAddress, to), /has keys in the databases 0, 1, 2/);
    await assert.rejects(copy(redisAddress, clusterAddress), /a Cluster has only database 0/);
    assert.deepEqual(await copy(`${redisAddress}/1`, to), { keys: 1, databases: 1, libraries: 0, ...EQUAL });
    assert.deepEqual([...(await contentsAt(to)).keys()], ['only in 1']);
    await ask(redis.port, 'FLUSHALL');
  });

  it('copies keys again that were written during the copy', async () => {
    await using store = await open(redisAddress);
    const keys = await seed(store);
    const to = freshFolder();
    let hasWritten = false;
    const report = await copy(redisAddress, to, {
      onProgress: (phase, done, total) => {
        if (phase !== 'copied' || done < total || hasWritten) return;
        hasWritten = true;
        void store.mset({ text: 'changed', late: 'new' });
      },
    });
    assert.equal(report.keys, keys + 1);
    assert.equal(report.differing, 0);
    assert.deepEqual(await contentsAt(to), await contents(store));
    await ask(redis.port, 'FLUSHALL');
  });
});
