import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { Live } from '../durability/support/live.js';
import { RandomCommands } from '../durability/support/random-commands.js';
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

/** Random writes of every family; with the first seed, to many keys. */
async function write(server: Server, seed: number, count: number): Promise<void> {
  const live = await Live.of(server);
  const commands = new RandomCommands(seededRandom(seed));
  await live.pipeline((target) => {
    if (seed === 1) commands.fill(target);
    const random = seededRandom(seed + 1);
    // Blocking commands wait for the server's next tick.
    const names = commands.names.filter((name) => !/^(b[lrz]|xread)/.test(name));
    for (let i = 0; i < count; i++)
      commands.runCommand(target, names[random.integer(names.length)] as string);
  });
  live.client.close();
}

async function counts(server: Server): Promise<{ full: number; partial: number }> {
  const info = await replicationOf(server.port);
  return { full: Number(info.get('sync_full')), partial: Number(info.get('sync_partial_ok')) };
}

after(stopAllServers);

const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['sorrel', 'redis'],
  ['redis', 'sorrel'],
  ['sorrel', 'sorrel'],
];

for (const [masterKind, replicaKind] of PAIRS) {
  describe(`${replicaKind} as a replica of ${masterKind}`, whenRedisIsInstalled, () => {
    it('gets the new data if the master is flushed while it sends the old data', async () => {
      const [master, replica] = await Promise.all([startServer(masterKind), startServer(replicaKind)]);
      try {
        await ask(master.port, 'DEBUG', 'POPULATE', '20000');
        // The snapshot would take twenty seconds.
        await ask(master.port, 'CONFIG', 'SET', 'rdb-key-save-delay', '1000');
        await follow(replica, master.port);
        await until(
          'the snapshot is being sent',
          async () => String(await ask(master.port, 'INFO', 'persistence')),
          (info) => info.includes('rdb_bgsave_in_progress:1'),
        );
        await ask(master.port, 'CONFIG', 'SET', 'rdb-key-save-delay', '0');
        await ask(master.port, 'FLUSHALL');
        await ask(master.port, 'SET', 'after', 'the flush');
        await untilEqual(master, replica);
        assert.equal(await ask(replica.port, 'DBSIZE'), 1);
        assert.deepEqual(await counts(master), { full: 2, partial: 0 });
      } finally {
        await Promise.all([master.stop(), replica.stop()]);
      }
    });

    it('gets all data, follows, and continues after a cut in the middle of a command', async () => {
      const [master, replica] = await Promise.all([startServer(masterKind), startServer(replicaKind)]);
      const gateway = await Gateway.before(master.port);
      try {
        await write(master, 1, 300);
        await follow(replica, gateway.port);
        await untilUp(replica);
        await write(master, 2, 1500);
        await ask(master.port, 'EVAL', "redis.call('SET', 'x', 1) redis.call('SPOP', 'set:3')", '0');
        await untilEqual(master, replica);
        assert.deepEqual(await counts(master), { full: 1, partial: 0 });

        gateway.cutAfter(100);
        await write(master, 3, 500);
        await untilEqual(master, replica);
        assert.deepEqual(await counts(master), { full: 1, partial: 1 });
        assert.equal(await ask(master.port, 'WAIT', '1', '10000'), 1);
      } finally {
        await gateway.close();
        await Promise.all([master.stop(), replica.stop()]);
      }
    });

    it('takes over, and its former master continues as its replica', async () => {
      const [master, replica, other] = await Promise.all([
        startServer(masterKind),
        startServer(replicaKind),
        startServer(masterKind),
      ]);
      try {
        await write(master, 1, 300);
        await follow(replica, master.port);
        await follow(other, master.port);
        await untilUp(replica);
        await untilUp(other);
        // A key that expires between the next two steps would make the former master's history longer.
        await ask(master.port, 'DEBUG', 'SET-ACTIVE-EXPIRE', '0');
        await untilEqual(master, replica, other);
        await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
        await follow(master, replica.port);
        await follow(other, replica.port);
        await untilUp(master);
        await untilUp(other);
        await write(replica, 5, 300);
        await untilEqual(replica, master, other);
        assert.deepEqual(await counts(replica), { full: 0, partial: 2 });
        const info = await replicationOf(replica.port);
        const former = await replicationOf(master.port);
        assert.equal(info.get('master_replid2'), former.get('master_replid2'));
      } finally {
        await Promise.all([master.stop(), replica.stop(), other.stop()]);
      }
    });
  });
}

describe('FAILOVER', whenRedisIsInstalled, () => {
  it('exchanges the roles of ours and a real server, there and back, and loses no write', async () => {
    const [ours, real] = await Promise.all([startServer('sorrel'), startServer('redis')]);
    try {
      await follow(real, ours.port);
      await untilUp(real);
      let written = 0;
      for (const [master, successor] of [
        [ours, real],
        [real, ours],
      ] as const) {
        const live = await Live.of(master);
        let isOver = false;
        const writing = (async () => {
          // Writes wait while the failover goes on, and are refused after it.
          while (!isOver) {
            const reply = await live.call('INCR', 'written');
            if (reply instanceof Error) break;
            written = Number(reply);
          }
        })();
        await ask(master.port, 'FAILOVER', 'TO', '127.0.0.1', String(successor.port), 'TIMEOUT', '20000');
        await until(
          'the roles are exchanged',
          async () => [await replicationOf(master.port), await replicationOf(successor.port)] as const,
          ([former, present]) =>
            former.get('role') === 'slave' &&
            former.get('master_link_status') === 'up' &&
            former.get('master_failover_state') === 'no-failover' &&
            present.get('role') === 'master',
        );
        isOver = true;
        await writing;
        live.client.close();
        assert.equal(Number(await ask(successor.port, 'GET', 'written')), written);
        assert.ok(written > 0);
        await untilEqual(successor, master);
      }
    } finally {
      await Promise.all([ours.stop(), real.stop()]);
    }
  });
});

