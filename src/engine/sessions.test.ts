import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { EngineClient } from '../../tests/support/engine-client.js';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import { Engine } from './engine.js';

function recordBatches(engine: Engine): string[][] {
  const batches: string[][] = [];
  engine.keyspace.effects.subscribe({
    batch: (commands) => {
      batches.push(
        commands.map(
          ({ argv, onlyForReplicas }) => `${argv.join(' ')}${onlyForReplicas ? ' (replicas)' : ''}`,
        ),
      );
    },
  });
  return batches;
}

describe('a transaction', () => {
  it('is recorded as one batch without MULTI and EXEC', () => {
    const engine = new Engine();
    const batches = recordBatches(engine);
    new EngineClient(engine).run('SET x 1', 'MULTI', 'SET a 1', 'GET a', 'RPUSH l x', 'EXEC', 'SET y 1');
    assert.deepEqual(batches, [['SET x 1'], ['SET a 1', 'RPUSH l x'], ['SET y 1']]);
  });

  it('records nothing if it only reads, fails or is discarded', () => {
    const engine = new Engine();
    const batches = recordBatches(engine);
    const client = new EngineClient(engine);
    client.run('MULTI', 'GET a', 'EXEC', 'MULTI', 'SET a 1', 'DISCARD', 'MULTI', 'SET a 1', 'FOO', 'EXEC');
    assert.deepEqual(batches, []);
  });

  it('is recorded apart from the commands that serve waiting clients', () => {
    const engine = new Engine();
    const batches = recordBatches(engine);
    const waiting = new EngineClient(engine);
    waiting.run('BLPOP l 0');
    new EngineClient(engine).run('MULTI', 'RPUSH l a', 'RPUSH l b', 'EXEC', 'SET k v');
    assert.equal(waiting.received(), '*2\r\n$1\r\nl\r\n$1\r\na\r\n');
    assert.deepEqual(batches, [['RPUSH l a', 'RPUSH l b'], ['LPOP l'], ['SET k v']]);
  });

  it('leaves no listener and no gate when it has ended', () => {
    const engine = new Engine();
    const client = new EngineClient(engine);
    client.run('WATCH a', 'MULTI', 'EXEC');
    assert.equal(client.session.gates, 0);
    assert.equal(engine.keyspace.effects.watching, false);
    client.run('WATCH a', 'SET a 1');
    assert.equal(client.run('MULTI', 'EXEC'), '+OK\r\n*-1\r\n');
    assert.equal(engine.keyspace.effects.watching, false);
  });

  it('fails when a watched key expires, whether or not it has been deleted', () => {
    const clock = new ManualClock();
    const engine = new Engine({ clock });
    const client = new EngineClient(engine);
    client.run('SET a 1 PX 10', 'WATCH a', 'MULTI');
    clock.advance(20);
    assert.equal(client.run('EXEC'), '*-1\r\n');
  });
});

describe('a message', () => {
  it('is the same buffer for all subscribers of one protocol', () => {
    const engine = new Engine();
    const clients = [2, 2, 3, 3].map((protocol) => new EngineClient(engine, protocol as 2 | 3));
    for (const client of clients) client.run('SUBSCRIBE a');
    for (const client of clients) client.received();
    assert.equal(new EngineClient(engine).run('PUBLISH a hello'), ':4\r\n');
    const [first, second, third, fourth] = clients.map((client) => client.pieces[0]);
    assert.equal(first, second);
    assert.equal(third, fourth);
    assert.equal(first?.toString(), '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$5\r\nhello\r\n');
    assert.equal(third?.toString(), '>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$5\r\nhello\r\n');
  });

  it('is forwarded to replicas only', () => {
    const engine = new Engine();
    const batches = recordBatches(engine);
    new EngineClient(engine).run('PUBLISH a b');
    assert.deepEqual(batches, [['PUBLISH a b (replicas)']]);
  });

  it('survives the error of the command in which it was sent', () => {
    const clock = new ManualClock();
    const engine = new Engine({ clock });
    engine.settings.set([['notify-keyspace-events', 'Ex']]);
    const client = new EngineClient(engine, 3);
    client.run('SUBSCRIBE __keyevent@0__:expired', 'RPUSH l a', 'SET x 1 PX 1');
    clock.advance(5);
    assert.equal(
      client.run('SINTER x l'),
      '>3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:expired\r\n$1\r\nx\r\n' +
        '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n',
    );
  });

  it('is not sent to closed sessions', () => {
    const engine = new Engine();
    const client = new EngineClient(engine);
    client.run('SUBSCRIBE a', 'PSUBSCRIBE a*', 'SSUBSCRIBE a');
    engine.closeSession(client.session);
    assert.equal(new EngineClient(engine).run('PUBLISH a x', 'SPUBLISH a x'), ':0\r\n:0\r\n');
    assert.equal(new EngineClient(engine).run('PUBSUB CHANNELS', 'PUBSUB NUMPAT'), '*0\r\n:0\r\n');
  });
});

