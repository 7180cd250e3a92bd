import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Locks, locks, majorityLocks } from '../../../src/kit/locks/index.js';
import { open, type Store } from '../../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../../support/fleet/index.js';
import { isNext } from '../../support/kit-locks.js';
import { isBehindSentinels, onEveryStore, prepareServers, rejectsWith, until } from './support.js';

prepareServers();

/** Longer than any step takes on a busy machine. */
const PATIENT = { wait: 60_000, lease: 60_000 } as const;

onEveryStore('Locks', (test, kind) => {
  test('a lock has one holder at a time, with a greater token each time', async (store, {
    space,
    another,
  }) => {
    const here = locks(store, { prefix: space, ...PATIENT });
    const there = locks(await another(), { prefix: space, ...PATIENT });
    const first = await here.acquire('x');
    assert.equal(await there.tryAcquire('x'), undefined);
    assert.equal(await first.release(), true);
    const second = await there.acquire('x');
    assert.ok(second.token > first.token);
    assert.ok(second.token > 1_700_000_000_000_000, 'not less than the time in µs');
    assert.equal(await second.release(), true);
  });

  test('a release wakes the waiter, even in another client', async (store, { space, another }) => {
    const here = locks(store, { prefix: space, ...PATIENT });
    const there = locks(await another(), { prefix: space, ...PATIENT });
    const lock = await here.acquire('x');
    const waiting = there.acquire('x');
    await until('it is in the queue', async () => (await store.send('ZCARD', `${space}:{x}:queue`)) === 1);
    await lock.release();
    const next = await waiting;
    assert.ok(next.isHeld);
    await next.release();
  });

  test('competing clients are served one after the other, with fair and other locks', async (store, {
    space,
    another,
  }) => {
    for (const fair of [false, true]) {
      const clients = [locks(store, { prefix: `${space}${fair}`, fair, ...PATIENT })];
      clients.push(locks(await another(), { prefix: `${space}${fair}`, fair, ...PATIENT }));
      const tokens = await compete(clients, 20);
      assert.deepEqual(
        tokens,
        [...new Set(tokens)].sort((a, b) => a - b),
      );
    }
  });

  test('a fair lock keeps the order', async (store, { space, another }) => {
    const clients = [locks(store, { prefix: space, fair: true, ...PATIENT })];
    clients.push(locks(await another(), { prefix: space, fair: true, ...PATIENT }));
    const first = await clients[0]!.acquire('x');
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let i = 0; i < 6; i++) {
      waiting.push(
        clients[i % 2]!.acquire('x').then(async (lock) => {
          order.push(i);
          await lock.release();
        }),
      );
      await until(
        'it is in the queue',
        async () => (await store.send('ZCARD', `${space}:{x}:queue`)) === i + 1,
      );
    }
    await first.release();
    await Promise.all(waiting);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
  });

  test('the lock of a dead holder goes to a waiter when its lease ends', async (store, {
    space,
    another,
  }) => {
    await locks(await another(), { prefix: space }).acquire('x', { lease: 300, renew: false });
    const lock = await locks(store, { prefix: space, ...PATIENT }).acquire('x');
    assert.ok(lock.isHeld);
    await lock.release();
  });

  test('the message that hands over a lock contains the token', async (store, { space, another }) => {
    for (const fair of [false, true]) {
      const prefix = `${space}${fair}`;
      const here = locks(store, { prefix, fair, ...PATIENT });
      const there = locks(await another(), { prefix, fair, ...PATIENT });
      const first = await here.acquire('x');
      const waiting = there.acquire('x');
      await until('it is next', () => isNext(store, `${prefix}:{x}`));
      assert.equal(await first.release(), true);
      assert.equal(await here.tryAcquire('x'), undefined, 'no other client gets it in between');
      const next = await waiting;
      assert.equal(next.token, Number(await store.send('HGET', `${prefix}:{x}:state`, 'fence')));
      assert.ok(next.token > first.token);
      assert.equal(await next.renew(), true);
      assert.equal(await next.release(), true);
    }
  });

  if (!kind.isCluster) {
    test('a lock is not handed to a waiter whose process has died', async (store, { space, another }) => {
      const here = locks(store, { prefix: space, ...PATIENT });
      const other = await another();
      const held = await here.acquire('x');
      const gone = locks(other, { prefix: space, ...PATIENT }).acquire('x');
      const inLine = (count: number) => async () =>
        (await store.send('ZCARD', `${space}:{x}:queue`)) === count;
      await until('it is in the queue', inLine(1));
      const [record = ''] = (await store.send('HVALS', `${space}:{x}:waiters`)) as readonly string[];
      const [, channel = ''] = record.split(' ');
      const listeners = async (): Promise<unknown> => {
        const [, count] = (await store.send('PUBSUB', 'NUMSUB', channel)) as readonly unknown[];
        return count;
      };
      await until('it listens', async () => (await listeners()) === 1);
      const waiting = here.acquire('x');
      await until('another waits behind it', inLine(2));
      await Promise.all([other.close(), rejectsWith(gone, 'CLOSED')]);
      await until('the server knows that it is gone', async () => (await listeners()) === 0);
      await held.release();
      await (await waiting).release();
    });
  }

  test('a lock can be renewed while it exists, and reports its loss', async (store, { space }) => {
    const lock = await locks(store, { prefix: space, ...PATIENT }).acquire('x');
    const before = await endOf(store, `${space}:{x}:state`);
    assert.equal(await lock.extend(120_000), true);
    assert.ok((await endOf(store, `${space}:{x}:state`)) >= before + 60_000);
    await store.send('DEL', `${space}:{x}:state`);
    assert.equal(await lock.renew(), false);
    assert.ok(lock.signal.aborted && !lock.isHeld);
    assert.equal(await lock.release(), false);
  });

  test('the status shows holders and waiters, and an operator can release the lock by force', async (store, {
    space,
    another,
  }) => {
    const here = locks(store, { prefix: space, ...PATIENT });
    const operator = locks(await another(), { prefix: space });
    const stuck = await here.acquire('x');
    const waiting = here.acquire('x', { fair: true });
    await until('it waits', async () => (await operator.status('x')).waiting === 1);
    const { holders } = await operator.status('x');
    assert.deepEqual(
      holders.map(({ holder, token, isShared }) => ({ holder, token, isShared })),
      [{ holder: stuck.holder, token: stuck.token, isShared: false }],
    );
    const left = holders[0]?.leaseLeft ?? 0;
    assert.ok(left > 0 && left <= PATIENT.lease, `${left}`);
    assert.equal(await operator.forceRelease('x', { holder: stuck.holder }), 1);
    const next = await waiting;
    assert.ok(next.token > stuck.token);
    assert.equal(await stuck.renew(), false);
    assert.equal(await next.release(), true);
    assert.deepEqual(await operator.status('x'), { holders: [], waiting: 0 });
  });

  test('readers share the lock, a writer does not', async (store, { space, another }) => {
    const here = locks(store, { prefix: space, ...PATIENT }).readWrite('x');
    const there = locks(await another(), { prefix: space, ...PATIENT }).readWrite('x');
    const readers = await Promise.all([here.read(), there.read()]);
    const writing = there.write();
    await until('it is in the queue', async () => (await store.send('ZCARD', `${space}:{x}:queue`)) === 1);
    await rejectsWith(here.read({ wait: 1 }), 'TIMEOUT');
    await Promise.all(readers.map((reader) => reader.release()));
    await (await writing).release();
  });

  test('several names, on any servers, are held at once without a deadlock', async (store, {
    space,
    another,
  }) => {
    const clients = [
      locks(store, { prefix: space, ...PATIENT }),
      locks(await another(), { prefix: space, ...PATIENT }),
    ];
    const names = ['a', 'b', 'c', 'd', 'e'];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await using set = await clients[i % 2]!.acquireAll(i % 2 === 0 ? names : names.toReversed());
        assert.equal(++inside, 1);
        await store.send('PING');
        inside--;
        assert.ok(set.isHeld);
      }),
    );
  });

  test('a wait can be aborted, and then no waiter is left', async (store, { space }) => {
    const here = locks(store, { prefix: space, ...PATIENT });
    await using lock = await here.acquire('x');
    const abort = new AbortController();
    const waiting = here.acquire('x', { signal: abort.signal });
    await until('it is in the queue', async () => (await store.send('ZCARD', `${space}:{x}:queue`)) === 1);
    abort.abort();
    await rejectsWith(waiting, 'ABORTED');
    await until('it has left the queue', async () => (await store.send('ZCARD', `${space}:{x}:queue`)) === 0);
    assert.ok(lock.isHeld);
  });

  test('the same holder can hold it twice', async (store, { space }) => {
    const here = locks(store, { prefix: space, ...PATIENT });
    const outer = await here.acquire('x');
    const inner = await here.acquire('x', { holder: outer.holder });
    await outer.release();
    assert.equal(await here.tryAcquire('x'), undefined);
    await inner.release();
    await (await here.acquire('x')).release();
  });

  if (isBehindSentinels(kind)) {
    test('a lock stays held during failovers, and tokens increase', async (store, surroundings) => {
      const { space, another, failover } = surroundings;
      const other = await another();
      const clients = [store, other].map((one) => locks(one, { prefix: space, ...PATIENT }));
      const held = await clients[0]!.acquire('kept');
      await store.send('WAIT', 1, 60_000);
      const waiting = clients[1]!.acquire('kept');
      const done = new AbortController();
      const competing = clients.map((client) => competeUntil(client, store, done.signal));
      await failover();
      await failover();
      done.abort();
      const tokens = (await Promise.all(competing)).flat();
      assert.equal(new Set(tokens).size, tokens.length, 'no token was issued twice');
      assert.equal(await held.renew(), true, 'a hold that reached the replica is not lost');
      assert.equal(await held.release(), true);
      const next = await waiting;
      assert.ok(next.token > Math.max(held.token, ...tokens));
      await next.release();
    });
  }
});

