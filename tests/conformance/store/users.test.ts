/** Stores of ACL users with different passwords and permissions. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { open } from '../../../src/store/index.js';
import {
  ask,
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../support/fleet/index.js';

after(stopAllServers);

for (const [kind, start] of [
  ['redis-server', startRedis],
  ['Sorrel', startSorrel],
] as const) {
  describe(`A store of a user of ${kind}`, { ...whenRedisIsInstalled, timeout: 120_000 }, () => {
    let redis: Server;
    before(async () => {
      redis = await start();
    });

    async function blocked(count: number): Promise<void> {
      while (!String(await ask(redis.port, 'INFO', 'clients')).includes(`blocked_clients:${count}`))
        await turn();
    }

    it('may have no password, or one with any characters', async () => {
      const [name, password] = ['pål:/?#@', 'p%ss/w?rd:#@+'];
      await ask(redis.port, 'ACL', 'SETUSER', 'guest', 'on', 'nopass', '~*', '+@all');
      await ask(redis.port, 'ACL', 'SETUSER', name, 'on', `>${password}`, '~*', '+@all');
      const host = `127.0.0.1:${redis.port}`;
      await using guest = await open(`redis://guest@${host}`);
      assert.equal(await guest.send('ACL', 'WHOAMI'), 'guest');
      const encoded = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
      await using odd = await open(`redis://${encoded}@${host}`);
      assert.equal(await odd.send('ACL', 'WHOAMI'), name);
      await using given = await open(`redis://${host}`, { username: name, password });
      assert.equal(await given.send('ACL', 'WHOAMI'), name);
      await assert.rejects(open(`redis://${encoded}x@${host}`), { code: 'WRONGPASS' });
    });

    it('can block, and abort, without permission for CLIENT ID', async () => {
      await ask(redis.port, 'ACL', 'SETUSER', 'bob', 'on', '>pw', '~*', '+@all', '-client');
      await using store = await open(`redis://bob:pw@127.0.0.1:${redis.port}`);
      const served = store.blpop('jobs', 0);
      await blocked(1);
      await ask(redis.port, 'RPUSH', 'jobs', 'a');
      assert.deepEqual(await served, { key: 'jobs', element: 'a' });
      const controller = new AbortController();
      const aborted = store.with({ signal: controller.signal }).blpop('jobs', 0);
      await blocked(1);
      controller.abort();
      await assert.rejects(aborted, { code: 'ABORTED' });
      await blocked(0);
    });

    it('gets NOPERM for what its rules do not allow, and the error says so for each command', async () => {
      await ask(redis.port, 'ACL', 'SETUSER', 'carl', 'on', '>pw', '~own:*', '&own', '+@all', '-flushall');
      await using store = await open(`redis://carl:pw@127.0.0.1:${redis.port}`);
      await store.set('own:1', 'x');
      await assert.rejects(store.get('other'), { code: 'NOPERM', message: /one of the keys/ });
      await assert.rejects(store.flushall(), { code: 'NOPERM', message: /'flushall'/ });
      await assert.rejects(store.subscribe('other'), { code: 'NOPERM', message: /one of the channels/ });
      assert.equal(await store.get('own:1'), 'x');
    });
  });
}
