import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type RunningCluster, ServeError, serveCluster } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import { ask } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';

const KEYS = Array.from({ length: 200 }, (_, i) => `key:${i}`);

/** A free port may be followed by one that is not. */
async function onFreePorts(
  start: (port: number) => Promise<RunningCluster>,
): Promise<{ readonly cluster: RunningCluster; readonly port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = (await freePort()) % 50_000;
    try {
      return { cluster: await start(port), port };
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

describe('serveCluster', () => {
  it('serves a cluster whose nodes are threads, and keeps its data', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sorrel-cluster-'));
    try {
      const options = { nodes: 3, dir, appendonly: true, maxmemory: '50mb' };
      const { cluster, port } = await onFreePorts((port) => serveCluster({ ...options, port }));
      const { ports } = cluster;
      assert.deepEqual(ports, [port, port + 1, port + 2]);
      for (const each of ports) {
        assert.match(String(await ask(each, 'CLUSTER', 'INFO')), /cluster_state:ok/);
      }
      const store = await open(cluster.address);
      await Promise.all(KEYS.map((key) => store.set(key, key)));
      const sizes = await Promise.all(ports.map((each) => ask(each, 'DBSIZE')));
      assert.equal(
        sizes.reduce((sum: number, size) => sum + Number(size), 0),
        KEYS.length,
      );
      assert.ok(sizes.every((size) => Number(size) > 0));
      assert.deepEqual(await ask(ports[1]!, 'CONFIG', 'GET', 'maxmemory'), ['maxmemory', '52428800']);
      await store.close();
      await cluster.close();
      await assert.rejects(ask(port, 'PING'));

      await using again = await serveCluster({ ...options, port });
      await using reader = await open(again.address);
      for (const key of KEYS) assert.equal(await reader.get(key), key);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('names what it refuses, and leaves nothing behind', async () => {
    for (const [options, setting, words] of [
      [{ nodes: 0 }, 'nodes', /integer from 1/],
      [{ port: 70_000 }, 'port', /plus 10000/],
      [{ 'cluster-enabled': true }, 'cluster-enabled', /itself/],
      [{ nodes: 2, prot: 1 }, 'prot', /no such setting/],
      [{ nodes: 2, maxmemory: 'much' }, 'maxmemory', /must be a memory value/],
    ] as const) {
      await assert.rejects(serveCluster(options), (error) => {
        assert.ok(error instanceof ServeError);
        assert.equal(error.setting, setting);
        assert.match(error.message, words);
        return true;
      });
    }
  });
});
