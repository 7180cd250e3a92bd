import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { Certificates, noOpensslReason } from '../support/certificates.js';
import { ask, type Server, startRedis, startSorrel } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { noRedisReason } from '../support/fleet/standalone.js';

/** A client with TLS that reads replies of one line. */
class LineClient {
  readonly #socket: TLSSocket;
  #text = '';

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#text += chunk;
    });
  }

  /** `first` is sent with the end of the handshake. */
  static async connect(port: number, ca: string, versions: object = {}, first = ''): Promise<LineClient> {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost', ...versions });
    if (first !== '') socket.write(first);
    await once(socket, 'secureConnect');
    return new LineClient(socket);
  }

  send(command: string): void {
    this.#socket.write(`${command}\r\n`);
  }

  async next(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return line;
      }
      await once(this.#socket, 'data', { signal: AbortSignal.timeout(20_000) });
    }
  }

  call(command: string): Promise<string> {
    this.send(command);
    return this.next();
  }

  close(): void {
    this.#socket.destroy();
  }
}

describe('Clients with TLS while a script is slow', {
  skip: noOpensslReason ?? noRedisReason ?? false,
}, () => {
  const certificates = new Certificates();
  const { authority } = certificates;
  const identity = certificates.issue('server');
  const servers: (Server & { readonly tlsPort: number })[] = [];

  before(async () => {
    for (const program of [startRedis, startSorrel]) {
      const tlsPort = await freePort();
      const server = await program([
        ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--busy-reply-threshold', '20'],
        ...['--tls-cert-file', identity.certFile, '--tls-key-file', identity.keyFile],
        ...['--tls-ca-cert-file', authority.certFile],
      ]);
      servers.push(Object.assign(server, { tlsPort }));
    }
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    certificates.remove();
  });

  /** Starts a script that does not end, by a client with TLS, and returns when a plain client gets BUSY. */
  async function startSlowScript({ port, tlsPort }: { port: number; tlsPort: number }): Promise<LineClient> {
    const running = await LineClient.connect(tlsPort, authority.cert);
    running.send('EVAL "while true do end" 0');
    for (;;) {
      const reply = await ask(port, 'PING').catch((error: Error) => error.message);
      if (String(reply).includes('BUSY')) return running;
    }
  }

  it('are forgotten at once when they close the connection during the handshake', async () => {
    const { port, tlsPort } = servers[1] as (typeof servers)[number];
    for (let i = 0; i < 20; i++) {
      const socket = connectPlainly(tlsPort, '127.0.0.1');
      await once(socket, 'connect');
      // The beginning of a record of the handshake.
      socket.write(Buffer.from([22, 3, 1, 0, 200, 1]));
      socket.destroy();
    }
    // They would count towards maxclients.
    assert.equal(await ask(port, 'CONFIG', 'SET', 'maxclients', '10'), 'OK');
    const giveUpAt = Date.now() + 5_000;
    for (;;) {
      try {
        const client = await LineClient.connect(tlsPort, authority.cert);
        assert.equal(await client.call('PING'), '+PONG');
        client.close();
        break;
      } catch (error) {
        if (Date.now() > giveUpAt) throw error;
      }
    }
    await ask(port, 'CONFIG', 'SET', 'maxclients', '1000');
  });

  it('get BUSY for each command, and one of them can end the script', async () => {
    for (const server of servers) {
      const before = await LineClient.connect(server.tlsPort, authority.cert);
      assert.equal(await before.call('PING'), '+PONG');
      const running = await startSlowScript(server);
      for (let i = 0; i < 5; i++) assert.match(await before.call('GET key'), /^-BUSY /, server.name);
      before.send(`GET key\r\n*2\r\n$4\r\nECHO\r\n$100000\r\n${'x'.repeat(100_000)}\r\nGET key`);
      for (let i = 0; i < 3; i++) assert.match(await before.next(), /^-BUSY /, server.name);
      assert.equal(await before.call('SCRIPT KILL'), '+OK', server.name);
      assert.match(await running.next(), /^-ERR .*Script killed by user/, server.name);
      for (const client of [before, running]) {
        assert.equal(await client.call('PING'), '+PONG', server.name);
        client.close();
      }
    }
  });

  it('get BUSY for commands that come with the end of the handshake', async () => {
    for (const server of servers) {
      const running = await startSlowScript(server);
      const clients = await Promise.all(
        Array.from({ length: 5 }, () =>
          LineClient.connect(server.tlsPort, authority.cert, {}, 'GET key\r\nPING\r\n'),
        ),
      );
      for (const client of clients) {
        for (let i = 0; i < 2; i++) assert.match(await client.next(), /^-BUSY /, server.name);
      }
      assert.equal(await clients[0]?.call('SCRIPT KILL'), '+OK', server.name);
      assert.match(await running.next(), /^-ERR .*Script killed by user/, server.name);
      for (const client of [...clients, running]) {
        assert.equal(await client.call('PING'), '+PONG', server.name);
        client.close();
      }
    }
  });

  it('are served in order, with requests and replies of any size, after a slow script', async () => {
    const { tlsPort } = servers[1] as (typeof servers)[number];
    const client = await LineClient.connect(tlsPort, authority.cert);
    const value = 'x'.repeat(300_000);
    for (let i = 0; i < 20; i++) {
      client.send(`*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$300000\r\n${value}\r\nGET key\r\nECHO ${i}`);
      assert.equal(await client.next(), '+OK');
      assert.equal(await client.next(), '$300000');
      assert.equal(await client.next(), value);
      assert.equal(await client.next(), `$${String(i).length}`);
      assert.equal(await client.next(), String(i));
    }
    client.close();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`can connect with ${version}, and are served as before when the script has ended`, async () => {
      for (const server of servers) {
        const running = await startSlowScript(server);
        const versions = { minVersion: version, maxVersion: version };
        const clients = await Promise.all(
          Array.from({ length: 5 }, () => LineClient.connect(server.tlsPort, authority.cert, versions)),
        );
        for (const client of clients) assert.match(await client.call('PING'), /^-BUSY /, server.name);
        assert.equal(await clients[0]?.call('SCRIPT KILL'), '+OK', server.name);
        assert.match(await running.next(), /^-ERR .*Script killed by user/, server.name);
        for (const client of [...clients, running]) {
          for (let i = 0; i < 3; i++) assert.equal(await client.call('PING'), '+PONG', server.name);
          client.close();
        }
      }
    });
  }
});
