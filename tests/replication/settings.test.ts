import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Settings } from '../../src/commands/config/settings.js';
import { Handshake } from '../../src/replication/handshake.js';
import type { Replication } from '../../src/replication/replication.js';
import { serve } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { Simulation } from '../simulation/simulation.js';
import { freePort } from '../support/fleet/server-process.js';

type Values = Readonly<Record<string, string>>;

interface Pair {
  readonly simulation: Simulation;
  readonly master: SimulatedServer;
  readonly replica: SimulatedServer;
}

/** A master and its connected replica, in virtual time. */
async function pairOf(masterSettings: Values, replicaSettings: Values = {}): Promise<Pair> {
  const simulation = new Simulation(1);
  const master = simulation.addServer(masterSettings);
  const replica = simulation.addServer({ replicaof: `127.0.0.1 ${master.port}`, ...replicaSettings });
  master.run('SET', 'key', 'value');
  await simulation.passUntil(() => replica.replication.link?.isUp === true);
  return { simulation, master, replica };
}

function info(server: SimulatedServer, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)\\r$`, 'm').exec(server.run('INFO', 'everything'))?.[1];
}

function requestsWith(values: Values): string {
  const settings = new Settings();
  for (const [name, text] of Object.entries(values)) settings.configure(name, text);
  const step = new Handshake(settings, 6379, () => {}).take('+PONG');
  return step.kind === 'send' ? step.bytes.toString('latin1') : step.kind;
}

describe('settings of a replica', () => {
  it('replicaof makes the server a replica when it starts', async () => {
    const { replica } = await pairOf({});
    assert.equal(replica.run('GET', 'key'), '$5\r\nvalue\r\n');
    assert.equal(replica.run('CONFIG', 'GET', 'replicaof').split('\r\n')[4], '127.0.0.1 7001');
    replica.run('REPLICAOF', 'NO', 'ONE');
    assert.equal(replica.run('CONFIG', 'GET', 'replicaof').split('\r\n')[4], '');
  });

  it('masterauth and masteruser are sent to the master', async () => {
    const { replica } = await pairOf(
      { requirepass: 'secret' },
      { masterauth: 'secret', masteruser: 'default' },
    );
    assert.equal(info(replica, 'master_link_status'), 'up');
    assert.ok(!requestsWith({}).includes('AUTH'));
    assert.ok(requestsWith({ masterauth: 'p' }).startsWith('*2\r\n$4\r\nAUTH\r\n$1\r\np\r\n'));
    assert.ok(
      requestsWith({ masterauth: 'p', masteruser: 'u' }).startsWith('*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n'),
    );
  });

  it('a wrong password is reported, and tried again', async () => {
    const simulation = new Simulation(1);
    const master = simulation.addServer({ requirepass: 'secret' });
    const replica = simulation.addServer({ masterauth: 'wrong', replicaof: `127.0.0.1 ${master.port}` });
    await simulation.passUntil(() => replica.log.some((line) => line.includes('Unable to AUTH to MASTER')));
    replica.run('CONFIG', 'SET', 'masterauth', 'secret');
    await simulation.passUntil(() => replica.replication.link?.isUp === true);
  });

  it('replica-announce-ip and replica-announce-port are what the master shows', async () => {
    const { master } = await pairOf(
      {},
      { 'replica-announce-ip': 'db.example', 'replica-announce-port': '4711' },
    );
    assert.match(info(master, 'slave0') ?? '', /^ip=db\.example,port=4711,/);
  });

  it('replica-priority and replica-announced are shown to Sentinels', async () => {
    const { replica } = await pairOf({}, { 'replica-priority': '7', 'replica-announced': 'no' });
    assert.equal(info(replica, 'slave_priority'), '7');
    assert.equal(info(replica, 'replica_announced'), '0');
  });

  it('replica-read-only no allows writes, which stay here, and whose keys expire', async () => {
    const { simulation, master, replica } = await pairOf({}, { 'replica-read-only': 'no' });
    assert.equal(replica.run('SET', 'local', 'x', 'PX', 500), '+OK\r\n');
    assert.equal(master.run('GET', 'local'), '$-1\r\n');
    assert.equal(replica.run('SET', 'lasting', 'x'), '+OK\r\n');
    assert.match(replica.run('INFO', 'stats'), /slave_expires_tracked_keys:1\r\n/);
    assert.equal(replica.run('DBSIZE'), ':3\r\n');
    await simulation.pass(3000);
    assert.equal(replica.run('DBSIZE'), ':2\r\n');
    replica.run('CONFIG', 'SET', 'replica-read-only', 'yes');
    assert.match(replica.run('SET', 'local', 'x'), /^-READONLY/);
  });

  it('replica-serve-stale-data no refuses reads while the master is away', async () => {
    const { simulation, master, replica } = await pairOf({}, { 'replica-serve-stale-data': 'no' });
    assert.equal(replica.run('GET', 'key'), '$5\r\nvalue\r\n');
    replica.run('MULTI');
    replica.run('GET', 'key');
    master.crash();
    await simulation.passUntil(() => replica.replication.link?.isUp === false);
    assert.match(replica.run('EXEC'), /^-EXECABORT Transaction discarded because of: MASTERDOWN/);
    const script = "#!lua flags=no-writes,allow-stale\nreturn redis.call('GET', 'key')";
    assert.match(replica.run('EVAL', script, 0), /^-ERR Can not execute the command on a stale replica/);
    assert.match(replica.run('EVAL', "return redis.call('GET', 'key')", 0), /^-MASTERDOWN Link with MASTER/);
    assert.match(
      replica.run('GET', 'key'),
      /^-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'\./,
    );
    assert.equal(
      replica.run('PING'),
      "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
    );
    assert.match(replica.run('INFO', 'replication'), /role:slave/);
    replica.run('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
    assert.equal(replica.run('GET', 'key'), '$5\r\nvalue\r\n');
  });

  it('replica-ignore-maxmemory no lets a replica evict keys by itself', async () => {
    for (const [ignores, expected] of [
      ['yes', 51],
      ['no', 0],
    ] as const) {
      const limits = {
        'maxmemory-policy': 'allkeys-lru',
        maxmemory: '1',
        'replica-ignore-maxmemory': ignores,
      };
      const { simulation, master, replica } = await pairOf({}, limits);
      for (let i = 0; i < 50; i++) master.run('SET', `key:${i}`, 'x');
      await simulation.pass(5000);
      replica.run('GET', 'key');
      assert.equal(Number(replica.run('DBSIZE').slice(1)) > 0, expected > 0, ignores);
    }
  });

  it('repl-diskless-load swapdb serves the old data until the new is complete, if both are of one history', async () => {
    for (const [mode, isOneHistory, isServed] of [
      ['disabled', true, false],
      ['swapdb', true, true],
      ['swapdb', false, false],
    ] as const) {
      const { simulation, master, replica } = await pairOf(
        { 'repl-backlog-size': '16kb' },
        { 'repl-diskless-load': mode },
      );
      for (let i = 0; i < 500; i++) master.run('SET', `key:${i}`, 'x');
      simulation.hasSmallSlices = true;
      if (!isOneHistory) master.replication.stream.history.renew();
      replica.run('CLIENT', 'KILL', 'TYPE', 'master');
      // More than the backlog holds: a full synchronisation is necessary.
      for (let i = 0; i < 40; i++) master.run('SET', `key:${i}`, 'x'.repeat(4096));
      let served = 0;
      let refused = 0;
      await simulation.passUntil(() => {
        if (replica.engine.isAsyncLoading) {
          assert.match(replica.run('CONFIG', 'SET', 'appendonly', 'no'), /^-LOADING/);
          assert.match(replica.run('REPLICAOF', 'NO', 'ONE'), /^-LOADING/);
        }
        if (replica.engine.isLoading) refused++;
        else if (replica.replication.link?.state === 'sync' && replica.run('GET', 'key').startsWith('$5'))
          served++;
        return replica.replication.link?.isUp === true && replica.offset === master.offset;
      });
      assert.ok(served > 0);
      assert.equal(refused === 0, isServed, mode);
      assert.equal(replica.digest, master.digest);
    }
  });
});

describe('settings of a master', () => {
  it('repl-diskless-sync-delay lets replicas that arrive together share a snapshot', async () => {
    for (const [delay, snapshots] of [
      ['0', 2],
      ['5', 1],
    ] as const) {
      const simulation = new Simulation(1);
      const master = simulation.addServer({ 'repl-diskless-sync-delay': delay });
      const first = simulation.addServer({ replicaof: '127.0.0.1 7001' });
      await simulation.pass(2500);
      const second = simulation.addServer({ replicaof: '127.0.0.1 7001' });
      await simulation.passUntil(() =>
        [first, second].every(({ replication }) => replication.link?.isUp === true),
      );
      assert.equal(master.replication.replicas.syncs.count, snapshots, delay);
    }
  });

  it('repl-diskless-sync-max-replicas ends the delay', async () => {
    for (const [replicas, isEarly] of [
      ['0', false],
      ['1', true],
    ] as const) {
      const simulation = new Simulation(1);
      simulation.addServer({ 'repl-diskless-sync-delay': '60', 'repl-diskless-sync-max-replicas': replicas });
      const replica = simulation.addServer({ replicaof: '127.0.0.1 7001' });
      await simulation.pass(10_000);
      assert.equal(replica.replication.link?.isUp, isEarly, replicas);
    }
  });

  it('repl-diskless-sync no stores the snapshot before it is sent', async () => {
    for (const [isDiskless, message] of [
      ['yes', 'receiving streamed RDB'],
      ['no', 'receiving 1'],
    ] as const) {
      const { replica } = await pairOf({ 'repl-diskless-sync': isDiskless });
      assert.ok(
        replica.log.some((line) => line.includes(message)),
        replica.log.join('\n'),
      );
    }
  });

  it('repl-ping-replica-period sends PING', async () => {
    for (const [period, pings] of [
      ['10', 3],
      ['1', 30],
    ] as const) {
      const { simulation, master } = await pairOf({ 'repl-ping-replica-period': period });
      const before = master.offset;
      await simulation.pass(30_000);
      assert.ok(
        Math.abs((master.offset - before) / PING_BYTES - pings) <= 1,
        `${master.offset - before} bytes`,
      );
    }
  });

  it('repl-timeout drops a replica that is silent, and a master that is', async () => {
    for (const [seconds, isDropped] of [
      ['60', false],
      ['5', true],
    ] as const) {
      const { simulation, master, replica } = await pairOf(
        { 'repl-timeout': seconds, 'repl-ping-replica-period': '3600' },
        { 'repl-timeout': '3600' },
      );
      replica.replication.link?.acknowledge();
      // From now on it says nothing.
      if (replica.replication.link !== undefined) replica.replication.link.tick = () => {};
      await simulation.pass(20_000);
      assert.equal(
        master.log.some((line) => line.includes('Disconnecting timedout replica')),
        isDropped,
      );
    }
    for (const [seconds, isDropped] of [
      ['60', false],
      ['5', true],
    ] as const) {
      const { simulation, replica } = await pairOf(
        { 'repl-ping-replica-period': '3600' },
        { 'repl-timeout': seconds },
      );
      await simulation.pass(20_000);
      assert.equal(
        replica.log.some((line) => line.includes('has sent nothing')),
        isDropped,
      );
    }
  });

  it('repl-backlog-size decides how long a replica may be away', async () => {
    for (const [size, kind] of [
      ['16384', 'full'],
      ['1mb', 'partial'],
    ] as const) {
      const { simulation, master, replica } = await pairOf({ 'repl-backlog-size': size });
      simulation.network.sever(7001, 7002, true);
      await simulation.pass(5000);
      for (let i = 0; i < 60; i++) master.run('SET', `key:${i}`, 'x'.repeat(1000));
      simulation.network.heal();
      await simulation.passUntil(
        () => replica.offset === master.offset && replica.replication.link?.isUp === true,
      );
      assert.equal(master.replication.replicas.counts[kind], kind === 'full' ? 2 : 1, size);
      assert.equal(info(master, 'repl_backlog_size'), String(size === '1mb' ? 1 << 20 : size));
    }
  });

  it('repl-backlog-ttl frees the backlog of a master without replicas', async () => {
    for (const [ttl, isFreed] of [
      ['3600', false],
      ['5', true],
    ] as const) {
      const { simulation, master, replica } = await pairOf({ 'repl-backlog-ttl': ttl });
      const id = master.historyId;
      replica.crash();
      await simulation.pass(20_000);
      assert.equal(info(master, 'repl_backlog_active'), isFreed ? '0' : '1');
      assert.equal(master.historyId !== id, isFreed);
    }
  });

  it('min-replicas-to-write refuses writes while replicas are away', async () => {
    const { simulation, master, replica } = await pairOf({
      'min-replicas-to-write': '1',
      'min-replicas-max-lag': '5',
    });
    await simulation.passUntil(() => master.run('SET', 'key', 'value') === '+OK\r\n');
    assert.equal(info(master, 'min_slaves_good_slaves'), '1');
    replica.crash();
    await simulation.pass(10_000);
    assert.equal(master.run('SET', 'key', 'value'), '-NOREPLICAS Not enough good replicas to write.\r\n');
    replica.start();
    await simulation.passUntil(() => master.run('SET', 'key', 'value') === '+OK\r\n');
  });
});

describe('settings of sockets', () => {
  it('repl-disable-tcp-nodelay yes lets the system collect packets for replicas', async () => {
    for (const [setting, expected] of [
      ['no', true],
      ['yes', false],
    ] as const) {
      const port = await freePort();
      const asked: unknown[] = [];
      const { setNoDelay } = Socket.prototype;
      await using _server = await serve({
        port,
        'repl-disable-tcp-nodelay': setting,
        'repl-diskless-sync-delay': 0,
      });
      Socket.prototype.setNoDelay = function (this: Socket, isSet?: boolean) {
        asked.push(isSet);
        return setNoDelay.call(this, isSet);
      };
      try {
        const client = connect(port, '127.0.0.1');
        client.write('PSYNC ? -1\r\n');
        await once(client, 'data');
        assert.equal(asked.at(-1), expected, setting);
        client.destroy();
      } finally {
        Socket.prototype.setNoDelay = setNoDelay;
      }
    }
  });

  it('client-output-buffer-limit drops a replica that does not read, and another one stays', async () => {
    const port = await freePort();
    await using server = await serve({
      port,
      'repl-diskless-sync-delay': 0,
      'repl-backlog-size': '16kb',
      'client-output-buffer-limit': 'replica 8mb 0 0',
    });
    const [slow, quick] = [new Socket(), new Socket()];
    for (const socket of [slow, quick]) {
      socket.connect(port, '127.0.0.1').on('error', () => {});
      socket.write('REPLCONF listening-port 1 capa eof\r\n');
      await once(socket, 'data');
      socket.write('PSYNC ? -1\r\n');
      await once(socket, 'data');
      socket.write('REPLCONF ACK 0\r\n');
    }
    await using store = await open(`redis://127.0.0.1:${port}`);
    slow.pause();
    quick.on('data', () => {});
    for (let i = 0; i < 40; i++) await store.set('key', 'x'.repeat(1 << 20));
    const { replicas } = server.engine.replication as Replication;
    assert.equal(replicas.size, 1);
    slow.destroy();
    quick.destroy();
  });

  it('bind-source-addr is the address from which a replica connects', async () => {
    const master = createServer();
    await new Promise<void>((resolve) => master.listen(0, '127.0.0.1', resolve));
    const { port: masterPort } = master.address() as { port: number };
    for (const address of ['127.0.0.1', '127.0.0.9']) {
      const connected = new Promise<Socket>((resolve) => master.once('connection', resolve));
      const port = await freePort();
      await using _server = await serve({
        port,
        replicaof: `127.0.0.1 ${masterPort}`,
        ...(address === '127.0.0.1' ? {} : { 'bind-source-addr': address }),
      });
      const socket = await connected;
      assert.equal(socket.remoteAddress, address);
      socket.destroy();
    }
    await new Promise((resolve) => master.close(resolve));
  });
});

const PING_BYTES = '*1\r\n$4\r\nPING\r\n'.length;