describe('tracking', () => {
  it('keeps at most `tracking-table-max-keys` keys', () => {
    const engine = new Engine();
    engine.settings.set([['tracking-table-max-keys', '3']]);
    const client = new EngineClient(engine, 3);
    client.run('CLIENT TRACKING ON', 'MGET a b c d e');
    assert.equal(engine.tracking.keyCount, 5);
    const replies = client.run('PING', 'PING');
    assert.equal(engine.tracking.keyCount, 3);
    assert.equal(
      replies,
      '>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nb\r\n+PONG\r\n+PONG\r\n',
    );
    assert.equal(engine.gates, 0);
  });

  it('forgets keys beyond the limit even if no client sends anything', () => {
    const engine = new Engine();
    const client = new EngineClient(engine, 3);
    client.run('CLIENT TRACKING ON', 'MGET a b c', 'CONFIG SET tracking-table-max-keys 1');
    engine.background.tick();
    assert.equal(engine.tracking.keyCount, 1);
  });

  it('does not search the table from its front for each key beyond the limit', (t) => {
    const engine = new Engine();
    engine.settings.set([['tracking-table-max-keys', '100']]);
    const client = new EngineClient(engine, 3);
    client.run('CLIENT TRACKING ON');
    const searches = t.mock.method(Map.prototype, 'keys');
    for (let i = 0; i < 1000; i++) client.run(`GET ${i}`);
    client.run('PING', 'FLUSHALL');
    for (let i = 0; i < 1000; i++) client.run(`GET ${i}`);
    client.run('PING');
    const callCount = searches.mock.callCount();
    searches.mock.restore();
    assert.equal(engine.tracking.keyCount, 100);
    assert.ok(callCount < 10, `${callCount} searches`);
  });

  it('counts the table as used memory', () => {
    const engine = new Engine();
    const before = engine.usedMemory;
    const clients = [new EngineClient(engine, 3), new EngineClient(engine, 3)];
    for (const client of clients) {
      client.run('CLIENT TRACKING ON');
      for (let i = 0; i < 1000; i++) client.run(`GET key:${i}`, `GET key:${i}`);
    }
    assert.equal(engine.tracking.keyCount, 1000);
    assert.equal(engine.tracking.itemCount, 2000);
    assert.ok(engine.usedMemory - before > 50_000);
    new EngineClient(engine).run('SET key:1 x');
    assert.equal(engine.tracking.itemCount, 1998);
    for (const client of clients) engine.closeSession(client.session);
    new EngineClient(engine).run('FLUSHALL');
    assert.equal(engine.usedMemory, before);
  });

  it('tells broadcasting clients of each of their prefixes that a key begins with', () => {
    const engine = new Engine();
    const all = new EngineClient(engine, 3);
    const some = new EngineClient(engine, 3);
    all.run('CLIENT TRACKING ON BCAST');
    some.run('CLIENT TRACKING ON BCAST PREFIX ab PREFIX b PREFIX cde');
    const other = new EngineClient(engine);
    const keysTold = (client: EngineClient): string =>
      client
        .received()
        .split('\r\n')
        .filter((line) => /^[a-d]/.test(line))
        .join(' ');
    other.run('SET a 1', 'SET ab 1', 'SET abc 1', 'SET b:1 1', 'SET cd 1', 'SET cdef 1');
    assert.equal(keysTold(all), 'a ab abc b:1 cd cdef');
    assert.equal(keysTold(some), 'ab abc b:1 cdef');
    engine.closeSession(some.session);
    assert.equal(engine.tracking.prefixCount, 1);
  });

  it('listens to changes only while a client tracks', () => {
    const engine = new Engine();
    const client = new EngineClient(engine, 3);
    client.run('CLIENT TRACKING ON', 'GET a');
    assert.equal(engine.keyspace.effects.watching, true);
    engine.closeSession(client.session);
    new EngineClient(engine).run('SET a 1');
    assert.equal(engine.keyspace.effects.watching, false);
    assert.equal(engine.tracking.itemCount, 0);
  });

  it('notifies broadcasting clients once per turn, with the keys in order', () => {
    const engine = new Engine();
    const client = new EngineClient(engine, 3);
    client.run('CLIENT TRACKING ON BCAST');
    new EngineClient(engine).run('SET b 1', 'SET a 1', 'SET b 2');
    assert.equal(client.received(), '>2\r\n$10\r\ninvalidate\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n');
  });
});

describe('MONITOR', () => {
  it('shows the time in microseconds, the database, the address and the arguments', () => {
    const clock = new ManualClock(1_339_518_083_107);
    const engine = new Engine({ clock });
    const monitor = new EngineClient(engine);
    monitor.run('MONITOR');
    clock.advance(0.042);
    new EngineClient(engine).run('keys *');
    assert.equal(monitor.received(), '+1339518083.107042 [0 127.0.0.1:1] "keys" "*"\r\n');
  });
});

test('each engine draws its own hash key, and an injected random source decides it', () => {
  const keyOf = (engine: Engine) => engine.database(0).keyedHash;
  assert.notDeepEqual(keyOf(new Engine()), keyOf(new Engine()));
  const injected = () => new Engine({ random: seededRandom(1) });
  assert.deepEqual(keyOf(injected()), keyOf(injected()));
});
