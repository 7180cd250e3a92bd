import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { plain, RawClient } from '../../oracle/support/index.js';
import {
  ask,
  type Server,
  startRedisCluster,
  startSentinelGroup,
  startSorrelWithSocket,
  stopAllServers,
  whenRedisIsInstalled,
} from './index.js';

const limit = { timeout: 300_000 };
after(stopAllServers);

function assertGone(servers: readonly Server[]): void {
  for (const server of servers) {
    assert.ok(!server.running);
    assert.ok(!existsSync(server.directory));
  }
}

test('our server listens on a port and on a socket', limit, async () => {
  const server = await startSorrelWithSocket();
  assert.equal(await ask(server.port, 'PING'), 'PONG');
  assert.ok(existsSync(server.socketPath));
  await server.stop();
  assertGone([server]);
});

test('a cluster serves all slots from three masters', { ...limit, ...whenRedisIsInstalled }, async () => {
  const cluster = await startRedisCluster();
  for (const port of cluster.ports) {
    await assert.doesNotReject(ask(port, 'CLUSTER', 'SLOTS'));
    assert.equal(await ask(port, 'DBSIZE'), 0);
  }
  const slot = Number(await ask(cluster.ports[0]!, 'CLUSTER', 'KEYSLOT', 'a'));
  const owner = await ownerOf('a');
  const other = (owner + 1) % 3;
  await ask(cluster.ports[owner]!, 'SET', 'a', 'moved');
  await cluster.moveSlot(slot, other);
  assert.equal(await ask(cluster.ports[other]!, 'GET', 'a'), 'moved');
  await assert.rejects(ask(cluster.ports[owner]!, 'GET', 'a'), new RegExp(`MOVED ${slot} `));
  await cluster.flush();
  assert.equal(await ask(cluster.ports[other]!, 'GET', 'a'), null);
  await cluster.stop();
  assertGone(cluster.nodes);

  async function ownerOf(key: string): Promise<number> {
    for (const [index, port] of cluster.ports.entries()) {
      const found = await ask(port, 'GET', key).then(
        () => true,
        () => false,
      );
      if (found) return index;
    }
    throw new Error(`no server owns ${key}`);
  }
});

test('Sentinels do a failover, on request and after a crash', {
  ...limit,
  ...whenRedisIsInstalled,
}, async () => {
  const group = await startSentinelGroup();
  const first = await group.masterPort();
  const writer = await RawClient.connect(first);
  await writer.call('SET a 1');
  // WAIT must use the connection that wrote: it waits until the replica has these writes.
  assert.equal(plain(await writer.call('WAIT 1 60000', 90_000)), 1);
  writer.close();
  await group.failover();
  const second = await group.masterPort();
  assert.notEqual(second, first);
  assert.equal(await ask(second, 'GET', 'a'), '1');
  await group.crashMaster();
  assert.equal(await group.masterPort(), first);
  await ask(first, 'SET', 'a', '2');
  await group.stop();
  await assert.rejects(ask(first, 'PING'), /ECONNREFUSED/);
});
