import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { serve } from '../../src/server/index.js';
import { until } from '../replication/support.js';
import { Certificates, noOpensslReason } from '../support/certificates.js';
import { ask, noRedisReason, startRedis, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { sorrelCommand } from '../support/fleet/standalone.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-cluster-'));
after(async () => {
  await stopAllServers();
  rmSync(folder, { recursive: true });
});

/** Starts a node that is expected to end at once. */
function failingStart(...options: string[]): { status: number | null; printed: string } {
  const [program, ...parameters] = sorrelCommand() as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(program, [...parameters, ...options], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, printed: `${stdout}${stderr}` };
}

describe('the process of a node', () => {
  it('cluster-enabled, cluster-config-file: two nodes must not share a file', async () => {
    const dir = join(folder, 'shared');
    await using first = await serve({
      port: await freePort(),
      dir,
      'cluster-enabled': true,
      'cluster-config-file': 'one.conf',
    });
    assert.match(String(await ask(first.port, 'CLUSTER', 'NODES')), /myself,master/);
    assert.match(
      readFileSync(join(dir, 'one.conf'), 'utf8'),
      /^[0-9a-f]{40} .*myself,master - 0 0 0 connected\nvars currentEpoch 0/,
    );
    await assert.rejects(
      serve({
        port: await freePort(),
        dir,
        'cluster-enabled': true,
        'cluster-config-file': 'one.conf',
        dbfilename: 'other.rdb',
      }),
      /already used by a different Redis Cluster node/,
    );
  });

  it('a file that redis-server uses is refused, and can be read when it has ended', {
    skip: noRedisReason ?? false,
  }, async () => {
    const redis = await startRedis(['--cluster-enabled', 'yes']);
    const id = String(await ask(redis.port, 'CLUSTER', 'MYID'));
    await ask(redis.port, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await ask(redis.port, 'CLUSTER', 'SAVECONFIG');
    const options = { port: await freePort(), dir: redis.directory, 'cluster-enabled': true };
    await assert.rejects(serve(options), /already used by a different Redis Cluster node/);
    redis.process.kill('SIGKILL');
    await until(
      'the process has ended',
      async () => redis.running,
      (isRunning) => !isRunning,
    );
    await using ours = await serve(options);
    assert.equal(await ask(ours.port, 'CLUSTER', 'MYID'), id);
    await until(
      'it serves',
      () => ask(ours.port, 'CLUSTER', 'INFO'),
      (info) => String(info).includes('cluster_state:ok'),
    );
  });

  it('cluster-port is the port for other nodes, and one that is taken ends the process', async () => {
    const busPort = await freePort();
    const nodes = await Promise.all([
      startSorrel(['--cluster-enabled', 'yes', '--cluster-port', String(busPort)]),
      startSorrel(['--cluster-enabled', 'yes']),
    ]);
    const [first, second] = nodes.map(({ port }) => port) as [number, number];
    await ask(second, 'CLUSTER', 'MEET', '127.0.0.1', String(first), String(busPort));
    await until(
      'they know each other',
      () => ask(second, 'CLUSTER', 'NODES'),
      (lines) => String(lines).includes(`127.0.0.1:${first}@${busPort} master`),
    );
    const { status, printed } = failingStart(
      '--port',
      String(await freePort()),
      '--dir',
      folder,
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(busPort),
    );
    assert.equal(status, 1);
    assert.match(printed, /Failed listening on port \d+ \(cluster\), aborting/);
    const high = failingStart('--port', '60000', '--dir', folder, '--cluster-enabled', 'yes');
    assert.equal(high.status, 1);
    assert.match(high.printed, /port number must be 55535 or less/);
  });

  it('a damaged file ends the process with the line', async () => {
    writeFileSync(join(folder, 'bad.conf'), 'vars currentEpoch x lastVoteEpoch 0\n');
    const { status, printed } = failingStart(
      '--port',
      String(await freePort()),
      '--dir',
      folder,
      '--cluster-enabled',
      'yes',
      '--cluster-config-file',
      'bad.conf',
    );
    assert.equal(status, 1);
    assert.match(printed, /corrupted cluster config file .*bad\.conf/);
  });

  it('tls-cluster yes encrypts the bus, also to a redis-server', {
    skip: noOpensslReason ?? noRedisReason ?? false,
  }, async () => {
    const certificates = new Certificates();
    const { certFile, keyFile } = certificates.issue('node');
    const tls = [
      '--tls-cluster',
      'yes',
      '--tls-replication',
      'yes',
      '--tls-cert-file',
      certFile,
      '--tls-key-file',
      keyFile,
      '--tls-ca-cert-file',
      certificates.authority.certFile,
    ];
    const start = async (run: typeof startRedis): Promise<number> => {
      const secure = await freePort();
      const { port } = await run([
        '--cluster-enabled',
        'yes',
        '--tls-port',
        String(secure),
        '--cluster-port',
        String(secure + 10_000),
        ...tls,
      ]);
      return port;
    };
    const [ours, other, real] = [await start(startSorrel), await start(startSorrel), await start(startRedis)];
    const info = async (port: number): Promise<string> => String(await ask(port, 'CLUSTER', 'NODES'));
    const ports = new Map<number, string>();
    for (const port of [ours, other, real]) ports.set(port, /@(\d+)/.exec(await info(port))?.[1] as string);
    for (const port of [other, real]) {
      const busPort = ports.get(port) as string;
      await ask(ours, 'CLUSTER', 'MEET', '127.0.0.1', String(Number(busPort) - 10_000), busPort);
    }
    for (const port of [ours, other, real]) {
      await until(
        `${port} knows all`,
        () => info(port),
        (lines) => lines.trim().split('\n').length === 3 && !/handshake|disconnected/.test(lines),
      );
    }
    assert.match(await info(ours), new RegExp(`:${ours}@`), 'plain clients are shown the plain port');
  });
});
