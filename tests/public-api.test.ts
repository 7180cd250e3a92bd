import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import * as ioredis from 'ioredis';
import { consoleHandler, console as openConsole } from '../src/console/index.js';
import { Bytes, Engine, RespWriter, silentSink } from '../src/engine/index.js';
import { serve } from '../src/server/index.js';
import { open } from '../src/store/index.js';
import { replaceIoredis, sharedStore } from '../src/testing/index.js';

describe('sorrel/engine', () => {
  it('runs the example of its documentation', () => {
    const engine = new Engine();
    const session = engine.openSession(silentSink);
    const replies = new RespWriter();
    engine.beginTurn();
    engine.execute(session, [Bytes.of('SET'), Bytes.of('greeting'), Bytes.of('hello')], 3, replies);
    engine.execute(session, [Bytes.of('GET'), Bytes.of('greeting')], 2, replies);
    engine.endTurn();
    assert.equal(replies.copyFrom(0).toString(), '+OK\r\n$5\r\nhello\r\n');
    engine.close();
  });

  it('keeps engines of one process apart', () => {
    const [one, other] = [new Engine(), new Engine()];
    const replies = new RespWriter();
    const run = (engine: Engine, ...words: string[]): void =>
      engine.execute(engine.openSession(silentSink), words.map(Bytes.of), words.length, replies);
    run(one, 'SET', 'key', 'value');
    run(other, 'EXISTS', 'key');
    assert.equal(replies.copyFrom(0).toString(), '+OK\r\n:0\r\n');
    one.close();
    other.close();
  });
});

describe('sorrel/server', () => {
  const port = 23_000 + (process.pid % 5_000);

  it('runs the example of its documentation', async () => {
    await using server = await serve({ port, maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
    const client = connect(server.port, '127.0.0.1');
    client.write('CONFIG GET maxmemory\r\n');
    const [reply] = (await once(client, 'data')) as [Buffer];
    client.destroy();
    assert.equal(reply.toString(), '*2\r\n$9\r\nmaxmemory\r\n$9\r\n104857600\r\n');
  });

  it('names a setting that does not exist, and one whose value does not fit', async () => {
    await assert.rejects(serve({ prot: 1 }), /'prot'.*no such setting/);
    await assert.rejects(
      serve({ maxmemory: 'much' }),
      /'maxmemory' cannot be 'much': argument must be a memory value/,
    );
    await assert.rejects(serve({ port: 0 }), { code: 'SETTING', setting: 'port', message: /set 'port'/ });
  });
});

describe('sorrel/testing', () => {
  it('runs the example of its documentation', async () => {
    const { Redis } = replaceIoredis(ioredis);
    const client = new Redis('redis://cache.example:6379');
    await client.set('greeting', 'hello');
    assert.equal(await sharedStore().get('greeting'), 'hello');
    await sharedStore().close();
  });
});

describe('sorrel/console', () => {
  it('runs the examples of its documentation', async () => {
    const store = await open();
    {
      await using board = await openConsole(store, { port: 0, readOnly: true });
      assert.match(board.address, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/);
      assert.equal((await fetch(board.address)).status, 200);
    }
    const handler = consoleHandler(store, {
      basePath: '/redis',
      authorize: (request) => (request.headers['x-user'] === 'ann' ? 'all' : 'none'),
    });
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: served } = server.address() as AddressInfo;
    const ask = (user: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${served}/redis/`, { headers: { 'x-user': user } });
    assert.equal((await ask('ann')).status, 200);
    assert.equal((await ask('bob')).status, 403);
    handler.close();
    server.close();
    server.closeAllConnections();
    await store.close();
  });
});

describe('sorrel/kit', () => {
  it('does not publish what its components share among themselves', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    assert.equal(exports['./kit/foundation'], null);
    assert.throws(() => import.meta.resolve?.('sorrel/kit/foundation'), {
      code: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    });
  });
});
