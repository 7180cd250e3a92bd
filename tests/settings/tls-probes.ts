import { constants } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { serve } from '../../src/server/index.js';
import { Certificates, noOpensslReason, openssl } from '../support/certificates.js';
import { freePort } from '../support/fleet/server-process.js';
import type { Probe, Values } from './observing.js';

/** Settings whose effect is visible in TLS connections. */
export const tlsProbes: Readonly<Record<string, Probe>> = noOpensslReason === undefined ? probes() : {};

function probes(): Record<string, Probe> {
  const certificates = new Certificates();
  process.on('exit', () => certificates.remove());
  const { authority, folder } = certificates;
  const own = certificates.issue('server', { kind: 'rsa' });
  const other = certificates.issue('other');
  const otherWithRsa = join(folder, 'same-key.crt');
  const client = certificates.issue('client');
  const lockedClient = certificates.issue('locked', { passphrase: 'secret' });
  const locked = certificates.issue('locked', { kind: 'rsa', passphrase: 'secret' });
  const request = join(folder, 'renewed.csr');
  openssl('req', '-new', '-key', own.keyFile, '-subj', '/CN=renewed', '-out', request);
  const signer = ['-CA', authority.certFile, '-CAkey', authority.keyFile, '-set_serial', '99'];
  openssl('x509', '-req', '-in', request, ...signer, '-out', otherWithRsa);
  const dhFile = join(folder, 'dh.pem');
  openssl('genpkey', '-genparam', '-algorithm', 'DH', '-pkeyopt', 'group:ffdhe2048', '-out', dhFile);
  const rehashed = join(folder, 'authorities');
  mkdirSync(rehashed);
  const hash = openssl('x509', '-in', authority.certFile, '-noout', '-subject_hash').trim();
  copyFileSync(authority.certFile, join(rehashed, `${hash}.0`));

  const standard = {
    'tls-cert-file': own.certFile,
    'tls-key-file': own.keyFile,
    'tls-ca-cert-file': authority.certFile,
    'tls-auth-clients': 'no',
    loglevel: 'nothing',
  };

  /** What clients with these options see, one after another: `look` describes a connection. */
  async function seen(
    values: Values,
    options: readonly ConnectionOptions[],
    look: (socket: TLSSocket) => unknown = (socket) => socket.getPeerCertificate().subject.CN,
  ): Promise<unknown[]> {
    const tlsPort = await freePort();
    let server: Awaited<ReturnType<typeof serve>>;
    try {
      server = await serve({ port: 0, 'tls-port': tlsPort, ...standard, ...values });
    } catch (error) {
      return [(error as Error).name];
    }
    await using _server = server;
    const results: unknown[] = [];
    for (const each of options) {
      const socket = connect({ port: tlsPort, host: '127.0.0.1', rejectUnauthorized: false, ...each });
      results.push(await outcome(socket, () => look(socket)));
      socket.destroy();
    }
    return results;
  }

  /** The name that a server shows to a master when it connects, if it does. */
  async function shownToMaster(values: Values): Promise<unknown> {
    const listening = createServer({
      ...{ cert: own.cert, key: own.key, ca: authority.cert },
      ...{ requestCert: true, rejectUnauthorized: false },
    });
    const shown = new Promise((resolve) => {
      listening.on('secureConnection', (socket) =>
        resolve(socket.getPeerCertificate().subject?.CN ?? 'nothing'),
      );
      listening.on('tlsClientError', () => resolve('no TLS'));
    });
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as { readonly port: number };
    try {
      const replica = { port: await freePort(), replicaof: `127.0.0.1 ${port}` };
      await using _server = await serve({ ...replica, 'tls-replication': 'yes', ...standard, ...values });
      return await shown;
    } catch (error) {
      return (error as Error).name;
    } finally {
      listening.close();
    }
  }

  const older: ConnectionOptions = { maxVersion: 'TLSv1.2' };
  const withoutTickets: ConnectionOptions = { ...older, secureOptions: constants.SSL_OP_NO_TICKET };
  const cipher = (socket: TLSSocket): unknown => socket.getCipher().name;

  /** Whether the first and second session can be resumed after both were opened. */
  async function resumed(values: Values): Promise<unknown[]> {
    const sessions: (Buffer | undefined)[] = [];
    const keep = (socket: TLSSocket): unknown => {
      sessions.push(socket.getSession());
      return socket.isSessionReused();
    };
    const again = [0, 1].map((i) => ({
      ...withoutTickets,
      get session(): Buffer | undefined {
        return sessions[i];
      },
    }));
    return seen(values, [withoutTickets, withoutTickets, ...(again as ConnectionOptions[])], keep);
  }

  return {
    'tls-port': {
      value: '1',
      async observe(values) {
        const port = await freePort();
        const given = values['tls-port'] === undefined ? {} : { 'tls-port': await freePort() };
        await using server = await serve({ port, ...standard, ...given });
        return server.tlsPort > 0;
      },
    },
    'tls-cert-file': { value: otherWithRsa, observe: (values) => seen(values, [{}]) },
    'tls-key-file': { value: other.keyFile, observe: (values) => seen(values, [{}]) },
    'tls-key-file-pass': {
      value: 'secret',
      observe: (values) =>
        seen({ 'tls-cert-file': locked.certFile, 'tls-key-file': locked.keyFile, ...values }, [{}]),
    },
    'tls-auth-clients': {
      value: 'no',
      observe: (values) => seen({ 'tls-auth-clients': 'yes', ...values }, [{ ...older }]),
    },
    'tls-ca-cert-file': {
      value: own.certFile,
      observe: (values) =>
        seen(
          { 'tls-auth-clients': 'yes', ...values },
          [{ ...older, cert: client.cert, key: client.key }],
          () => 'in',
        ),
    },
    'tls-ca-cert-dir': {
      value: rehashed,
      observe: (values) =>
        seen({ 'tls-auth-clients': 'yes', 'tls-ca-cert-file': own.certFile, ...values }, [
          { ...older, cert: client.cert, key: client.key },
        ]),
    },
    'tls-protocols': {
      value: 'TLSv1.2',
      observe: (values) => seen(values, [{}], (socket) => socket.getProtocol()),
    },
    'tls-ciphers': {
      value: 'ECDHE-RSA-AES256-SHA384',
      observe: (values) => seen(values, [older], cipher),
    },
    'tls-ciphersuites': {
      value: 'TLS_CHACHA20_POLY1305_SHA256',
      observe: (values) => seen(values, [{}, older], cipher),
    },
    'tls-prefer-server-ciphers': {
      value: 'yes',
      observe: (values) =>
        seen(
          { 'tls-ciphers': 'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256', ...values },
          [{ ...older, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384' }],
          cipher,
        ),
    },
    'tls-dh-params-file': {
      value: dhFile,
      observe: (values) => seen(values, [{ ...older, ciphers: 'DHE-RSA-AES128-GCM-SHA256' }], cipher),
    },
    'tls-session-caching': { value: 'no', observe: resumed },
    'tls-session-cache-size': { value: '1', observe: resumed },
    'tls-session-cache-timeout': {
      value: '77',
      observe: async (values) => {
        const lifetime = (socket: TLSSocket): unknown => {
          // The lifetime of the ticket is an INTEGER in field 9 of the session's ASN.1 form.
          const session = socket.getSession()?.toString('hex') ?? '';
          return /a9(?:030201|040202)([0-9a-f]{2,4})aa/.exec(session)?.[1];
        };
        return seen(values, [older], lifetime);
      },
    },
    'tls-replication': { value: 'no', observe: shownToMaster },
    'tls-client-cert-file': {
      value: client.certFile,
      observe: (values) => shownToMaster({ 'tls-client-key-file': client.keyFile, ...values }),
    },
    'tls-client-key-file': {
      value: client.keyFile,
      observe: (values) => shownToMaster({ 'tls-client-cert-file': client.certFile, ...values }),
    },
    'tls-client-key-file-pass': {
      value: 'secret',
      observe: (values) =>
        shownToMaster({
          'tls-client-cert-file': lockedClient.certFile,
          'tls-client-key-file': lockedClient.keyFile,
          ...values,
        }),
    },
  };
}

/** What `look` says about a connection that answers, or `refused`. */
function outcome(socket: TLSSocket, look: () => unknown): Promise<unknown> {
  return new Promise((resolve) => {
    socket.on('error', () => resolve('refused'));
    socket.on('close', () => resolve('refused'));
    socket.on('data', () => resolve(look()));
    socket.write('PING\r\n');
  });
}
