import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SLOTS } from '../../src/cluster/slot-set.js';
import { CommandError } from '../../src/commands/errors.js';
import { Engine } from '../../src/engine/engine.js';
import { argumentsOf, printable, RawClient } from '../oracle/support/index.js';
import { EngineClient } from '../support/engine-client.js';
import { ask, askUntil, type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { FakeCluster } from './fake-cluster.js';

/** Slots below this belong to the node that is asked, the others to the other node. */
const BOUNDARY = 8192;

// Keys of the node that is asked are `b` (slot 3300) and `f` (3168); `d` (11298) is a key of the other node.
const SETTINGS = [
  '--cluster-enabled',
  'yes',
  '--cluster-announce-ip',
  '127.0.0.1',
  '--cluster-node-timeout',
  '60000',
];

const READ_ONLY = new CommandError("READONLY You can't write against a read only replica.");

/** Two nodes of Redis, and an engine that sees the cluster as the first of them does. */
class Pair {
  readonly redis: readonly Server[];
  readonly ids: readonly string[];
  readonly engine = new Engine();
  readonly cluster: FakeCluster;
  readonly #connections = new Map<string, { readonly redis: RawClient; readonly ours: EngineClient }>();

  private constructor(redis: readonly Server[], ids: readonly string[]) {
    this.redis = redis;
    this.ids = ids;
    const [first, second] = redis.map(({ port }, index) => ({ id: ids[index] as string, port }));
    this.cluster = new FakeCluster(this.engine, first!);
    // No other server can be reached: MIGRATE of keys that are not here does not try to.
    this.engine.attach({ host: { peer: () => undefined } });
    const other = this.cluster.addMaster(second!);
    for (let slot = 0; slot < SLOTS; slot++) {
      this.cluster.topology.assign(slot, slot < BOUNDARY ? this.cluster.myself : other);
    }
    this.cluster.update();
  }

  static async start(): Promise<Pair> {
    const redis = await Promise.all([startRedis(SETTINGS), startRedis(SETTINGS)]);
    const [{ port: first }, { port: second }] = redis;
    await ask(first, 'CLUSTER', 'ADDSLOTSRANGE', '0', `${BOUNDARY - 1}`);
    await ask(second, 'CLUSTER', 'ADDSLOTSRANGE', `${BOUNDARY}`, `${SLOTS - 1}`);
    await ask(second, 'CLUSTER', 'SET-CONFIG-EPOCH', '7');
    await ask(first, 'CLUSTER', 'MEET', '127.0.0.1', `${second}`);
    for (const { port } of redis) {
      await askUntil(port, ['CLUSTER', 'INFO'], (info) => String(info).includes('cluster_state:ok'));
    }
    const ids = await Promise.all(redis.map(async ({ port }) => String(await ask(port, 'CLUSTER', 'MYID'))));
    return new Pair(redis, ids);
  }

  async on(name: string): Promise<{ readonly redis: RawClient; readonly ours: EngineClient }> {
    let connection = this.#connections.get(name);
    if (connection === undefined) {
      const redis = await RawClient.connect(this.redis[0]!.port);
      connection = { redis, ours: new EngineClient(this.engine) };
      this.#connections.set(name, connection);
    }
    return connection;
  }

  /** Runs the lines on both sides and compares the replies. `ME` and `OTHER` stand for the nodes' ids. `name> line` uses that connection. */
  async compare(lines: readonly string[]): Promise<void> {
    for (const text of lines) {
      const [, name, line] = /^(?:(\w+)> )?(.*)$/s.exec(text) as unknown as [
        string,
        string | undefined,
        string,
      ];
      const { redis, ours } = await this.on(name ?? 'main');
      const words = argumentsOf(line.replaceAll('OTHER', this.ids[1]!).replaceAll('ME', this.ids[0]!));
      const reply = await redis.call(words);
      const mine = ours.call(words.map((word) => word.toString('latin1')));
      assert.equal(printable(Buffer.from(mine, 'latin1')), printable(reply.raw), text);
    }
  }

  async stop(): Promise<void> {
    for (const { redis } of this.#connections.values()) redis.close();
    this.engine.close();
    await Promise.all(this.redis.map((server) => server.stop()));
  }
}

describe('a node of a cluster', whenRedisIsInstalled, () => {
  let pair: Pair;
  before(async () => {
    pair = await Pair.start();
  });
  after(() => pair?.stop());

  const group = (name: string, lines: readonly string[]): void => void it(name, () => pair.compare(lines));

  group('serves its keys and redirects others', [
    'SET b 1',
    'GET b',
    'SET d 1',
    'GET d',
    'get d x',
    'MSET b 1 {b}2 2',
    'MSET b 1 d 2',
    'MGET d {d}1',
    'MGET d b',
    'DEL b b b',
    'OBJECT ENCODING d',
    'OBJECT HELP',
    'MEMORY USAGE d',
    'XGROUP CREATE d g $ MKSTREAM',
    'XREAD COUNT 1 STREAMS b d 0 0',
    'XREAD COUNT 1 STREAMS b {b}d 0 0',
    'XREADGROUP GROUP g c STREAMS d >',
    'ZUNIONSTORE b 2 {b}x d',
    'ZUNION 1 d',
    'ZUNION 1x d',
    'ZUNION 2 d',
    'ZUNION 0 d',
    'EVAL "return 1" 0',
    'EVAL "return 1" 1 d',
    'EVAL "return 1" 2 b d',
    'EVAL "return 1" 3 d',
    'EVALSHA abc 1 d',
    'FCALL f 1 d',
    'FCALL_RO f 2 b d',
    'GEORADIUS b 1 1 1 m STORE d',
    'GEORADIUS b 1 1 1 m STORE {b}x',
    'SORT b STORE d',
    'SORT b BY x',
    'SORT b BY x*',
    'SORT b GET #',
    'SORT_RO b BY w_* GET #',
    'LMPOP 2 b d LEFT',
    'BLMPOP 1 1 d LEFT',
    'LCS b d',
    'BITOP AND b d {d}2',
    'COPY b d',
    'COPY b {b}c DB 1',
    'COPY b {b}c DB 0',
    'COPY b {b}c DB 99',
    'RENAME b d',
    'MOVE b 1',
    'SWAPDB 0 1',
    'SELECT 1',
    'SELECT 0',
    'SELECT 99',
    'SELECT x',
    'TOUCH b d',
    'WATCH d',
    'WATCH b d',
    'UNWATCH',
    'MIGRATE 127.0.0.1 1 d 0 10',
    'MIGRATE 127.0.0.1 1 "" 0 10 KEYS b d',
    'RESTORE d 0 x',
    'RESTORE-ASKING d 0 x',
    'KEYS *',
    'DBSIZE',
    'FLUSHALL',
    'REPLICAOF NO ONE',
    'REPLICAOF 127.0.0.1 1',
    'FAILOVER',
    'NOSUCH d',
    'GET',
    'SET "" 1',
    'GET {}x',
    'GET {b}{d}',
    'GET "{d\\x00\\xff}"',
    'DEL "" b',
    'PFCOUNT d b',
    'PUBSUB SHARDNUMSUB d',
  ]);

  group('answers questions about keys and slots', [
    'CLUSTER KEYSLOT b',
    'CLUSTER KEYSLOT ""',
    'CLUSTER KEYSLOT {}b',
    'CLUSTER KEYSLOT x{d}{b}',
    'MSET b 1 {b}2 2 {b}3 3',
    'CLUSTER COUNTKEYSINSLOT 3300',
    'CLUSTER GETKEYSINSLOT 3300 100',
    'CLUSTER GETKEYSINSLOT 3300 2',
    'CLUSTER GETKEYSINSLOT 3300 0',
    'CLUSTER GETKEYSINSLOT 3300 -1',
    'CLUSTER GETKEYSINSLOT 16384 1',
    'CLUSTER GETKEYSINSLOT x 1',
    'CLUSTER GETKEYSINSLOT 1 x',
    'CLUSTER COUNTKEYSINSLOT -1',
    'CLUSTER COUNTKEYSINSLOT 16384',
    'CLUSTER COUNTKEYSINSLOT x',
    'RENAME {b}2 {b}4',
    'DEL {b}3',
    'CLUSTER GETKEYSINSLOT 3300 100',
    'FLUSHALL',
    'CLUSTER COUNTKEYSINSLOT 3300',
    'CLUSTER HELP',
    'CLUSTER help x',
    'CLUSTER NOSUCH',
    'CLUSTER MYID',
    'CLUSTER MYID x',
  ]);

  group('refuses wrong arguments of CLUSTER', [
    'CLUSTER ADDSLOTS 1',
    'CLUSTER ADDSLOTS 1 x',
    'CLUSTER ADDSLOTS 16384',
    'CLUSTER ADDSLOTS -1',
    'CLUSTER DELSLOTS 1 1',
    'CLUSTER DELSLOTS 1 x',
    'CLUSTER ADDSLOTSRANGE 1 2 3',
    'CLUSTER ADDSLOTSRANGE 2 1',
    'CLUSTER ADDSLOTSRANGE 1 2',
    'CLUSTER ADDSLOTSRANGE 1 2 x 3',
    'CLUSTER DELSLOTSRANGE 1 3 3 4',
    'CLUSTER DELSLOTSRANGE 1 3 x 4',
    'CLUSTER SETSLOT x STABLE',
    'CLUSTER SETSLOT 1',
    'CLUSTER SETSLOT 1 STABLE x',
    'CLUSTER SETSLOT 1 NOSUCH',
    'CLUSTER SETSLOT 1 MIGRATING',
    'CLUSTER SETSLOT 1 MIGRATING missing',
    'CLUSTER SETSLOT 1 IMPORTING OTHER',
    'CLUSTER SETSLOT 9000 MIGRATING OTHER',
    'CLUSTER SETSLOT 9000 IMPORTING missing',
    'CLUSTER SETSLOT 1 NODE missing',
    'SET b 1',
    'CLUSTER SETSLOT 3300 NODE OTHER',
    'CLUSTER SETSLOT 3300 NODE ME',
    'CLUSTER FLUSHSLOTS',
    'CLUSTER RESET',
    'CLUSTER RESET x',
    'CLUSTER RESET SOFT x',
    'CLUSTER REPLICATE OTHER',
    'CLUSTER REPLICATE ME',
    'CLUSTER REPLICATE missing',
    'CLUSTER REPLICAS missing',
    'CLUSTER REPLICAS ME',
    'CLUSTER SLAVES OTHER',
    'CLUSTER FORGET missing',
    'CLUSTER FORGET ME',
    'CLUSTER FAILOVER',
    'CLUSTER FAILOVER FORCE',
    'CLUSTER FAILOVER x',
    'CLUSTER FAILOVER FORCE x',
    'CLUSTER SET-CONFIG-EPOCH x',
    'CLUSTER SET-CONFIG-EPOCH -1',
    'CLUSTER SET-CONFIG-EPOCH 1',
    'CLUSTER COUNT-FAILURE-REPORTS missing',
    'CLUSTER COUNT-FAILURE-REPORTS OTHER',
    'CLUSTER MEET x 1',
    'CLUSTER MEET 127.0.0.1 x',
    'CLUSTER MEET 127.0.0.1 1 x',
    'CLUSTER MEET 127.0.0.1 0',
    'CLUSTER MEET 127.0.0.1 1 2 3',
    'FLUSHALL',
  ]);

  group('refuses a transaction with keys of other nodes', [
    'MULTI',
    'SET b 1',
    'EXEC',
    'MULTI',
    'SET b 1',
    'SET d 1',
    'EXEC',
    'MULTI',
    'SET b 1',
    'SET c 1',
    'EXEC',
    'MULTI',
    'SET b 1',
    'SET f 1',
    'EXEC',
    'GET b',
    'EXEC',
    'MULTI',
    'PING',
    'EXEC',
    'WATCH b',
    'MULTI',
    'GET f',
    'GET b',
    'EXEC',
    'SET b 2',
    'MULTI',
    'GET b',
    'EXEC',
    'FLUSHALL',
  ]);

  group('redirects keys that have moved away already', [
    'MSET b 1 {b}2 2',
    'CLUSTER SETSLOT 3300 MIGRATING OTHER',
    'GET b',
    'GET {b}9',
    'SET {b}9 1',
    'MGET b {b}2',
    'MGET b {b}9',
    'MGET {b}8 {b}9',
    'MGET {b}9 {b}9',
    'DEL b {b}9',
    'EVAL "return redis.call(\'get\', KEYS[1])" 1 {b}9',
    "EVAL \"return redis.call('get', '{b}9')\" 1 b",
    'MULTI',
    'GET b',
    'GET {b}9',
    'EXEC',
    'MULTI',
    'GET b',
    'MGET {b}2 b',
    'EXEC',
    'ASKING',
    'GET {b}9',
    'MIGRATE 127.0.0.1 1 {b}9 0 10',
    'SPUBLISH b message',
    'CLUSTER SETSLOT 3300 STABLE',
    'GET {b}9',
    'FLUSHALL',
  ]);

  group('serves keys that it imports to clients that ask', [
    'CLUSTER SETSLOT 11298 IMPORTING OTHER',
    'GET d',
    'ASKING',
    'GET d',
    'GET d',
    'ASKING',
    'SET d 1',
    'ASKING',
    'MGET d {d}2',
    'ASKING',
    'MGET d d',
    'ASKING',
    'MSET d 1 {d}2 2',
    'ASKING',
    'GET',
    'GET d',
    'ASKING',
    'NOSUCH',
    'GET d',
    'ASKING',
    'MULTI',
    'GET d',
    'SET d 2',
    'EXEC',
    'GET d',
    'ASKING',
    'MULTI',
    'GET d',
    'DISCARD',
    'GET d',
    'ASKING',
    'EVAL "return redis.call(\'get\', KEYS[1])" 1 d',
    'EVAL "return redis.call(\'get\', KEYS[1])" 1 d',
    'ASKING',
    'PING',
    'GET d',
    'ASKING',
    'ASKING',
    'GET d',
    'MULTI',
    'ASKING',
    'EXEC',
    'GET d',
    'ASKING',
    'RESET',
    'GET d',
    'RESTORE-ASKING d 0 x',
    'RESTORE-ASKING d 0 "\\x00\\xc0\\x05\\n\\x00C\\xe1\\x8c\\xc2\\xd0\\x05\\x15$"',
    'MIGRATE 127.0.0.1 1 {d}9 0 10',
    'CLUSTER COUNTKEYSINSLOT 11298',
    'CLUSTER GETKEYSINSLOT 11298 10',
    'CLUSTER SETSLOT 11298 STABLE',
    'ASKING',
    'GET d',
    'FLUSHALL',
    'CLUSTER COUNTKEYSINSLOT 11298',
  ]);

  group('lets scripts use only its own keys', [
    "EVAL \"return redis.call('get', 'b')\" 0",
    "EVAL \"return redis.call('get', 'd')\" 0",
    "EVAL \"return redis.pcall('mget', 'b', 'd')\" 0",
    "EVAL \"return redis.pcall('mget', 'b', 'f')\" 0",
    "EVAL \"redis.call('get', 'b') return redis.call('get', 'f')\" 0",
    "EVAL \"#!lua\\nredis.call('get', 'b') return redis.call('get', 'f')\" 0",
    "EVAL \"#!lua\\nreturn redis.call('get', 'f')\" 1 b",
    "EVAL \"#!lua\\nreturn redis.call('get', 'f')\" 0",
    "EVAL \"#!lua\\nreturn redis.call('get', 'b')\" 1 b",
    "EVAL \"#!lua flags=allow-cross-slot-keys\\nreturn redis.call('get', 'f')\" 1 b",
    "EVAL \"#!lua flags=allow-cross-slot-keys\\nreturn redis.call('get', 'd')\" 1 b",
    'EVAL "#!lua flags=no-cluster\\nreturn 1" 0',
    'EVAL "#!lua flags=no-cluster,no-writes\\nreturn 1" 1 b',
    'MULTI',
    'GET f',
    "EVAL \"#!lua\\nreturn redis.call('get', 'b')\" 0",
    'EXEC',
    "EVAL_RO \"return redis.call('get', 'd')\" 0",
    'EVAL "return redis.sha1hex(\'\')" 0',
    "FUNCTION LOAD \"#!lua name=x\\nredis.register_function('other', function(k, a) return redis.call('get', a[1]) end)\"",
    'FCALL other 1 b f',
    'FCALL other 0 f',
    'FCALL other 0 d',
    'FCALL other 1 b b',
    'FUNCTION FLUSH',
  ]);

  group('gives channels of shards slots as keys', [
    'SPUBLISH b x',
    'SPUBLISH d x',
    's1> SSUBSCRIBE d',
    's1> SSUBSCRIBE b d',
    's1> SSUBSCRIBE b f',
    's1> SUNSUBSCRIBE d',
    's1> SSUBSCRIBE b',
    'PUBSUB SHARDCHANNELS',
    's1> SSUBSCRIBE {b}2',
    'SUBSCRIBE d',
    'UNSUBSCRIBE d',
    'SPUBLISH b x',
    'CLUSTER SETSLOT 3300 MIGRATING OTHER',
    's2> SSUBSCRIBE {b}3',
    'CLUSTER SETSLOT 3300 STABLE',
  ]);

  it('tells subscribers of a slot that another node serves now', async () => {
    const { redis, ours } = await pair.on('s1');
    redis.takeReceived();
    ours.received();
    await pair.compare(['CLUSTER SETSLOT 3300 NODE OTHER']);
    const theirs = [await redis.next(), await redis.next()].map(({ raw }) => raw.toString('latin1'));
    const mine = ours.received();
    for (const line of theirs) assert.ok(mine.includes(line.slice(0, line.lastIndexOf(':'))), line);
    assert.equal(mine.length, theirs.join('').length);
    const other = await pair.on('s2');
    assert.equal(other.ours.received(), (await other.redis.next()).raw.toString('latin1'));
    await pair.compare([
      'PUBSUB SHARDCHANNELS',
      's1> PING',
      'GET b',
      'CLUSTER SETSLOT 3300 NODE ME',
      'GET b',
    ]);
  });

  it('redirects blocked clients when their slot leaves', async () => {
    const waits = ['BLPOP b 0', 'XREAD BLOCK 0 STREAMS b $', 'BZPOPMIN {b}z b 0', 'BLPOP f 0'];
    const blocked = await Promise.all(waits.map((_, index) => pair.on(`blocked${index}`)));
    waits.forEach((wait, index) => {
      blocked[index]!.redis.send(wait);
      assert.equal(blocked[index]!.ours.run(wait), '');
    });
    await askUntil(pair.redis[0]!.port, ['INFO', 'clients'], (info) =>
      /blocked_clients:4/.test(String(info)),
    );
    pair.engine.background.tick();
    await pair.compare(['CLUSTER SETSLOT 3300 MIGRATING OTHER']);
    pair.engine.background.tick();
    for (const { ours } of blocked) assert.equal(ours.received(), '');
    await pair.compare(['CLUSTER SETSLOT 3300 NODE OTHER']);
    pair.engine.background.tick();
    for (const { redis, ours } of blocked.slice(0, 3)) {
      assert.equal(ours.received(), (await redis.next()).raw.toString('latin1'));
    }
    // The client that waits for another slot stays until the cluster is down.
    assert.equal(blocked[3]!.ours.received(), '');
    await pair.compare(['CLUSTER SETSLOT 3300 NODE ME', 'CLUSTER DELSLOTS 1']);
    pair.engine.background.tick();
    assert.equal(blocked[3]!.ours.received(), (await blocked[3]!.redis.next()).raw.toString('latin1'));
  });

  it('refuses keys while the cluster is down', () =>
    pair.compare([
      'GET b',
      'SET b 1',
      'GET d',
      'MGET b d',
      'PING',
      "EVAL \"return redis.call('get', 'b')\" 0",
      'MULTI',
      'PING',
      'GET b',
      'EXEC',
      'EVAL "return 1" 1 b',
      'SPUBLISH b x',
      'SPUBLISH d x',
      'CONFIG SET cluster-allow-pubsubshard-when-down no',
      'SPUBLISH b x',
      'SPUBLISH d x',
      'CONFIG SET cluster-allow-reads-when-down yes',
      'GET b',
      'GET d',
      'SET b 1',
      'SET d 1',
      'EVAL "return redis.call(\'get\', KEYS[1])" 1 b',
      'EVAL "return redis.call(\'set\', KEYS[1], 1)" 1 b',
      'EVAL "#!lua\\nreturn redis.call(\'get\', KEYS[1])" 1 b',
      'EVAL "#!lua flags=no-writes\\nreturn redis.call(\'get\', KEYS[1])" 1 b',
      'MULTI',
      'GET b',
      'EXEC',
      'MULTI',
      'SET b 1',
      'EXEC',
      'CONFIG SET cluster-preferred-endpoint-type hostname',
      'GET d',
      'CONFIG SET cluster-preferred-endpoint-type unknown-endpoint',
      'GET d',
      'CONFIG SET cluster-preferred-endpoint-type ip',
      'GET d',
      'CLUSTER DELSLOTS 3300',
      'GET b',
      'GET {b}x',
      'SPUBLISH b x',
      'CLUSTER ADDSLOTS 3300',
      'CLUSTER ADDSLOTS 1',
    ]));

  it('becomes a replica', async () => {
    await pair.compare(['FLUSHALL', 'CLUSTER FLUSHSLOTS', 'CLUSTER REPLICATE OTHER']);
    const [first, second] = pair.redis.map(({ port }) => port) as [number, number];
    await askUntil(second, ['CLUSTER', 'NODES'], (nodes) => String(nodes).includes(' slave '));
    await ask(second, 'CLUSTER', 'ADDSLOTSRANGE', '0', `${BOUNDARY - 1}`);
    await askUntil(first, ['CLUSTER', 'INFO'], (info) => String(info).includes('cluster_state:ok'));
    await askUntil(first, ['INFO', 'replication'], (info) => String(info).includes('master_link_status:up'));
    const { topology } = pair.cluster;
    for (let slot = 0; slot < BOUNDARY; slot++) topology.assign(slot, topology.node(pair.ids[1]!)!);
    pair.cluster.update();
    pair.engine.attach({ checks: { write: () => READ_ONLY } });
  });

  group('serves reads of its master to clients that accept them', [
    'GET b',
    'EVAL "return 1" 1 b',
    'READONLY',
    'GET b',
    'GET d',
    'MGET b d',
    'SET b 1',
    'EVAL "return redis.call(\'get\', KEYS[1])" 1 b',
    "EVAL \"return redis.call('get', 'd')\" 1 b",
    'EVAL "return redis.pcall(\'set\', KEYS[1], 1)" 1 b',
    'EVAL_RO "return redis.call(\'get\', KEYS[1])" 1 b',
    'EVAL "#!lua\\nreturn redis.call(\'get\', KEYS[1])" 1 b',
    'EVAL "#!lua flags=no-writes\\nreturn redis.call(\'get\', KEYS[1])" 1 b',
    'MULTI',
    'GET b',
    'GET {b}2',
    'EXEC',
    'MULTI',
    'GET b',
    'SET b 1',
    'EXEC',
    'BLPOP b 0',
    'XREAD STREAMS b 0',
    'WATCH b',
    'UNWATCH',
    'SSUBSCRIBE b',
    'SUNSUBSCRIBE b',
    'SPUBLISH b x',
    'READWRITE',
    'GET b',
    'SPUBLISH b x',
    'READONLY',
    'RESET',
    'GET b',
    'ASKING',
    'GET b',
    'CLUSTER SETSLOT 1 STABLE',
    'CLUSTER FORGET OTHER',
    'CLUSTER REPLICATE ME',
    'CLUSTER REPLICAS ME',
    'CLUSTER COUNTKEYSINSLOT 1',
  ]);

  it('shows in CLIENT LIST which clients accept reads of replicas', async () => {
    const { redis, ours } = await pair.on('reader');
    for (const command of ['READONLY', 'READWRITE']) {
      await pair.compare([`reader> ${command}`]);
      const flags = [ours.run('CLIENT INFO'), String((await redis.call('CLIENT INFO')).raw)].map(
        (line) => /flags=(\w+)/.exec(line)?.[1],
      );
      assert.deepEqual(flags, command === 'READONLY' ? ['r', 'r'] : ['N', 'N']);
    }
  });
});
