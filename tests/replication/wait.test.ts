import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { open } from '../../src/store/index.js';
import { RawClient } from '../oracle/support/raw-client.js';
import { ask, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { follow, type Kind, startServer, untilEqual, untilUp } from './support.js';

after(stopAllServers);

for (const kind of ['redis', 'sorrel'] satisfies Kind[]) {
  describe(`WAIT on ${kind}`, whenRedisIsInstalled, () => {
    it('waits for what was written before the last command of the client, not for later writes', async () => {
      const [master, replica] = await Promise.all([startServer(kind), startServer('redis')]);
      const [writer, idle] = await Promise.all([
        RawClient.connect(master.port),
        RawClient.connect(master.port),
      ]);
      const wait = async (client: RawClient, ms: string): Promise<string> =>
        (await client.call(['WAIT', '1', ms], 30_000)).raw.toString();
      try {
        await follow(replica, master.port);
        await untilUp(replica);
        await ask(master.port, 'SET', 'a', '1');
        await untilEqual(master, replica);
        assert.equal(await wait(writer, '20000'), ':1\r\n');
        replica.process.kill('SIGSTOP');
        await writer.call(['SET', 'b', '2']);
        assert.equal(await wait(idle, '0'), ':1\r\n', 'a client that did nothing since');
        assert.equal(await wait(writer, '50'), ':0\r\n', 'the client that wrote');
        await idle.call(['GET', 'b']);
        assert.equal(await wait(idle, '50'), ':0\r\n', 'a client that has read it');
        replica.process.kill('SIGCONT');
        assert.equal(await wait(idle, '20000'), ':1\r\n');
      } finally {
        replica.process.kill('SIGCONT');
        for (const client of [writer, idle]) client.close();
        await Promise.all([master.stop(), replica.stop()]);
      }
    });

    it('covers what a store has written, though the store waits on another connection', async () => {
      const [master, replica] = await Promise.all([startServer(kind), startServer('redis')]);
      await using store = await open(`redis://127.0.0.1:${master.port}`);
      try {
        await follow(replica, master.port);
        await untilUp(replica);
        await store.set('a', '1');
        assert.equal(await store.wait(1, 20_000), 1);
        replica.process.kill('SIGSTOP');
        await store.set('b', '2');
        assert.equal(await store.wait(1, 50), 0);
        replica.process.kill('SIGCONT');
        assert.equal(await store.wait(1, 20_000), 1);
      } finally {
        replica.process.kill('SIGCONT');
        await Promise.all([master.stop(), replica.stop()]);
      }
    });
  });
}

it('wait() of an embedded store covers what the store has written', whenRedisIsInstalled, async () => {
  await using store = await open();
  await using listener = await store.listen({ port: 0 });
  const replica = await startServer('redis');
  try {
    await follow(replica, Number(new URL(listener.address).port));
    await untilUp(replica);
    await store.set('a', '1');
    assert.equal(await store.wait(1, 20_000), 1);
    replica.process.kill('SIGSTOP');
    await store.set('b', '2');
    assert.equal(await store.wait(1, 50), 0);
  } finally {
    replica.process.kill('SIGCONT');
    await replica.stop();
  }
});
