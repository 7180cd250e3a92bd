import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Exchange, Peer } from '../commands/engine-port.js';

/**
 * Connections to other servers that are used while the event loop is blocked: MIGRATE must not run anything else
 * between sending a key and deleting it. A thread with its own event loop owns the sockets; the main thread waits for
 * its answers in `Atomics.wait`. Connections are kept for a while, as migrations come in series.
 */
export class Peers {
  readonly #peers = new Map<string, CachedPeer>();
  #thread: SocketThread | undefined;

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
    this.#thread ??= new SocketThread();
    const id = this.#thread.connect(host, port, timeoutMs);
    if (id === undefined) return undefined;
    if (this.#peers.size >= MAX_PEERS) [...this.#peers.values()][0]?.close();
    const peer = new CachedPeer(this.#thread, id, now, () => this.#peers.delete(name));
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
  readonly #thread: SocketThread;
  readonly #id: number;
  readonly #forget: () => void;

  constructor(thread: SocketThread, id: number, usedAt: number, forget: () => void) {
    this.#thread = thread;
    this.#id = id;
    this.usedAt = usedAt;
    this.#forget = forget;
  }

  exchange(request: Buffer, lines: number, timeoutMs: number): Exchange {
    return this.#thread.exchange(this.#id, request, lines, timeoutMs);
  }

  close(): void {
    this.#forget();
    this.#thread.close(this.#id);
  }
}

type Order =
  | { readonly kind: 'connect'; id: number; host: string; port: number; timeoutMs: number }
  | { readonly kind: 'exchange'; id: number; request: Buffer; lines: number; timeoutMs: number }
  | { readonly kind: 'close'; id: number };

interface Answer {
  readonly isConnected?: boolean;
  readonly exchange?: Exchange;
}

/** The thread that owns the sockets, as seen from the main thread. */
class SocketThread {
  /** Incremented with every event in the thread: the waiting thread then checks for an answer. */
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

  connect(host: string, port: number, timeoutMs: number): number | undefined {
    const id = ++this.#lastId;
    const answer = this.#ask({ kind: 'connect', id, host, port, timeoutMs }, timeoutMs);
    if (answer?.isConnected === true) return id;
    this.close(id);
    return undefined;
  }

  exchange(id: number, request: Buffer, lines: number, timeoutMs: number): Exchange {
    const answer = this.#ask({ kind: 'exchange', id, request, lines, timeoutMs }, timeoutMs);
    return answer?.exchange ?? { lines: [], failure: 'reading', isTimeout: true };
  }

  close(id: number): void {
    this.#port.postMessage({ kind: 'close', id } satisfies Order);
  }

  end(): void {
    void this.#worker.terminate();
  }

  /** The thread reports timeouts itself. Returns undefined only if the thread does not answer at all. */
  #ask(order: Order, timeoutMs: number): Answer | undefined {
    let seen = Atomics.load(this.#progress, 0);
    this.#port.postMessage(order);
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

/**
 * The code of the thread, as text, so that it does not depend on how the program was loaded. Timeouts apply to
 * silence, not to the whole exchange: each piece sent or received restarts the timeout.
 */
const SOCKETS = `
const { connect } = require('node:net');
const { workerData: { progress, port } } = require('node:worker_threads');
const sockets = new Map();
function report(answer) {
  if (answer !== undefined) port.postMessage(answer);
  Atomics.add(progress, 0, 1);
  Atomics.notify(progress, 0);
}
function open({ id, host, port: number, timeoutMs }) {
  let isTold = false;
  const once = (isConnected) => {
    if (isTold) return;
    isTold = true;
    socket.setTimeout(0);
    report({ isConnected });
  };
  if (!(number >= 0 && number < 65536)) return report({ isConnected: false });
  const socket = connect({ host, port: number, noDelay: true });
  sockets.set(id, socket);
  socket.setTimeout(timeoutMs, () => once(false));
  socket.on('connect', () => once(true));
  // As in Redis, a refused connection counts as connected, and then fails when written to.
  socket.on('error', (error) => once(error.syscall !== 'getaddrinfo'));
}
function exchange({ id, request, lines: wanted, timeoutMs }) {
  const socket = sockets.get(id);
  if (socket === undefined || socket.destroyed) {
    return report({ exchange: { lines: [], failure: 'writing', isTimeout: false } });
  }
  const lines = [];
  let rest = '';
  let isWritten = false;
  let isOver = false;
  const end = (failure, isTimeout) => {
    if (isOver) return;
    isOver = true;
    socket.setTimeout(0);
    socket.off('data', take).off('close', fail).off('error', fail).off('timeout', expire);
    report({ exchange: { lines, failure, isTimeout } });
  };
  const fail = () => end(isWritten ? 'reading' : 'writing', false);
  const expire = () => end(isWritten ? 'reading' : 'writing', true);
  const take = (chunk) => {
    rest += chunk.toString('latin1');
    const parts = rest.split('\\n');
    rest = parts.pop();
    for (const part of parts) if (lines.length < wanted) lines.push(part.replace(/\\r$/, ''));
    if (lines.length === wanted) end(undefined, false);
    else report();
  };
  socket.on('data', take).on('close', fail).on('error', fail).on('timeout', expire);
  socket.setTimeout(timeoutMs);
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  let at = 0;
  (function send() {
    if (isOver) return;
    report();
    if (at >= bytes.length) {
      isWritten = true;
      return;
    }
    const piece = bytes.subarray(at, at + 65536);
    at += piece.length;
    socket.write(piece, send);
  })();
}
port.on('message', (order) => {
  if (order.kind === 'connect') open(order);
  else if (order.kind === 'exchange') exchange(order);
  else {
    sockets.get(order.id)?.destroy();
    sockets.delete(order.id);
  }
});
`;
