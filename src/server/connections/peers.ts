import type { SecureContextOptions } from 'node:tls';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Exchange, Peer } from '../../commands/host-port.js';
import { BUSY, Patience, tryRead, tryWrite } from '../../engine/descriptor-io.js';

/**
 * Connections to other servers that are used while the event loop is blocked: MIGRATE must not run anything else
 * between sending a key and deleting it. A thread with its own event loop resolves names and connects; the main thread waits for
 * that in `Atomics.wait`, and then reads and writes the socket's descriptor itself, because a question to the thread and its answer take
 * longer than a small exchange. With TLS, the descriptor is that of a relay: the thread encrypts what it gets there. Connections are kept
 * for a while, as migrations come in series.
 */
export class Peers {
  readonly #tls: () => SecureContextOptions | undefined;
  readonly #peers = new Map<string, CachedPeer>();
  #thread: ConnectingThread | undefined;

  /** @param tls The options of new connections; undefined for connections without TLS. */
  constructor(tls: () => SecureContextOptions | undefined) {
    this.#tls = tls;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** A connection, kept or new; undefined if the host is unknown or does not answer within this time. */
  connect(host: string, port: number, timeoutMs: number, now: number): Peer | undefined {
    const name = `${host}:${port}`;
    const kept = this.#peers.get(name);
    if (kept !== undefined) {
      kept.usedAt = now;
      return kept;
    }
    this.#thread ??= new ConnectingThread();
    const socket = this.#thread.connect({ host, port, timeoutMs, tls: this.#tls() });
    if (socket === undefined) return undefined;
    if (this.#peers.size >= MAX_PEERS) [...this.#peers.values()][0]?.close();
    const peer = new CachedPeer(socket, now, () => this.#peers.delete(name));
    this.#peers.set(name, peer);
    return peer;
  }

  /** Closes connections that have not been used for a while. */
  review(now: number): void {
    for (const peer of [...this.#peers.values()]) if (now - peer.usedAt > KEPT_MS) peer.close();
  }

  close(): void {
    for (const peer of [...this.#peers.values()]) peer.close();
    this.#thread?.end();
    this.#thread = undefined;
  }
}

class CachedPeer implements Peer {
  db = -1;
  usedAt: number;
  readonly #socket: ConnectedSocket;
  readonly #forget: () => void;

  constructor(socket: ConnectedSocket, usedAt: number, forget: () => void) {
    this.#socket = socket;
    this.usedAt = usedAt;
    this.#forget = forget;
  }

  /** The timeout applies to silence, not to the whole exchange: each piece sent or received restarts it. */
  exchange(request: Buffer, lines: number, timeoutMs: number): Exchange {
    const { fd } = this.#socket;
    const reply = new LineReader(lines);
    const patience = new Patience(timeoutMs);
    const outcome = (isTimeout: boolean): Exchange => {
      const failure = reply.isComplete ? undefined : sent < request.length ? 'writing' : 'reading';
      return { lines: reply.lines, failure, isTimeout };
    };
    let sent = 0;
    if (fd < 0) return outcome(false);
    try {
      while (!reply.isComplete) {
        const written = sent < request.length ? tryWrite(fd, request, sent, request.length) : BUSY;
        if (written !== BUSY) sent += written;
        // Also while the target takes no more of the request: it may wait for its replies to be read.
        const mayRead = written === BUSY || sent === request.length;
        const received = mayRead ? tryRead(fd, input) : BUSY;
        if (received === 0) return outcome(false);
        if (received !== BUSY) reply.take(input, received);
        if (written !== BUSY || received !== BUSY) patience.progressed();
        else if (!patience.pause()) return outcome(true);
      }
    } catch {
      // The connection is broken.
    }
    return outcome(false);
  }

  close(): void {
    this.#forget();
    this.#socket.close();
  }
}

/** Splits what it is given into lines. */
class LineReader {
  readonly lines: string[] = [];
  readonly #wanted: number;
  #rest = '';

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  get isComplete(): boolean {
    return this.lines.length === this.#wanted;
  }

  take(buffer: Buffer, length: number): void {
    const parts = (this.#rest + buffer.latin1Slice(0, length)).split('\n');
    this.#rest = parts.pop() as string;
    for (const part of parts) {
      if (!this.isComplete) this.lines.push(part.endsWith('\r') ? part.slice(0, -1) : part);
    }
  }
}

interface ConnectedSocket {
  /** Negative if the server refused the connection. */
  readonly fd: number;
  close(): void;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly tls: SecureContextOptions | undefined;
}

type Order = ({ readonly kind: 'connect'; id: number } & Target) | { readonly kind: 'close'; id: number };

interface Answer {
  /** Absent if the host is unknown or does not answer in time. */
  readonly fd?: number;
}

/** The thread that opens and closes sockets, as seen from the main thread. */
class ConnectingThread {
  /** Incremented with every answer. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  readonly #port: MessagePort;
  readonly #worker: Worker;
  #lastId = 0;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(SOCKETS, {
      eval: true,
      execArgv: [],
      workerData: { progress: this.#progress, port: port2 },
      transferList: [port2],
    });
    this.#worker.unref();
    // After an error no answer comes, and the waiting thread times out.
    this.#worker.on('error', () => {});
    port1.unref();
  }

  connect(target: Target): ConnectedSocket | undefined {
    const id = ++this.#lastId;
    const close = (): void => this.#tell({ kind: 'close', id });
    const fd = this.#ask({ kind: 'connect', id, ...target }, target.timeoutMs)?.fd;
    if (fd !== undefined) return { fd, close };
    close();
    return undefined;
  }

  end(): void {
    void this.#worker.terminate();
  }

  #tell(order: Order): void {
    this.#port.postMessage(order);
  }

  /** The thread reports timeouts itself. Returns undefined only if the thread does not answer at all. */
  #ask(order: Order, timeoutMs: number): Answer | undefined {
    let seen = Atomics.load(this.#progress, 0);
    this.#tell(order);
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received !== undefined) return received.message as Answer;
      const outcome = Atomics.wait(this.#progress, 0, seen, timeoutMs + THREAD_GRACE_MS);
      if (outcome === 'timed-out') return undefined;
      seen = Atomics.load(this.#progress, 0);
    }
  }
}

const MAX_PEERS = 64;
const KEPT_MS = 10_000;
/** How much later than expected the thread may answer: it has to start, and other processes may delay it. */
const THREAD_GRACE_MS = 10_000;
const input = Buffer.allocUnsafeSlow(1 << 14);

/**
 * The code of the thread, as text, so that it does not depend on how the program was loaded. Its sockets are paused: it neither reads
 * nor writes them, so that it closes a descriptor only when it is told to.
 */
const SOCKETS = `
const net = require('node:net');
const { workerData: { progress, port } } = require('node:worker_threads');
const sockets = new Map();
function report(answer) {
  port.postMessage(answer);
  Atomics.add(progress, 0, 1);
  Atomics.notify(progress, 0);
}
function open({ id, host, port: number, timeoutMs, tls }) {
  let isTold = false;
  const once = (answer) => {
    if (isTold) return;
    isTold = true;
    socket.setTimeout(0);
    report(answer);
  };
  if (!(number >= 0 && number < 65536)) return report({});
  const socket =
    tls === undefined
      ? net.connect({ host, port: number, noDelay: true })
      : require('node:tls').connect({ ...tls, host, port: number, checkServerIdentity: () => undefined });
  sockets.set(id, socket);
  socket.setTimeout(timeoutMs, () => once({}));
  if (tls === undefined) {
    socket.pause();
    socket.on('connect', () => once({ fd: socket._handle.fd }));
  } else {
    socket.setNoDelay();
    socket.on('secureConnect', () => relay(socket, (near) => once({ fd: near._handle.fd })));
  }
  // As in Redis, a refused connection counts as connected, and then fails when written to.
  socket.on('error', (error) => once(tls || error.syscall === 'getaddrinfo' ? {} : { fd: -1 }));
}
/** Opens a connection within this process. What is written at its near end goes through the TLS socket. */
function relay(socket, use) {
  let near;
  const accepted = [];
  const join = () => {
    if (near.connecting) return;
    for (const far of accepted.splice(0)) {
      // Another program may have found the port.
      if (far.remotePort !== near.localPort) {
        far.destroy();
        continue;
      }
      server.close();
      far.pipe(socket).pipe(far);
      for (const each of [near, far]) {
        each.on('error', () => socket.destroy());
        socket.on('close', () => each.destroy());
      }
      use(near);
    }
  };
  const server = net.createServer({ noDelay: true }, (far) => {
    accepted.push(far);
    join();
  });
  server.listen(0, '127.0.0.1', () => {
    near = net.connect({ port: server.address().port, host: '127.0.0.1', noDelay: true }, join);
    near.pause();
  });
}
port.on('message', (order) => {
  if (order.kind === 'connect') return open(order);
  sockets.get(order.id)?.destroy();
  sockets.delete(order.id);
});
`;
