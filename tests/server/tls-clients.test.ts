import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { serve } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import { follow, QUICK, until, untilEqual, untilUp } from '../replication/support.js';
import { Certificates, noOpensslReason } from '../support/certificates.js';
import { ask, type Server, startRedis, startSentinel, startSorrel } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { noRedisReason } from '../support/fleet/standalone.js';

const run = promisify(execFile);

interface TlsServer extends Server {
  readonly tlsPort: number;
}

describe('TLS between real programs', { skip: noOpensslReason ?? noRedisReason ?? false }, () => {
  const certificates = new Certificates();
  const { authority } = certificates;
  const identity = certificates.issue('server');
  const stranger = certificates.newAuthority('stranger');
  const client = certificates.issue('client');
  const clientTls = { ca: authority.cert, cert: client.cert, key: client.key };
  let redis: TlsServer;
  let sorrel: TlsServer;

  async function start(program: typeof startRedis): Promise<TlsServer> {
    const tlsPort = await freePort();
    const server = await program([
      ...QUICK,
      ...['--tls-port', String(tlsPort), '--tls-replication', 'yes'],
      ...['--tls-cert-file', identity.certFile, '--tls-key-file', identity.keyFile],
      ...['--tls-ca-cert-file', authority.certFile],
    ]);
    return Object.assign(server, { tlsPort });
  }

  before(async () => {
    [redis, sorrel] = await Promise.all([start(startRedis), start(startSorrel)]);
  });
  after(async () => {
    await Promise.all([redis?.stop(), sorrel?.stop()]);
    certificates.remove();
  });

  it('CONFIG replies as Redis does', async () => {
    const lines = [
      ['GET', 'tls-*'],
      ['SET', 'tls-cert-file', 'nowhere'],
      ['SET', 'tls-cert-file', identity.certFile],
      ['SET', 'tls-cert-file', ''],
      ['SET', 'tls-key-file', authority.keyFile],
      ['SET', 'tls-protocols', 'TLSv1.9'],
      ['SET', 'tls-protocols', 'TLSv1.2  TLSv1.3'],
      ['SET', 'tls-protocols', 'tlsv1.2 TLSV1.3'],
      ['SET', 'tls-protocols', ''],
      ['SET', 'tls-ciphers', 'nothing'],
      ['SET', 'tls-ciphers', 'TLS_AES_128_GCM_SHA256'],
      ['SET', 'tls-ciphers', 'ECDHE-ECDSA-AES128-GCM-SHA256:nothing'],
      ['SET', 'tls-ciphersuites', 'nothing'],
      ['SET', 'tls-ciphersuites', 'TLS_AES_128_GCM_SHA256'],
      ['SET', 'tls-ciphers', '', 'tls-ciphersuites', ''],
      ['SET', 'tls-dh-params-file', authority.certFile],
      ['SET', 'tls-ca-cert-file', identity.keyFile],
      ['SET', 'tls-ca-cert-file', ''],
      ['SET', 'tls-ca-cert-dir', '/nowhere', 'tls-ca-cert-file', ''],
      ['SET', 'tls-ca-cert-dir', '', 'tls-ca-cert-file', authority.certFile],
      ['SET', 'tls-auth-clients', 'maybe'],
      ['SET', 'tls-auth-clients', 'OPTIONAL'],
      ['SET', 'tls-auth-clients', 'yes'],
      ['SET', 'tls-session-cache-size', '-1'],
      ['SET', 'tls-session-caching', 'no', 'tls-session-caching', 'yes'],
      ['SET', 'tls-client-cert-file', client.certFile, 'tls-client-key-file', identity.keyFile],
      ['SET', 'tls-port', '70000'],
    ];
    for (const line of lines) {
      const [theirs, ours] = await Promise.all(
        [redis, sorrel].map(({ port }) =>
          ask(port, 'CONFIG', ...line).catch((error: Error) => error.message),
        ),
      );
      if (line[0] !== 'GET') assert.deepEqual(ours, theirs, line.join(' '));
      else assert.deepEqual(pairsOf(ours, sorrel.tlsPort), pairsOf(theirs, redis.tlsPort));
    }
  });

  it('redis-cli connects with its certificate, and is refused without one or with a foreign one', async () => {
    const cli = (...words: string[]): Promise<string> =>
      run('redis-cli', [
        '-p',
        String(sorrel.tlsPort),
        '--tls',
        '--cacert',
        authority.certFile,
        ...words,
      ]).then(
        ({ stdout }) => stdout.trim(),
        ({ stdout, stderr }) => `${stdout}${stderr}`.trim(),
      );
    assert.equal(await cli('--cert', client.certFile, '--key', client.keyFile, 'PING'), 'PONG');
    assert.notEqual(await cli('PING'), 'PONG');
    const foreign = certificates.issue('foreign', {}, stranger);
    assert.notEqual(await cli('--cert', foreign.certFile, '--key', foreign.keyFile, 'PING'), 'PONG');
  });

  it('ioredis and node-redis are served, also with blocking commands and subscriptions', async () => {
    const ioredis = new Redis({ port: sorrel.tlsPort, host: '127.0.0.1', tls: clientTls });
    const nodeRedis = createClient({
      socket: { port: sorrel.tlsPort, host: '127.0.0.1', tls: true, ...clientTls },
    });
    try {
      await nodeRedis.connect();
      const subscriber = nodeRedis.duplicate();
      await subscriber.connect();
      const heard = new Promise<string>((resolve) => void subscriber.subscribe('news', resolve));
      const popped = ioredis.blpop('jobs', 5);
      await nodeRedis.rPush('jobs', 'one');
      assert.deepEqual(await popped, ['jobs', 'one']);
      while ((await ioredis.publish('news', 'hello')) === 0);
      assert.equal(await heard, 'hello');
      await subscriber.close();
    } finally {
      ioredis.disconnect();
      nodeRedis.destroy();
    }
  });

  it('a store connects to both with the option tls, and says why it cannot', async () => {
    for (const { tlsPort } of [redis, sorrel]) {
      const address = `rediss://localhost:${tlsPort}`;
      await using store = await open(address, { tls: clientTls });
      await store.set('from', 'store');
      assert.equal(await store.get('from'), 'store');
      await using other = await store.duplicate();
      assert.equal(await other.get('from'), 'store');
      await assert.rejects(open(address, { tls: { ...clientTls, ca: stranger.cert } }), {
        code: 'UNREACHABLE',
        message: /certificate/,
      });
      await assert.rejects(open(address), { code: 'UNREACHABLE', message: /certificate/ });
      await assert.rejects(open(address, { tls: { ...clientTls, servername: 'other.example' } }), {
        code: 'UNREACHABLE',
        message: /other\.example/,
      });
    }
    await assert.rejects(open('redis://localhost', { tls: {} }), { code: 'OPTION', message: /rediss:/ });
    await assert.rejects(open('rediss://localhost', { tls: { cert: 5 } as never }), {
      code: 'OPTION',
      message: /'cert' is a text in PEM format/,
    });
    await assert.rejects(open('rediss://localhost', { tls: { certificate: 'x' } as never }), {
      code: 'OPTION',
      message: /'certificate' is unknown/,
    });
  });

  it('replicas of both kinds follow masters of both kinds with tls-replication', async () => {
    for (const [master, replica] of [
      [redis, sorrel],
      [sorrel, redis],
    ] as const) {
      await ask(master.port, 'SET', `from:${master.name}`, 'x'.repeat(100_000));
      await follow(replica, master.tlsPort);
      await untilUp(replica);
      await ask(master.port, 'RPUSH', 'list', 'a', 'b');
      await untilEqual(master, replica);
      const info = String(await ask(master.port, 'INFO', 'replication'));
      assert.match(info, new RegExp(`slave0:ip=127.0.0.1,port=${replica.tlsPort},state=online`));
      await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
    }
  });

  it('a Sentinel watches a master by TLS, and a store finds the master through it', async () => {
    const tlsPort = await freePort();
    const sentinel = await startSentinel('sorrel', [
      `tls-port ${tlsPort}`,
      'tls-replication yes',
      `tls-cert-file ${identity.certFile}`,
      `tls-key-file ${identity.keyFile}`,
      `tls-ca-cert-file ${authority.certFile}`,
      `sentinel monitor primary 127.0.0.1 ${redis.tlsPort} 1`,
    ]);
    try {
      await using store = await open(`rediss+sentinel://127.0.0.1:${tlsPort}/primary`, { tls: clientTls });
      await store.set('by', 'sentinel');
      assert.equal(await ask(redis.port, 'GET', 'by'), 'sentinel');
      await until(
        'the Sentinel has seen the master',
        () => ask(sentinel.port, 'SENTINEL', 'MASTER', 'primary'),
        (fields) =>
          /,flags,master,.*,role-reported,master,/.test(String(fields)) &&
          /,runid,\w{40},/.test(String(fields)),
      );
    } finally {
      await sentinel.stop();
    }
  });

  it('an embedded replica follows a master with TLS', async () => {
    await ask(redis.port, 'SET', 'greeting', 'hello');
    const replicaOf = `rediss://localhost:${redis.tlsPort}`;
    await using store = await open('memory:', { replicaOf, tls: clientTls });
    assert.equal(store.sync.get('greeting'), 'hello');
    await assert.rejects(open('memory:', { replicaOf: `redis://localhost:${redis.port}`, tls: clientTls }), {
      code: 'OPTION',
      message: /rediss:/,
    });
  });

  it('an embedded store and serve() accept clients with certificates of the program', async () => {
    await using store = await open();
    const { cert, key } = identity;
    await using listener = await store.listen({ port: 0, tls: { cert, key, ca: authority.cert } });
    assert.match(listener.address, /^rediss:\/\/127\.0\.0\.1:\d+$/);
    await using remote = await open(listener.address, { tls: clientTls });
    await remote.set('key', 'value');
    assert.equal(await store.get('key'), 'value');
    await assert.rejects(open(listener.address, { tls: { ca: authority.cert } }), { code: 'UNREACHABLE' });
    await assert.rejects(store.listen({ port: 0, tls: { cert, key: authority.key } }), {
      code: 'OPTION',
      message: /key values mismatch/,
    });
    const [port, tlsPort] = [await freePort(), await freePort()];
    await using only = await serve({ port, tls: { cert, key } });
    assert.deepEqual([only.port, only.tlsPort], [port, port]);
    await using both = await serve({ port: tlsPort, 'tls-port': sorrel.port + 1, tls: { cert, key } });
    assert.deepEqual([both.port, both.tlsPort], [tlsPort, sorrel.port + 1]);
    for (const { tlsPort: served } of [only, both]) {
      await using served_ = await open(`rediss://127.0.0.1:${served}`, { tls: { ca: authority.cert } });
      assert.equal(await served_.ping(), 'PONG');
    }
    await assert.rejects(serve({ port: 0, 'tls-port': port, 'tls-cert-file': 'nowhere' }), {
      code: 'SETTING',
      message: /TLS cannot be configured/,
    });
  });
});

/** The settings of CONFIG GET, without the port and the names of files. */
function pairsOf(reply: unknown, port: number): Record<string, string> {
  const words = reply as string[];
  const pairs: Record<string, string> = {};
  for (let i = 0; i < words.length; i += 2) {
    const value = words[i + 1] as string;
    pairs[words[i] as string] = value === String(port) ? 'its port' : value;
  }
  return pairs;
}