describe('Majority locks on three real servers', whenRedisIsInstalled, () => {
  it('are held, renewed and handed over although one of the servers is killed', {
    timeout: 120_000,
  }, async () => {
    const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
    const clients = await Promise.all(
      [1, 2].map(() => Promise.all(servers.map(({ port }) => open(`redis://127.0.0.1:${port}`)))),
    );
    try {
      const [here, there] = clients.map((stores) => majorityLocks(stores, PATIENT));
      const first = await here!.acquire('x');
      assert.equal(await there!.tryAcquire('x'), undefined);
      const waiting = there!.acquire('x');
      await servers[0]!.stop();
      assert.equal(await first.renew(), true);
      assert.equal(await first.release(), true);
      const second = await waiting;
      assert.ok(second.isHeld && second.token > first.token);
      assert.equal(await second.release(), true);
    } finally {
      await Promise.all(clients.flat().map((store) => store.close()));
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});

/** The stored end of the only hold of a lock. */
async function endOf(store: Store, state: string): Promise<number> {
  const records = (await store.send('HVALS', state)) as readonly string[];
  return Number(records.find((record) => record.includes(' x '))?.split(' ')[0]);
}

/** Each client holds the lock several times. Returns the tokens in the order of the holds. */
async function compete(clients: readonly Locks[], times: number): Promise<number[]> {
  const tokens: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: times }, async (_, i) => {
      const lock = await clients[i % clients.length]!.acquire('x');
      assert.equal(++inside, 1);
      tokens.push(lock.token);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      await lock.release();
    }),
  );
  return tokens;
}

/**
 * Holds the lock repeatedly; its tokens increase. If the old master lost a release, the end of the lease replaces it.
 */
async function competeUntil(client: Locks, store: Store, signal: AbortSignal): Promise<number[]> {
  const tokens: number[] = [];
  while (!signal.aborted) {
    const lock = await client.acquire('busy', { lease: 500 }).catch(() => undefined);
    if (lock !== undefined) {
      assert.ok(lock.token > (tokens.at(-1) ?? 0));
      tokens.push(lock.token);
    }
    await lock?.release().catch(() => {});
    await store.time.sleep(5);
  }
  return tokens;
}
