import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { SOURCE_OPTIONS, sourceModule } from '../../../scripts/transpiled.mjs';
import { Engine } from '../../engine/engine.js';
import { open } from '../open.js';
import { EmbeddedSocket } from './embedded-socket.js';
import { type ConnectorClass, connectorTo } from './ioredis-connector.js';
import { LocalConnections } from './local-connections.js';

const LIMIT = { timeout: 60_000 };

let engine: Engine;
let connections: LocalConnections;
let Connector: ConnectorClass;

beforeEach(() => {
  engine = new Engine();
  connections = new LocalConnections(engine);
  Connector = connectorTo(connections);
});
afterEach(() => {
  connections.close();
  engine.close();
});

/** A socket that has sent a command that blocks, and more commands until it has to wait. */
async function fillBehindBlocking(): Promise<{ socket: EmbeddedSocket; pings: number }> {
  const socket = new EmbeddedSocket(connections);
  const chunk = 'PING\r\n'.repeat(1000);
  socket.write('BLPOP queue 0\r\n');
  let pings = 0;
  for (let isTaken = true; isTaken && pings < 1_000_000; pings += 1000) {
    isTaken = socket.write(chunk);
    await new Promise(setImmediate);
  }
  assert.equal(socket.writableNeedDrain, true);
  const [session] = [...engine.sessions.values()];
  assert.ok((session?.sink.figures?.().queryBuffer ?? 0) < 1 << 17);
  return { socket, pings };
}

describe('a socket whose commands wait behind one that blocks', LIMIT, () => {
  it('takes no more than it has room for, and answers all of it later', async () => {
    const { socket, pings } = await fillBehindBlocking();
    const other = new Redis({ Connector });
    await other.rpush('queue', 'job');
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('+PONG\r\n'.repeat(pings))) break;
    }
    assert.equal(text, `*2\r\n$5\r\nqueue\r\n$3\r\njob\r\n${'+PONG\r\n'.repeat(pings)}`);
    other.disconnect();
  });

  it('is not given anything any more once its user has ended it', async () => {
    const { socket } = await fillBehindBlocking();
    socket.end();
    socket.resume();
    await once(socket, 'close');
    const other = new Redis({ Connector });
    assert.equal(await other.rpush('queue', 'job'), 1);
    assert.equal(await other.lpop('queue'), 'job');
    other.disconnect();
  });
});

