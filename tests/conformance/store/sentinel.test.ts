/** A store behind Sentinels continues when another server becomes the master. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open, type Store, StoreError } from '../../../src/store/index.js';
import {
  ask,
  type SentinelGroup,
  startSentinelGroup,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../support/fleet/index.js';
import { rejectsWith, until } from './suite.js';

describe('A store behind Sentinels', { ...whenRedisIsInstalled, timeout: 300_000 }, () => {
  let group: SentinelGroup;
  let store: Store;

  before(async () => {
    group = await startSentinelGroup();
    const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    store = await open(`redis+sentinel://${hosts}/${group.name}`);
  });
  after(async () => {
    await store?.close();
    await stopAllServers();
  });

  it('is of the kind `sentinel`, on the master', async () => {
    assert.equal(store.kind, 'sentinel');
    assert.deepEqual((await store.send<readonly string[]>('ROLE'))[0], 'master');
  });

  it('continues after a failover', async () => {
    await store.set('before', 'kept');
    await untilReplicated(group);
    const former = await group.masterPort();
    const writing = writeThroughout(store);
    await group.failover();
    await writing.stop();
    assert.notEqual(await group.masterPort(), former);
    await untilServing(store);
    assert.equal(await store.get('before'), 'kept');
    await store.set('after', 'new');
    assert.equal(await ask(await group.masterPort(), 'GET', 'after'), 'new');
    for (const error of writing.errors) assert.ok(error instanceof StoreError, String(error));
  });

  it('subscribes and blocks again after that', async () => {
    await using news = await store.subscribe('news');
    await store.publish('news', 'still here');
    assert.equal((await news.next()).value?.message, 'still here');
    const job = store.blpop('jobs', 0);
    await store.rpush('jobs', 'one');
    assert.equal((await job)?.element, 'one');
  });

  it('continues after the master was killed', async () => {
    await store.set('before', 'kept again');
    await untilReplicated(group);
    const crash = group.crashMaster();
    const waiting = store.blpop('never', 0).then(
      () => undefined,
      (error: unknown) => error,
    );
    await crash;
    await untilServing(store);
    assert.equal(await store.get('before'), 'kept again');
    assert.equal(await store.incr('count'), 1);
    await store.rpush('never', 'now');
    const error = await waiting;
    assert.ok(error === undefined || error instanceof StoreError, String(error));
  });

  it('says so if the Sentinels do not know a master of that name', async () => {
    const address = `redis+sentinel://127.0.0.1:${group.sentinelPorts[0]}/unknown`;
    await rejectsWith(open(address, { connectTimeout: 2_000 }), 'UNREACHABLE', /unknown/);
  });
});

/** Waits until the replica has everything written so far. The rest may be lost with the master. */
async function untilReplicated(group: SentinelGroup): Promise<void> {
  const port = await group.masterPort();
  await until('the replica has everything', async () => {
    const info = String(await ask(port, 'INFO', 'replication'));
    const written = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
    const received = /^slave0:.*state=online,offset=(\d+)/m.exec(info)?.[1];
    return written !== undefined && written === received;
  });
}

/** Waits until the new master accepts writes. Commands may fail before that. */
async function untilServing(store: Store): Promise<void> {
  await until('the new master accepts writes', () =>
    store.set('probe', 1).then(
      () => true,
      () => false,
    ),
  );
}

/** Writes repeatedly until `stop` is called, and collects the errors. */
function writeThroughout(store: Store): { readonly errors: unknown[]; stop(): Promise<void> } {
  const errors: unknown[] = [];
  let isOver = false;
  const running = (async () => {
    for (let i = 0; !isOver; i++) {
      await store.set('written', i).catch((error: unknown) => errors.push(error));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    errors,
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
