import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keySlot } from '../../src/bytes/crc16.js';
import { until } from '../replication/support.js';
import { Certificates, noOpensslReason } from '../support/certificates.js';
import { ours, theirs } from '../support/cli-outcome.js';
import { type MemberKind, noRedisReason, stopAllServers } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { NodeProcess } from './mixed-cluster.js';

/** How many slots each node gives away. */
const MOVED = 50;

/** A cluster whose nodes, of ours and of Redis, talk to each other and to clients by TLS, and want a password. */
describe('sorrel cli --cluster with password and TLS', {
  skip: noOpensslReason ?? noRedisReason ?? false,
}, () => {
  const certificates = noOpensslReason === undefined ? new Certificates() : undefined;
  const nodes: NodeProcess[] = [];
  const places: string[] = [];
  let access: string[] = [];

  async function start(kind: MemberKind): Promise<void> {
    const { certFile, keyFile } = certificates!.issue('node');
    const port = await freePort();
    nodes.push(
      await NodeProcess.start(kind, {
        'cluster-node-timeout': '15000',
        'tls-port': String(port),
        'tls-cluster': 'yes',
        'tls-replication': 'yes',
        'tls-cert-file': certFile,
        'tls-key-file': keyFile,
        'tls-ca-cert-file': certificates!.authority.certFile,
      }),
    );
    places.push(`127.0.0.1:${port}`);
  }

  before(async () => {
    for (const kind of ['sorrel', 'redis', 'sorrel'] as const) await start(kind);
    for (const node of nodes) {
      await node.ask('CONFIG', 'SET', 'masterauth', 'secret');
      await node.ask('CONFIG', 'SET', 'requirepass', 'secret');
    }
    const { certFile, keyFile } = certificates!.issue('client');
    access = ['--tls', '--cacert', certificates!.authority.certFile, '--cert', certFile, '--key', keyFile];
    access.push('-a', 'secret', '--no-auth-warning');
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stopAllServers();
  });

  const run = (...words: string[]): ReturnType<typeof ours> => ours([...access, '--cluster', ...words], '');
  const runReal = (...words: string[]): ReturnType<typeof theirs> =>
    theirs([...access, '--cluster', ...words], '');

  /** Keys of the first slots of each node, which are moved first. */
  const keys = [0, 5461, 10923].flatMap((first) =>
    Array.from({ length: 20_000 }, (_, index) => `key:${index}`)
      .filter((key) => slotOf(key) >= first && slotOf(key) < first + MOVED)
      .slice(0, 3),
  );

  it('creates a cluster and moves slots with their keys, between all kinds of nodes', async () => {
    const refused = await ours([...access.slice(0, -3), '--cluster', 'check', places[0]!], '');
    assert.equal(refused.code, 1);
    const created = await run('create', ...places, '--cluster-yes');
    assert.equal(created.code, 0, created.stdout + created.stderr);
    const untilWell = (): Promise<unknown> =>
      until(
        'redis-cli finds no mistake',
        () => runReal('check', places[0]!),
        ({ code }) => code === 0,
      );
    await untilWell();
    for (const key of keys) {
      await until(
        'all nodes serve',
        () => ours([...access, '-c', '-p', portOf(places[0]!), 'SET', key, key], ''),
        ({ stdout }) => stdout === 'OK\n',
      );
    }
    const ids = await Promise.all(
      places.map(async (place) => {
        const { stdout } = await ours([...access, '-p', portOf(place), 'CLUSTER', 'MYID'], '');
        return stdout.trim();
      }),
    );
    // From ours to Redis, from Redis to ours, from ours to ours.
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      const moved = await run(
        'reshard',
        places[0]!,
        ...[
          '--cluster-from',
          ids[from]!,
          '--cluster-to',
          ids[to]!,
          '--cluster-slots',
          String(MOVED),
          '--cluster-yes',
        ],
      );
      assert.equal(moved.code, 0, moved.stdout + moved.stderr);
      await untilWell();
    }
    for (const key of keys) {
      const { stdout } = await ours([...access, '-c', '-p', portOf(places[1]!), 'GET', key], '');
      assert.equal(stdout, `${key}\n`);
    }
    const [mine, real] = [await run('check', places[0]!), await runReal('check', places[0]!)];
    assert.deepEqual(mine, real);
  });
});

function slotOf(key: string): number {
  return keySlot(Buffer.from(key), 0, key.length);
}

function portOf(place: string): string {
  return place.split(':')[1] as string;
}
