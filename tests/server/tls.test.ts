import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { connect as connectPlainly, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Certificates, type Identity, noOpensslReason } from '../support/certificates.js';
import { freePort } from '../support/fleet/server-process.js';
import { startServer, TestClient, type TestServer } from './support.js';

/** Resolves when the socket is closed, with or without an error. */
function closing(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('TLS', { skip: noOpensslReason ?? false }, () => {
  const certificates = new Certificates();
  after(() => certificates.remove());
  const own = certificates.issue('server');
  const authority = certificates.authority;

  function tlsSettings(identity: Identity): Record<string, string> {
    return {
      bind: '127.0.0.1',
      'tls-cert-file': identity.certFile,
      'tls-key-file': identity.keyFile,
      'tls-ca-cert-file': authority.certFile,
      'tls-auth-clients': 'no',
    };
  }

  interface TlsTestServer extends TestServer {
    readonly tlsPort: number;
    connectSecurely(options?: ConnectionOptions): Promise<TestClient>;
    /** `connected`, or why not. */
    attempt(options?: ConnectionOptions): Promise<string>;
  }

  async function startTls(t: TestContext, values: Record<string, string> = {}): Promise<TlsTestServer> {
    const tlsPort = await freePort();
    const server = await startServer(t, { ...tlsSettings(own), 'tls-port': String(tlsPort), ...values });
    const socketWith = (options: ConnectionOptions): TLSSocket => {
      const socket = connect({ port: tlsPort, host: '127.0.0.1', ca: authority.cert, ...options });
      t.after(() => socket.destroy());
      return socket;
    };
    return {
      ...server,
      tlsPort,
      async connectSecurely(options = {}) {
        const client = new TestClient(socketWith(options));
        await once(client.socket, 'secureConnect');
        return client;
      },
      async attempt(options = {}) {
        const socket = socketWith(options);
        const client = new TestClient(socket);
        const failure = new Promise<string>((resolve) => {
          socket.once('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message));
          socket.once('close', () => resolve('closed'));
        });
        client.send('PING');
        return Promise.race([
          failure,
          client.next().then((reply) => (reply === 'PONG' ? 'connected' : failure)),
        ]);
      },
    };
  }

  it('serves plain and encrypted clients at the same time', async (t) => {
    const port = await freePort();
    const server = await startTls(t, { port: String(port) });
    const secure = await server.connectSecurely();
    const plain = new TestClient(connectPlainly(port, '127.0.0.1'));
    t.after(() => plain.socket.destroy());
    assert.equal(await secure.call('SET', 'key', 'value'), 'OK');
    assert.equal(await plain.call('GET', 'key'), 'value');
    const line = String(await secure.call('CLIENT', 'INFO'));
    assert.match(line, new RegExp(` laddr=127\\.0\\.0\\.1:${server.tlsPort} fd=\\d+ `));
    assert.match(String(await plain.call('INFO', 'server')), new RegExp(`tcp_port:${port}\r`));
  });

  it('can be the only way in, with port 0', async (t) => {
    const server = await startTls(t);
    const client = await server.connectSecurely();
    assert.match(String(await client.call('INFO', 'server')), new RegExp(`tcp_port:${server.tlsPort}\r`));
    assert.equal(await client.call('CONFIG', 'SET', 'tls-port', '0'), 'OK');
    assert.equal(await client.call('PING'), 'PONG', 'clients stay connected');
    assert.equal(await server.attempt(), 'ECONNREFUSED');
    assert.equal(await client.call('CONFIG', 'SET', 'tls-port', String(server.tlsPort)), 'OK');
    assert.equal(await server.attempt(), 'connected');
  });

  it('carries pipelines, large requests and large replies, and answers a client that has closed its end', async (t) => {
    const server = await startTls(t);
    const client = await server.connectSecurely({ allowHalfOpen: true } as ConnectionOptions);
    const large = 'x'.repeat(5_000_000);
    for (let i = 0; i < 2000; i++) client.send('RPUSH', 'list', `element:${i}`);
    client.send('SET', 'large', large);
    client.send('GET', 'large');
    client.send('LRANGE', 'list', '0', '-1');
    client.socket.end();
    for (let i = 0; i < 2000; i++) assert.equal(await client.next(), i + 1);
    assert.equal(await client.next(), 'OK');
    assert.equal(await client.next(), large);
    assert.equal(((await client.next()) as string[]).length, 2000);
    await client.closed();
  });

  it('no longer knows a client whose last reply has arrived', async (t) => {
    const server = await startTls(t);
    const client = await server.connectSecurely();
    const id = Number(await client.call('CLIENT', 'ID'));
    const known = new Promise((resolve) =>
      client.socket.once('data', () => resolve(server.engine.session(id))),
    );
    client.send('QUIT');
    assert.equal(await known, undefined);
    await client.closed();
  });

  it('asks for certificates as tls-auth-clients says', async (t) => {
    const server = await startTls(t);
    const stranger = certificates.newAuthority('stranger');
    const shown: Record<string, Identity | undefined> = {
      none: undefined,
      good: certificates.issue('client'),
      foreign: certificates.issue('foreign', {}, stranger),
      expired: certificates.issue('expired', { days: -1 }),
    };
    const inside = await server.connect();
    const outcomes: Record<string, string> = {};
    for (const mode of ['no', 'optional', 'yes']) {
      assert.equal(await inside.call('CONFIG', 'SET', 'tls-auth-clients', mode), 'OK');
      const accepted: string[] = [];
      for (const [name, identity] of Object.entries(shown)) {
        const options = identity === undefined ? {} : { cert: identity.cert, key: identity.key };
        if ((await server.attempt(options)) === 'connected') accepted.push(name);
      }
      outcomes[mode] = accepted.join(' ');
    }
    assert.deepEqual(outcomes, { no: 'none good foreign expired', optional: 'none good', yes: 'good' });
  });

  it('shows a certificate that clients can check', async (t) => {
    const server = await startTls(t);
    assert.equal(await server.attempt({ ca: own.cert }), 'SELF_SIGNED_CERT_IN_CHAIN');
    assert.equal(await server.attempt({ servername: 'other.example' }), 'ERR_TLS_CERT_ALTNAME_INVALID');
    const expired = certificates.issue('expired', { days: -1 });
    const inside = await server.connect();
    await inside.call(
      ...['CONFIG', 'SET', 'tls-cert-file', expired.certFile, 'tls-key-file', expired.keyFile],
    );
    assert.equal(await server.attempt(), 'CERT_HAS_EXPIRED');
  });

  it('reloads certificates, also under the same names, and existing clients stay', async (t) => {
    const files = [join(certificates.folder, 'live.crt'), join(certificates.folder, 'live.key')] as const;
    const put = ({ certFile, keyFile }: Identity): void => {
      copyFileSync(certFile, files[0]);
      copyFileSync(keyFile, files[1]);
    };
    put(own);
    const server = await startTls(t, { 'tls-cert-file': files[0], 'tls-key-file': files[1] });
    const nameOf = ({ socket }: TestClient): unknown => (socket as TLSSocket).getPeerCertificate().subject.CN;
    const first = await server.connectSecurely();
    assert.equal(nameOf(first), 'server');
    put(certificates.issue('renewed'));
    assert.equal(nameOf(await server.connectSecurely()), 'server');
    assert.equal(await first.call('CONFIG', 'SET', 'tls-cert-file', files[0]), 'OK');
    assert.equal(nameOf(await server.connectSecurely()), 'renewed');
    const other = certificates.issue('other');
    const pair = ['tls-key-file', other.keyFile, 'tls-cert-file', other.certFile];
    assert.equal(await first.call('CONFIG', 'SET', ...pair), 'OK', 'neither fits the other old one');
    assert.equal(nameOf(await server.connectSecurely()), 'other');
    assert.equal(await first.call('PING'), 'PONG');
  });

  it('keeps its certificates if the new ones cannot be used', async (t) => {
    const log = join(certificates.folder, 'log');
    const server = await startTls(t, { logfile: log, loglevel: 'warning' });
    const client = await server.connectSecurely();
    const locked = certificates.issue('locked', { passphrase: 'secret' });
    const refusals: readonly (readonly [reason: RegExp, ...pairs: string[]])[] = [
      [/Failed to load certificate: nowhere: No such file/, 'tls-cert-file', 'nowhere'],
      [/Failed to load certificate: .*\.key/, 'tls-cert-file', own.keyFile],
      [/Failed to load private key: .*key values mismatch/, 'tls-key-file', authority.keyFile],
      [/No tls-cert-file configured!/, 'tls-cert-file', ''],
      [/Failed to configure CA/, 'tls-ca-cert-file', own.keyFile],
      [/Failed to configure CA/, 'hz', '20', 'tls-ca-cert-file', 'nowhere'],
      [/Invalid tls-protocols/, 'tls-protocols', 'TLSv1.9'],
      [/Failed to configure ciphers: nothing/, 'tls-ciphers', 'nothing'],
      [/Failed to configure ciphersuites: nothing/, 'tls-ciphersuites', 'nothing'],
      [/failed to read DH params/, 'tls-dh-params-file', own.keyFile],
      [/Failed to load private key/, 'tls-cert-file', locked.certFile, 'tls-key-file', locked.keyFile],
      [/Either tls-ca-cert-file or tls-ca-cert-dir/, 'tls-replication', 'yes', 'tls-ca-cert-file', ''],
    ];
    for (const [reason, ...pairs] of refusals) {
      const before = await client.call('CONFIG', 'GET', 'tls-*');
      assert.match(
        String(await client.call('CONFIG', 'SET', ...pairs)),
        /^ERR CONFIG SET failed \(possibly related to argument '[\w-]+'\) - Unable to update TLS configuration\. Check server logs\.$/,
      );
      assert.match(readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '', reason);
      assert.deepEqual(await client.call('CONFIG', 'GET', 'tls-*'), before, 'nothing is changed');
    }
    assert.deepEqual(await client.call('CONFIG', 'GET', 'hz'), ['hz', '10']);
    assert.equal(await server.attempt(), 'connected');
    const unlocked = ['tls-cert-file', locked.certFile, 'tls-key-file', locked.keyFile];
    assert.equal(await client.call('CONFIG', 'SET', ...unlocked, 'tls-key-file-pass', 'secret'), 'OK');
    assert.equal(await server.attempt(), 'connected');
  });

  it('cuts a client that never finishes its handshake, which counts towards maxclients until then', async (t) => {
    const { tlsPort, attempt, clock, engine, server } = await startTls(t, { maxclients: '2' });
    const silent = [connectPlainly(tlsPort, '127.0.0.1'), connectPlainly(tlsPort, '127.0.0.1')];
    const closed = silent.map(closing);
    while (server.handshakes < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await attempt(), 'ECONNRESET');
    clock.advance(9_000);
    engine.background.tick();
    assert.equal(server.handshakes, 2);
    clock.advance(2_000);
    engine.background.tick();
    await Promise.all(closed);
    assert.equal(server.handshakes, 0);
    assert.equal(await attempt(), 'connected');
  });

  it('closes connections that send something else than TLS, and serves the others', async (t) => {
    const { tlsPort, connectSecurely, server } = await startTls(t);
    const client = await connectSecurely();
    for (const bytes of [
      'PING\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      '\x00'.repeat(100_000),
    ]) {
      const socket = connectPlainly({ port: tlsPort, host: '127.0.0.1', allowHalfOpen: false });
      socket.end(Buffer.from(bytes, 'latin1'));
      socket.resume();
      await closing(socket);
    }
    assert.equal(await client.call('PING'), 'PONG');
    assert.equal(server.handshakes, 0);
    assert.equal(server.connections.size, 1);
  });

  it('drops an encrypted subscriber that does not read', async (t) => {
    const server = await startTls(t, { 'client-output-buffer-limit': 'pubsub 1mb 0 0' });
    const subscriber = await server.connectSecurely();
    await subscriber.call('SUBSCRIBE', 'news');
    subscriber.socket.pause();
    const publisher = await server.connect();
    const message = 'x'.repeat(100_000);
    for (let i = 0; i < 200 && (await publisher.call('PUBLISH', 'news', message)) === 1; i++);
    assert.equal(await publisher.call('PUBLISH', 'news', message), 0);
    await subscriber.closed();
  });

  it('closes everything when the server closes', async (t) => {
    const { tlsPort, connectSecurely, server } = await startTls(t);
    const client = await connectSecurely();
    assert.equal(await client.call('PING'), 'PONG');
    const silent = connectPlainly(tlsPort, '127.0.0.1');
    while (server.handshakes === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([server.close(), client.closed(), closing(silent)]);
  });
});