describe('ioredis on an engine in the same process', LIMIT, () => {
  it('becomes ready and returns text and bytes unchanged', async () => {
    const redis = new Redis({ Connector, connectionName: 'here' });
    await once(redis, 'ready');
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    await redis.set('text', 'häß €😀');
    await redis.set('bytes', bytes);
    await redis.set(Buffer.from([255]), 'key of bytes');
    assert.equal(await redis.get('text'), 'häß €😀');
    assert.deepEqual(await redis.getBuffer('bytes'), bytes);
    assert.equal(await redis.get(Buffer.from([255])), 'key of bytes');
    assert.match((await redis.client('LIST')) as string, / addr=embedded:0 .* name=here /);
    redis.disconnect();
  });

  it('answers thousands of commands in order, sent in any way', async () => {
    const redis = new Redis({ Connector });
    const piped = new Redis({ Connector, enableAutoPipelining: true });
    const numbers = Array.from({ length: 5000 }, (_, i) => i);
    const [plain, automatic] = await Promise.all(
      [redis, piped].map((client) => Promise.all(numbers.map((i) => client.echo(String(i))))),
    );
    const pipeline = redis.pipeline();
    for (const i of numbers) pipeline.echo(String(i));
    const explicit = (await pipeline.exec())?.map(([, reply]) => reply);
    for (const replies of [plain, automatic, explicit]) assert.deepEqual(replies?.map(Number), numbers);
    redis.disconnect();
    piped.disconnect();
  });

  it('accepts and returns values of megabytes', async () => {
    const redis = new Redis({ Connector });
    const value = Buffer.alloc(5_000_000, 'sorrel ');
    await redis.set('large', value);
    await redis.set('text', value.toString());
    const [first, second] = await Promise.all([redis.getBuffer('large'), redis.getBuffer('text')]);
    assert.ok(first?.equals(value) && second?.equals(value));
    redis.disconnect();
  });

  it('waits for a key while others continue, and then processes the commands that arrived meanwhile', async () => {
    const redis = new Redis({ Connector });
    const waiting = redis.duplicate();
    const popped = waiting.blpop('list', 0);
    const behind = waiting.llen('list');
    while (engine.blockedClients === 0) await redis.ping();
    await redis.rpush('list', 'a', 'b');
    assert.deepEqual(await popped, ['list', 'a']);
    assert.equal(await behind, 1);
    assert.equal(await waiting.blpop('nothing', 0.001), null);
    redis.disconnect();
    waiting.disconnect();
  });

  it('runs transactions, and fails them if a watched key has changed', async () => {
    const redis = new Redis({ Connector });
    const other = redis.duplicate();
    assert.deepEqual(await redis.multi().set('n', 1).incr('n').exec(), [
      [null, 'OK'],
      [null, 2],
    ]);
    await redis.watch('n');
    await other.set('n', 10);
    assert.equal(await redis.multi().incr('n').exec(), null);
    redis.disconnect();
    other.disconnect();
  });

  for (const protocol of [2, 3] as const) {
    it(`receives messages of channels and patterns with RESP${protocol}`, async () => {
      const redis = new Redis({ Connector, protocol });
      const subscriber = redis.duplicate();
      await subscriber.subscribe('news', 'sport');
      await subscriber.psubscribe('n*');
      const seen: string[][] = [];
      const received = new Promise<void>((resolve) => {
        const note = (...parts: string[]): void => {
          if (seen.push(parts) === 3) resolve();
        };
        subscriber.on('message', note);
        subscriber.on('pmessage', note);
      });
      assert.equal(await redis.publish('news', 'one'), 2);
      assert.equal(await redis.publish('sport', 'two'), 1);
      await received;
      assert.deepEqual(seen, [
        ['news', 'one'],
        ['n*', 'news', 'one'],
        ['sport', 'two'],
      ]);
      redis.disconnect();
      subscriber.disconnect();
    });
  }

  it('sees the commands of others with MONITOR', async () => {
    const redis = new Redis({ Connector });
    const monitor = await redis.monitor();
    const shown = once(monitor, 'monitor') as Promise<[string, string[]]>;
    await redis.set('a', 1);
    assert.deepEqual((await shown)[1], ['set', 'a', '1']);
    redis.disconnect();
    monitor.disconnect();
  });

  it('reconnects after its connection was killed', async () => {
    const redis = new Redis({ Connector, retryStrategy: () => 0 });
    const killed = new Redis({ Connector, retryStrategy: () => 0 });
    const id = await killed.client('ID');
    const again = once(killed, 'reconnecting').then(() => once(killed, 'ready'));
    await redis.client('KILL', 'ID', String(id));
    await again;
    assert.notEqual(await killed.client('ID'), id);
    redis.disconnect();
    killed.disconnect();
  });

  it('lets timers run while commands are awaited one after the other', async () => {
    const redis = new Redis({ Connector });
    await once(redis, 'ready');
    let isDue = false;
    setTimeout(() => {
      isDue = true;
    }, 1);
    while (!isDue) await redis.ping();
    redis.disconnect();
  });

  it('sees nothing of another engine', async () => {
    const elsewhere = new LocalConnections(new Engine());
    const redis = new Redis({ Connector });
    const other = new Redis({ Connector: connectorTo(elsewhere) });
    await redis.set('key', 'here');
    assert.equal(await other.exists('key'), 0);
    redis.disconnect();
    elsewhere.close();
    elsewhere.engine.close();
  });

  it('gets no reply before the change is in the file', async () => {
    const redis = new Redis({ Connector });
    await once(redis, 'ready');
    const file = {};
    engine.replyHolders.hold(file);
    let isAnswered = false;
    const answer = redis.set('a', 1).then(() => {
      isAnswered = true;
    });
    while (engine.keyspace.databases[0]?.size === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal(isAnswered, false);
    engine.replyHolders.release(file);
    await answer;
    redis.disconnect();
  });
});

describe('a connection within the process ends', LIMIT, () => {
  it('with QUIT, which is answered', async () => {
    const redis = new Redis({ Connector });
    const ended = once(redis, 'end');
    assert.equal(await redis.quit(), 'OK');
    await ended;
    assert.equal(engine.sessions.size, 0);
  });

  it('with disconnect, also while it waits for a key', async () => {
    const redis = new Redis({ Connector });
    const lost = assert.rejects(redis.blpop('list', 0), /Connection is closed/);
    while (engine.blockedClients === 0) await new Promise(setImmediate);
    redis.disconnect();
    await once(redis, 'end');
    await lost;
    assert.equal(engine.sessions.size + engine.blockedClients, 0);
  });

  it('before its first use', async () => {
    const redis = new Redis({ Connector });
    redis.disconnect();
    await once(redis, 'end');
    const other = new Redis({ Connector });
    await once(other, 'connect');
    other.disconnect();
    await once(other, 'end');
    assert.equal(engine.sessions.size, 0);
  });

  it('permanently when the engine is closed: no client reconnects', async () => {
    const [ready, lazy] = [new Redis({ Connector }), new Redis({ Connector, lazyConnect: true })];
    await ready.ping();
    const lost = assert.rejects(ready.blpop('list', 0), /Connection is closed/);
    while (engine.blockedClients === 0) await new Promise(setImmediate);
    const reconnecting = once(ready, 'reconnecting').then(() => assert.fail('it tried again'));
    connections.close();
    await Promise.race([once(ready, 'end'), reconnecting]);
    await lost;
    assert.equal(engine.sessions.size, 0);
    lazy.on('error', () => {});
    await assert.rejects(lazy.connect(), { code: 'CLOSED', message: /open another one/ });
  });

  it('at once for a store that was opened on it, with its blocked calls', async () => {
    const engine = await open();
    const client = new Redis({ Connector: await engine.connector(), lazyConnect: true });
    const store = await open(client);
    const waiting = assert.rejects(store.blpop('list', 0), { code: 'CLOSED' });
    while ((await engine.info('clients')).blocked_clients !== '1') await new Promise(setImmediate);
    await engine.close();
    const closedAt = performance.now();
    await waiting;
    // Reconnecting would take ten seconds.
    assert.ok(performance.now() - closedAt < 5_000);
    await store.close();
  });

  it('after a protocol error', async () => {
    const socket = new EmbeddedSocket(connections);
    const closed = once(socket, 'close');
    socket.write('PING\r\n*1\r\n$x\r\nPING\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    assert.equal(reply.toString(), '+PONG\r\n-ERR Protocol error: invalid bulk length\r\n');
    await closed;
    assert.equal(engine.sessions.size, 0);
  });
});

describe('a socket within the process', LIMIT, () => {
  it('accepts commands in pieces and in any encoding, answers all, then closes', async () => {
    const socket = new EmbeddedSocket(connections);
    const events: string[] = [];
    for (const name of ['end', 'finish', 'close']) socket.on(name, () => events.push(name));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.write('*2\r\n$4\r\nEC');
    await new Promise(setImmediate);
    socket.write('484f0d0a24330d0a6162', 'hex');
    socket.cork();
    socket.write(Buffer.from('c\r\n'));
    socket.write('PING\r\n');
    socket.uncork();
    socket.end('ECHO last\r\n');
    await once(socket, 'close');
    assert.equal(received, '$3\r\nabc\r\n+PONG\r\n$4\r\nlast\r\n');
    assert.deepEqual(events.sort(), ['close', 'end', 'finish']);
    assert.ok(socket.destroyed);
  });

  it('keeps output until it is read', async () => {
    const socket = new EmbeddedSocket(connections);
    socket.pause();
    socket.write('PING\r\n');
    while (socket.readableLength === 0) await new Promise(setImmediate);
    socket.end('PING\r\n');
    await once(socket, 'finish');
    socket.setEncoding('utf8');
    let received = '';
    for await (const chunk of socket) received += chunk;
    assert.equal(received, '+PONG\r\n+PONG\r\n');
  });

  it('leaves the engine when it is destroyed, and emits the given error', async () => {
    const socket = new EmbeddedSocket(connections);
    const failed = once(socket, 'error');
    socket.destroy(new Error('enough'));
    assert.equal(engine.sessions.size, 0);
    const [error] = (await failed) as [Error];
    assert.equal(error.message, 'enough');
  });

  it('delivers to others even if a listener throws', async () => {
    const { stdout } = await runAlone(`
      const [failing, other] = [new EmbeddedSocket(connections), new EmbeddedSocket(connections)];
      process.on('uncaughtException', ({ message }) => console.log(message));
      failing.on('data', () => { throw new Error('thrown'); });
      other.on('data', (chunk) => { console.log(chunk.toString()); connections.close(); });
      failing.write('PING\\r\\n');
      other.write('PING\\r\\n');
    `);
    assert.equal(stdout, 'thrown\n+PONG\r\n\n');
  });

  it('keeps the process alive until it is closed or unref is called', async () => {
    const { stdout } = await runAlone(`
      const [first, second] = [new EmbeddedSocket(connections), new EmbeddedSocket(connections)];
      first.on('data', (chunk) => { console.log(chunk.toString()); first.end(); });
      first.write('BLPOP nothing 0.05\\r\\n');
      second.unref();
    `);
    assert.equal(stdout, '*-1\r\n\n');
  });
});

/** Runs code in a separate process, which must end by itself. */
function runAlone(code: string): Promise<{ stdout: string }> {
  const prelude = `
    const { Engine } = await import(${moduleAt('../../engine/engine.ts')});
    const { EmbeddedSocket } = await import(${moduleAt('./embedded-socket.ts')});
    const { LocalConnections } = await import(${moduleAt('./local-connections.ts')});
    const engine = new Engine();
    const connections = new LocalConnections(engine);
  `;
  const parameters = [...SOURCE_OPTIONS, '--input-type=module', '--eval', prelude + code];
  return promisify(execFile)(process.execPath, parameters, { timeout: 60_000 });
}

function moduleAt(path: string): string {
  return JSON.stringify(sourceModule(new URL(path, import.meta.url)));
}
