import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { RawClient } from '../oracle/support/raw-client.js';
import { ask, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { follow, startServer, untilUp } from './support.js';

after(stopAllServers);

async function memoryOf(port: number): Promise<Map<string, number>> {
  const lines = String(await ask(port, 'INFO', 'memory')).split('\r\n');
  return new Map(lines.map((line) => [line.split(':')[0] as string, Number(line.split(':')[1])]));
}

it(
  'what a slow replica has not read counts as used memory, but evicts no keys',
  whenRedisIsInstalled,
  async () => {
    const [master, replica] = await Promise.all([startServer('sorrel'), startServer('redis')]);
    try {
      const client = await RawClient.connect(master.port);
      for (let i = 0; i < 100; i++) await client.call(['SET', `key:${i}`, 'x'.repeat(1000)]);
      await follow(replica, master.port);
      await untilUp(replica);
      const used = (await memoryOf(master.port)).get('used_memory') as number;
      await client.call(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']);
      await client.call(['CONFIG', 'SET', 'repl-backlog-size', '65536']);
      await client.call(['CONFIG', 'SET', 'maxmemory', String(used + 1024 * 1024)]);
      replica.process.kill('SIGSTOP');
      for (let i = 0; i < 200; i++) await client.call(['SETRANGE', 'key:0', '0', 'y'.repeat(100_000)]);
      const memory = await memoryOf(master.port);
      assert.ok(
        (memory.get('mem_clients_slaves') as number) > 5_000_000,
        String(memory.get('mem_clients_slaves')),
      );
      assert.equal(memory.get('mem_not_counted_for_evict'), memory.get('mem_clients_slaves'));
      assert.ok((memory.get('used_memory') as number) > used + 5_000_000);
      assert.equal(await ask(master.port, 'DBSIZE'), 100);
      replica.process.kill('SIGKILL');
      client.close();
    } finally {
      await Promise.all([master.stop(), replica.stop()]);
    }
  },
);
