import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { RawClient } from '../oracle/support/index.js';
import { ask, type Server, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { Gateway } from '../support/outage/gateway.js';
import {
  follow,
  type Kind,
  replicationOf,
  startServer,
  tryAsk,
  until,
  untilEqual,
  untilUp,
} from './support.js';

after(stopAllServers);

/** A master, a replica that is reached through a gateway and gives BUSY early, and a replica of that. */
class Chain implements AsyncDisposable {
  readonly master: Server;
  readonly replica: Server;
  readonly last: Server;
  readonly gateway: Gateway;

  private constructor(servers: readonly [Server, Server, Server], gateway: Gateway) {
    [this.master, this.replica, this.last] = servers;
    this.gateway = gateway;
  }

  static async start(masterKind: Kind, replicaKind: Kind): Promise<Chain> {
    const [master, replica, last] = await Promise.all([
      startServer(masterKind),
      startServer(replicaKind, ['--busy-reply-threshold', '20']),
      startServer('redis'),
    ]);
    const gateway = await Gateway.before(master.port);
    await ask(master.port, 'SET', 'before', 'the script');
    // By a name, which cannot be resolved during a script.
    await ask(replica.port, 'REPLICAOF', 'localhost', String(gateway.port));
    await untilUp(replica);
    await follow(last, replica.port);
    await untilUp(last);
    return new Chain([master, replica, last], gateway);
  }

  /** Starts a script that does not end; returns a function that ends it. */
  async startScript(): Promise<() => Promise<void>> {
    const { port } = this.replica;
    const client = await RawClient.connect(port);
    // The script ends with an error.
    const running = client.call(['EVAL', 'while true do end', '0'], 120_000).catch(() => {});
    await until('the script is slow', () => this.isBusy(), Boolean);
    return async () => {
      assert.ok(await this.isBusy(), 'the script runs until it is ended');
      await ask(port, 'SCRIPT', 'KILL');
      await running;
      client.close();
    };
  }

  async isBusy(): Promise<boolean> {
    return String(await tryAsk(this.replica.port, 'PING')).includes('BUSY');
  }

  /** Waits until the master shows its replica online after this number of partial resynchronisations. */
  async untilContinued(partial: number): Promise<void> {
    await until(
      `the replica has continued ${partial} times`,
      () => replicationOf(this.master.port),
      (info) =>
        Number(info.get('sync_partial_ok')) >= partial && /state=online/.test(info.get('slave0') ?? ''),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
    await Promise.all([this.master, this.replica, this.last].map((server) => server.stop()));
  }
}

/** The first shows what Redis does. */
const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['redis', 'redis'],
  ['redis', 'sorrel'],
  ['sorrel', 'sorrel'],
];

for (const [masterKind, replicaKind] of PAIRS) {
  describe(`${replicaKind} as a replica of ${masterKind}, during a slow script`, whenRedisIsInstalled, () => {
    it('connects again if the link is lost, and executes the stream after the script', async () => {
      await using chain = await Chain.start(masterKind, replicaKind);
      const { master, replica, last, gateway } = chain;
      const endScript = await chain.startScript();
      for (let cuts = 1; cuts <= 3; cuts++) {
        await ask(master.port, 'RPUSH', 'list', `before cut ${cuts}`);
        gateway.cut();
        await chain.untilContinued(cuts);
        await ask(master.port, 'RPUSH', 'list', `after cut ${cuts}`);
      }
      await endScript();
      await untilEqual(master, replica, last);
      assert.equal(await ask(last.port, 'LLEN', 'list'), 6);
      const info = await replicationOf(master.port);
      assert.equal(info.get('sync_full'), '1');
      assert.equal((await replicationOf(replica.port)).get('sync_full'), '1', 'the last replica stayed');
    });

    it('reads what the master sends, so that no output piles up there', async () => {
      await using chain = await Chain.start(masterKind, replicaKind);
      const { master, replica, last } = chain;
      // The gateway would take it.
      await follow(replica, master.port);
      await chain.untilContinued(1);
      // More than the sockets between them take.
      await ask(master.port, 'CONFIG', 'SET', 'client-output-buffer-limit', 'replica 8mb 0 0');
      const endScript = await chain.startScript();
      for (let i = 0; i < 24; i++) await ask(master.port, 'SET', `large:${i}`, 'x'.repeat(1 << 20));
      await until(
        'everything is sent',
        () => ask(master.port, 'CLIENT', 'LIST', 'TYPE', 'replica'),
        // Redis counts the block that a replica has reached.
        (list) => Number(/ omem=(\d+)/.exec(String(list))?.[1]) < 2 << 20,
      );
      await endScript();
      await untilEqual(master, replica, last);
      const info = await replicationOf(master.port);
      assert.deepEqual([info.get('sync_full'), info.get('sync_partial_ok')], ['1', '1']);
    });

    it('connects after the script if the master was away until then', async () => {
      await using chain = await Chain.start(masterKind, replicaKind);
      const { master, replica, last, gateway } = chain;
      const endScript = await chain.startScript();
      await gateway.set('refusing');
      await until(
        'the replica is gone',
        () => replicationOf(master.port),
        (info) => info.get('connected_slaves') === '0',
      );
      await ask(master.port, 'SET', 'after', 'the cut');
      assert.ok(await chain.isBusy());
      await endScript();
      await gateway.set('open');
      await untilEqual(master, replica, last);
    });
  });
}
