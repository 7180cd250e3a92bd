import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { isFull, PROTECTED, protectionApplies } from '../connections/admission.js';
import type { ConnectionHost } from '../connections/connection.js';
import { type Endpoints, internetEndpoints } from '../connections/endpoints.js';
import { adoptStream } from '../connections/stream-client.js';
import type { TlsContexts } from './tls-contexts.js';
import { TlsSessions } from './tls-sessions.js';

/** `tls-auth-clients` */
export type ClientAuth = 'yes' | 'no' | 'optional';

export interface AcceptorOptions {
  readonly contexts: TlsContexts;
  readonly auth: ClientAuth;
  /** The sessions that can be resumed; undefined without a cache. */
  readonly cacheSize: number | undefined;
}

/** A connection whose handshake is not complete. */
interface Handshake {
  readonly socket: Socket;
  readonly fd: number;
  readonly endpoints: Endpoints;
  readonly startedAt: number;
}

/**
 * Makes clients of the connections to `tls-port`. A connection counts towards `maxclients` from its first byte, and is closed if its
 * handshake takes longer than `HANDSHAKE_MS`. Clients are created after the handshake: input is decrypted by Node and copied into the
 * shared input buffer, replies are written to the stream.
 */
export class TlsAcceptor {
  readonly #host: ConnectionHost;
  readonly #handshakes = new Map<string, Handshake>();
  readonly #endpoints = new WeakMap<Socket, Endpoints>();
  #server: TlsServer | undefined;

  constructor(host: ConnectionHost) {
    this.#host = host;
  }

  /** The number of connections whose handshake is not complete. */
  get pending(): number {
    return this.#handshakes.size;
  }

  /** Further connections use these certificates. Existing ones, and handshakes that have begun, keep theirs. */
  configure({ contexts, auth, cacheSize }: AcceptorOptions): void {
    const server = createServer({
      ...contexts.server,
      requestCert: auth !== 'no',
      rejectUnauthorized: auth === 'yes',
    });
    server.on('secureConnection', (socket) => this.#secured(socket, auth));
    server.on('tlsClientError', (error, socket) => this.#failed(error, socket));
    if (cacheSize !== undefined) keepSessions(server, new TlsSessions(cacheSize));
    this.#server = server;
  }

  /** Begins the handshake of a new connection. */
  accept(socket: Socket): void {
    const { engine } = this.#host;
    const { statistics, settings } = engine;
    socket.on('error', () => {});
    // A refused client gets no error: before the handshake nothing can be sent to it.
    if (this.#server === undefined || isFull(this.#host)) {
      statistics.rejectedConnections++;
      socket.destroy();
      return;
    }
    const fd = (socket as unknown as { _handle: { readonly fd: number } | null })._handle?.fd ?? -1;
    const endpoints = internetEndpoints(socket);
    const key = keyOf(endpoints);
    const keepAlive = settings.number('tcp-keepalive');
    if (keepAlive > 0) socket.setKeepAlive(true, keepAlive * 1000);
    statistics.connectionsReceived++;
    const handshake = { socket, fd, endpoints, startedAt: engine.keyspace.clock.now() };
    this.#handshakes.set(key, handshake);
    this.#endpoints.set(socket, endpoints);
    socket.on('close', () => {
      if (this.#handshakes.get(key) === handshake) this.#handshakes.delete(key);
    });
    this.#server.emit('connection', socket);
  }

  #secured(socket: TLSSocket, auth: ClientAuth): void {
    const key = keyOf(internetEndpoints(socket));
    const handshake = this.#handshakes.get(key);
    this.#handshakes.delete(key);
    socket.on('error', () => {});
    if (handshake === undefined) {
      socket.destroy();
      return;
    }
    const { endpoints, fd } = handshake;
    if (auth === 'optional' && hasInvalidCertificate(socket)) {
      this.#log(String(socket.authorizationError), endpoints);
      socket.destroy();
    } else if (protectionApplies(this.#host.engine, endpoints)) {
      this.#host.engine.statistics.rejectedConnections++;
      socket.end(PROTECTED, () => socket.destroy());
    } else {
      adopt(this.#host, socket, fd, endpoints);
    }
  }

  #failed(error: Error, socket: TLSSocket): void {
    const { reason = error.message } = error as { readonly reason?: string };
    // The addresses of a socket are gone when it is closed; those of the one below it were kept.
    const { _parent: below } = socket as unknown as { readonly _parent?: Socket };
    const endpoints = below === undefined ? undefined : this.#endpoints.get(below);
    const isUnverified = (socket.authorizationError as unknown) !== null;
    this.#log(isUnverified ? String(socket.authorizationError) : reason, endpoints);
    socket.destroy();
  }

  #log(reason: string, endpoints: Endpoints | undefined): void {
    this.#host.engine.host.log(
      'warning',
      `Error accepting a client connection: ${reason} (addr=${endpoints?.address ?? '?'})`,
    );
  }

  /** Called once a second: closes connections whose handshake takes too long. */
  review(now: number): void {
    for (const { socket, startedAt, endpoints } of [...this.#handshakes.values()]) {
      if (now - startedAt <= HANDSHAKE_MS) continue;
      this.#log(`no TLS handshake within ${HANDSHAKE_MS / 1000} seconds`, endpoints);
      socket.destroy();
    }
  }

  close(): void {
    for (const { socket } of [...this.#handshakes.values()]) socket.destroy();
  }
}

function keepSessions(server: TlsServer, sessions: TlsSessions): void {
  server.on('newSession', (id, session, done) => {
    sessions.add(id, session);
    done();
  });
  server.on('resumeSession', (id, done) => done(null, sessions.find(id)));
}

/** Without a certificate, a client is not authorized either. */
function hasInvalidCertificate(socket: TLSSocket): boolean {
  return !socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0;
}

function adopt(host: ConnectionHost, socket: TLSSocket, fd: number, endpoints: Endpoints): void {
  const { session } = adoptStream(host, socket, endpoints);
  session.fd = fd;
  session.isTls = true;
  // A client that has closed its end still gets its replies; during the handshake it would never be answered.
  socket.allowHalfOpen = true;
}

/** Two connections that exist at the same time differ in one of their addresses. */
function keyOf({ address, localAddress }: Endpoints): string {
  return `${address} ${localAddress}`;
}

/** Redis has no such limit; a client needs a few round trips. */
const HANDSHAKE_MS = 10_000;
