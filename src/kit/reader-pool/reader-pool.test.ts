import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../../tests/support/fleet/index.js';
import { type EmbeddedStore, open, type Store } from '../../store/index.js';
import { readerPool } from './index.js';

/** Pauses and resumes a replica by stopping its process. */
function signal({ process: { pid } }: Server, name: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid as number, name);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('A reader pool', () => {
  let servers: Server[];
  let embedded: EmbeddedStore;
  let primary: Store;
  let replicas: Store[];

  before(async () => {
    const isInstalled = whenRedisIsInstalled.skip === false;
    const master = await (isInstalled ? startRedis(['--repl-diskless-sync-delay', '0']) : startSorrel());
    const follow = ['--replicaof', '127.0.0.1', String(master.port), '--replica-read-only', 'no'];
    servers = [
      master,
      await startSorrel(follow),
      await (isInstalled ? startRedis(follow) : startSorrel(follow)),
    ];
    const address = (server: Server): string => `redis://127.0.0.1:${server.port}`;
    primary = await open(address(master));
    embedded = await open('memory:', { replicaOf: address(master) });
    const remote = await Promise.all(
      servers.slice(1).map((server) => open(address(server), { commandTimeout: 1_000 })),
    );
    replicas = [...remote, embedded];
    for (const replica of remote) {
      await until(async () =>
        String(await replica.send('INFO', 'replication')).includes('master_link_status:up'),
      );
    }
  });
  after(async () => {
    for (const store of [primary, ...(replicas ?? [])]) await store?.close();
    await stopAllServers();
  });

  it('lets every client read its own writes, on any kind of replica', async () => {
    const pool = readerPool(primary, replicas);
    const places = new Set<Store>();
    for (let round = 0; round < 150; round++) {
      const client = pool.client(`client ${round}`);
      await client.write((store) => store.set(`key ${round}`, round));
      const seen = await client.read((store) => {
        places.add(store);
        return store.get(`key ${round}`);
      });
      assert.equal(seen, `${round}`);
    }
    assert.ok(places.size >= 2, 'some are read from replicas');
  });

  it('sends a client to the same replica each time, where it may keep cached results', async () => {
    const pool = readerPool(primary, replicas.slice(0, 2));
    const [one, again] = [pool.client('ann'), pool.client('ann')];
    await one.read((store) => store.set('cached result', 'x'));
    assert.equal(await again.read((store) => store.get('cached result')), 'x');
    assert.equal(await primary.get('cached result'), null);
    const used = new Set<Store>();
    for (let i = 0; i < 20; i++) await pool.client(`user ${i}`).read((store) => used.add(store));
    assert.equal(used.size, 2);
    await one.read((store) => store.del('cached result'));
  });

  it('reads from the primary while the replica is behind, also in another process', async () => {
    const [server] = servers.slice(1) as [Server];
    const pool = readerPool(primary, [replicas[0] as Store]);
    const ann = pool.client('ann');
    assert.equal(await ann.position(), undefined);
    await ann.write((store) => store.set('seen', 'old'));
    const read = (client: typeof ann): Promise<readonly [Store, string | null]> =>
      client.read(async (store) => [store, await store.get('seen')] as const);
    await until(async () => (await read(ann))[0] === replicas[0]);
    signal(server, 'SIGSTOP');
    await ann.write((store) => store.set('seen', 'new'));
    const position = await ann.position();
    // The replica does not answer at all.
    assert.deepEqual(await read(ann), [primary, 'new']);
    const elsewhere = pool.client('ann', { position: position as string });
    assert.equal((await read(elsewhere))[1], 'new');
    signal(server, 'SIGCONT');
    await until(async () => (await read(elsewhere))[0] === replicas[0]);
    assert.equal((await read(elsewhere))[1], 'new');
  });

  it('calls at the same time wait for the same position of the last write', async () => {
    const ann = readerPool(primary, replicas).client('ann');
    await ann.write((store) => store.set('at once', 1));
    const [one, other] = await Promise.all([ann.position(), ann.position()]);
    assert.equal(one, other);
    assert.match(String(one), /^[0-9a-f]{40}:\d+$/);
  });

  it('refuses what is no store, no name and no position', async () => {
    assert.throws(() => readerPool(primary, primary as never), { code: 'OPTION' });
    assert.throws(() => readerPool(primary, ['redis://a'] as never), { code: 'OPTION' });
    assert.throws(() => readerPool(primary, []).client(''), { code: 'OPTION' });
    assert.throws(() => readerPool(primary, []).client('a', { position: 'x' }), { code: 'OPTION' });
    await assert.rejects(
      readerPool(primary, [])
        .client('a')
        .read(5 as never),
      { code: 'OPTION' },
    );
    assert.equal(
      await readerPool(primary, [])
        .client('a')
        .read((store) => store.exists('none')),
      0,
    );
  });
});