describe('a chain', whenRedisIsInstalled, () => {
  it('of four servers, ours and real ones, has the same bytes at the same offsets', async () => {
    const servers = await Promise.all(
      (['redis', 'sorrel', 'redis', 'sorrel'] as const).map((kind) => startServer(kind)),
    );
    const [first, second, third, fourth] = servers as [Server, Server, Server, Server];
    try {
      for (const [replica, master] of [
        [second, first],
        [third, second],
        [fourth, third],
      ] as const) {
        await follow(replica, master.port);
        await untilUp(replica);
      }
      await write(first, 1, 1000);
      await untilEqual(first, second, third, fourth);
      // The second server begins a new history, which the others continue.
      await ask(second.port, 'REPLICAOF', 'NO', 'ONE');
      await ask(second.port, 'SET', 'promoted', 'yes');
      await untilEqual(second, third, fourth);
      assert.equal((await counts(second)).full, 1);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});

describe('our replica', whenRedisIsInstalled, () => {
  it('shows what Redis shows while its master cannot be reached, and after that', async () => {
    const servers = await Promise.all([startServer('redis'), startServer('sorrel')]);
    const shown = async (...words: readonly string[]): Promise<Map<string, string>[]> => {
      for (const { port } of servers) await ask(port, ...words);
      return Promise.all(
        servers.map(async ({ port }) => {
          const text = String(await ask(port, 'INFO', 'replication'));
          const lines = text.split('\r\n').map((line) => line.split(':') as [string, string]);
          return new Map(lines.filter(([name]) => !/^master_replid$|_seconds/.test(name)));
        }),
      );
    };
    try {
      for (const words of [
        ['SET', 'before', 'value'],
        ['REPLICAOF', '127.0.0.1', '1'],
        ['REPLICAOF', 'NO', 'ONE'],
        ['SET', 'after', 'value'],
      ]) {
        const [real, ours] = await shown(...words);
        assert.deepEqual(ours?.delete('master_replid2'), real?.delete('master_replid2'));
        assert.deepEqual(ours, real, words.join(' '));
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  it('answers as a replica of Redis does', async () => {
    const [master, real, ours] = await Promise.all([
      startServer('redis'),
      startServer('redis'),
      startServer('sorrel'),
    ]);
    try {
      await ask(master.port, 'SET', 'key', 'value');
      await ask(master.port, 'SET', 'short', 'value', 'PX', '1');
      for (const replica of [real, ours]) await follow(replica, master.port);
      for (const replica of [real, ours]) await untilUp(replica);
      const questions = [
        'SET key other',
        'GET key',
        'GET short',
        'TTL short',
        'DEL key',
        'WAIT 0 0',
        'EVAL return(redis.call("set","key","x")) 0',
        'EVAL #!lua\nreturn(1) 0',
        'EVAL_RO return(redis.call("get","key")) 0',
        'PUBLISH channel message',
        'REPLICAOF localhost 99999',
        `REPLICAOF 127.0.0.1 ${master.port}`,
        'FAILOVER',
        'FAILOVER ABORT',
        'PSYNC ? x',
        'REPLCONF listening-port',
        'REPLCONF unknown option',
        'CONFIG GET replicaof',
        'CLIENT KILL TYPE replica',
        'PFADD hll x',
        'FLUSHALL',
        'SAVE',
      ];
      for (const question of questions) {
        const words = question.split(' ');
        assert.deepEqual(await tryAsk(ours.port, ...words), await tryAsk(real.port, ...words), question);
      }
      await until(
        'the roles are equal',
        async () => [await ask(ours.port, 'ROLE'), await ask(real.port, 'ROLE')],
        ([a, b]) => String(a) === String(b),
      );
      // Between two questions the master may delete the short-lived key, or send PING.
      const [a, b] = await until(
        'the offsets are equal',
        async () => [await replicationOf(ours.port), await replicationOf(real.port)] as const,
        ([a, b]) => a.get('slave_repl_offset') === b.get('slave_repl_offset'),
      );
      for (const name of a.keys()) {
        if (
          /^(master_last_io|total|instantaneous|keyspace|expire|latest|pubsub|reply|unexpected|evicted|rejected|acl|io|dump|active|current|tracking|migrate|slave_expires|sync|.*bytes|repl_backlog)/.test(
            name,
          )
        )
          continue;
        assert.equal(a.get(name), b.get(name), name);
      }
      assert.deepEqual([...a.keys()].slice(0, 25), [...b.keys()].slice(0, 25));
    } finally {
      await Promise.all([master.stop(), real.stop(), ours.stop()]);
    }
  });
});
