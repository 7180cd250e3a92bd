import { Socket } from 'node:net';
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { isFull, PROTECTED, protectionApplies } from '../connections/admission.js';
import type { ConnectionHost } from '../connections/connection.js';
import { type Endpoints, internetEndpoints } from '../connections/endpoints.js';
import { adoptStream } from '../connections/stream-client.js';
import type { TlsContexts } from './tls-contexts.js';
import { TlsSessions } from './tls-sessions.js';
import { streamTransport, type TlsTransport, TlsTransports } from './tls-transport.js';

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
  /** What the TLS server got. */
  readonly socket: Socket;
  readonly fd: number;
  /** Undefined if only the event loop carries its bytes. */
  readonly transport: TlsTransport | undefined;
  readonly endpoints: Endpoints;
  readonly startedAt: number;
}

interface WithHandle {
  _handle: { readonly fd: number } | null;
}

/**
 * Makes clients of the connections to `tls-port`. A connection counts towards `maxclients` from its first byte, and is closed if its
 * handshake takes longer than `HANDSHAKE_MS`. Clients are created after the handshake: input is decrypted by Node and copied into the
 * shared input buffer, replies are written to the stream. The encrypted bytes are carried by a `TlsTransport`.
 */
export class TlsAcceptor {
  readonly #host: ConnectionHost;
  readonly #handshakes = new Map<Socket, Handshake>();
  readonly #endpoints = new WeakMap<Socket, Endpoints>();
  #transports: TlsTransports | undefined;
  #isDuringScript = false;
  #server: TlsServer | undefined;
  /** Looks no sessions up: from Node 26 on that takes a turn of the event loop, which does not come during a slow script. */
  #serverDuringScript: TlsServer | undefined;

  constructor(host: ConnectionHost) {
    this.#host = host;
  }

  /** The number of connections whose handshake is not complete. */
  get pending(): number {
    return this.#handshakes.size;
  }

  /** Further connections use these certificates. Existing ones, and handshakes that have begun, keep theirs. */
  configure(options: AcceptorOptions): void {
    this.#server = this.#serverFor(options);
    this.#serverDuringScript = this.#serverFor({ ...options, cacheSize: undefined });
    this.#transports ??= new TlsTransports();
  }

  #serverFor({ contexts, auth, cacheSize }: AcceptorOptions): TlsServer {
    const server = createServer({
      ...contexts.server,
      requestCert: auth !== 'no',
      rejectUnauthorized: auth === 'yes',
    });
    server.on('secureConnection', (socket) => this.#secured(socket, auth));
    server.on('tlsClientError', (error, socket) => this.#failed(error, socket));
    if (cacheSize !== undefined) keepSessions(server, new TlsSessions(cacheSize));
    return server;
  }

  /** Begins the handshake of a new connection. */
  accept(socket: Socket): void {
    this.#accept(socket, this.#server);
  }

  #accept(socket: Socket, server: TlsServer | undefined): void {
    const { engine } = this.#host;
    const { statistics, settings } = engine;
    socket.on('error', () => {});
    // A refused client gets no error: before the handshake nothing can be sent to it.
    if (server === undefined || isFull(this.#host)) {
      statistics.rejectedConnections++;
      socket.destroy();
      return;
    }
    const endpoints = internetEndpoints(socket);
    const keepAlive = settings.number('tcp-keepalive');
    if (keepAlive > 0) socket.setKeepAlive(true, keepAlive * 1000);
    statistics.connectionsReceived++;
    this.#begin(socket, endpoints, server);
  }

  /** The same for a connection that another thread accepted during a slow script, by its descriptor. */
  acceptDescriptor(fd: number): void {
    const options = { fd, pauseOnCreate: true, readable: true, writable: true };
    const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
    socket.setNoDelay(true);
    this.#accept(socket, this.#serverDuringScript);
  }

  #begin(accepted: Socket, endpoints: Endpoints, server: TlsServer): void {
    const transport = this.#transports?.take(accepted);
    const socket = transport?.socket ?? accepted;
    const fd = transport?.fd ?? (accepted as unknown as WithHandle)._handle?.fd ?? NO_DESCRIPTOR;
    const startedAt = this.#host.engine.keyspace.clock.now();
    this.#handshakes.set(socket, { socket, fd, transport, endpoints, startedAt });
    this.#endpoints.set(socket, endpoints);
    socket.on('error', () => {});
    socket.on('close', () => this.#handshakes.delete(socket));
    server.emit('connection', socket);
  }

  /** Called during a slow script: continues the handshakes. */
  serveDuringScript(): void {
    this.#isDuringScript = true;
    for (const { transport } of [...this.#handshakes.values()]) transport?.receive();
    this.#isDuringScript = false;
  }

  #secured(socket: TLSSocket, auth: ClientAuth): void {
    const below = socketBelow(socket);
    const handshake = below && this.#handshakes.get(below);
    if (below !== undefined) this.#handshakes.delete(below);
    socket.on('error', () => {});
    if (handshake === undefined) {
      socket.destroy();
      return;
    }
    const { endpoints } = handshake;
    if (auth === 'optional' && hasInvalidCertificate(socket)) {
      this.#log(String(socket.authorizationError), endpoints);
      socket.destroy();
    } else if (protectionApplies(this.#host.engine, endpoints)) {
      this.#host.engine.statistics.rejectedConnections++;
      socket.end(PROTECTED, () => socket.destroy());
    } else {
      this.#adopt(socket, handshake);
    }
  }

  #adopt(socket: TLSSocket, { fd, transport, endpoints }: Handshake): void {
    const stream = transport && streamTransport(transport, socket);
    const { session } = adoptStream(this.#host, socket, endpoints, stream, this.#isDuringScript);
    session.fd = fd;
    session.isTls = true;
    // A client that has closed its end still gets its replies; during the handshake it would never be answered.
    socket.allowHalfOpen = true;
    transport?.allowHalfOpen();
    // Begins to read now, and not in the next tick, which comes after a slow script.
    socket.read(0);
  }

  #failed(error: Error, socket: TLSSocket): void {
    const { reason = error.message } = error as { readonly reason?: string };
    // The addresses of a socket are gone when it is closed; those of the one below it were kept.
    const below = socketBelow(socket);
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

/** What the TLS server got for this connection. */
function socketBelow(socket: TLSSocket): Socket | undefined {
  return (socket as unknown as { readonly _parent?: Socket })._parent;
}

/** Redis has no such limit; a client needs a few round trips. */
const HANDSHAKE_MS = 10_000;

const NO_DESCRIPTOR = -1;
