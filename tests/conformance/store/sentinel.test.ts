/** A store behind Sentinels goes on when another server becomes the master. */
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

  it('goes on after master and replica have changed places', async () => {
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

  it('hears and waits again after that', async () => {
    await using news = await store.subscribe('news');
    await store.publish('news', 'still here');
    assert.equal((await news.next()).value?.message, 'still here');
    const job = store.blpop('jobs', 0);
    await store.rpush('jobs', 'one');
    assert.equal((await job)?.element, 'one');
  });

  it('goes on after the master was killed', async () => {
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

  it('says so when the Sentinels know no master of that name', async () => {
    const address = `redis+sentinel://127.0.0.1:${group.sentinelPorts[0]}/nobody`;
    await rejectsWith(open(address, { connectTimeout: 2_000 }), 'UNREACHABLE', /nobody/);
  });
});

/** Everything written so far is at the replica too: what is not may be lost with its master. */
async function untilReplicated(group: SentinelGroup): Promise<void> {
  const port = await group.masterPort();
  await until('the replica has everything', async () => {
    const info = String(await ask(port, 'INFO', 'replication'));
    const written = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
    const received = /^slave0:.*state=online,offset=(\d+)/m.exec(info)?.[1];
    return written !== undefined && written === received;
  });
}

/** Commands may fail while there is no master; they do not for ever. */
async function untilServing(store: Store): Promise<void> {
  await until('the new master takes writes', () =>
    store.set('probe', 1).then(
      () => true,
      () => false,
    ),
  );
}

/** Writes again and again until told to stop; failures are kept. */
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
