import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { TlsAcceptor } from '../tls/tls-acceptor.js';
import type { ConnectionHost } from './connection.js';
import { acceptDescriptor } from './listener.js';

/** A listening socket: its descriptor, its path unless it is a port, and whether its clients speak TLS. */
export interface ListeningDescriptor {
  readonly fd: number;
  readonly path: string | undefined;
  readonly isTls: boolean;
}

/**
 * Accepts clients while a script blocks the event loop. A thread with its own event loop listens on the same
 * descriptors and passes the descriptors of accepted connections on; descriptors belong to the whole process. Between
 * slow scripts the thread sleeps in `Atomics.wait`, so that it takes no connection from the main loop. It never reads
 * from or closes an accepted connection, and it is never terminated: that would close descriptors owned by the main
 * thread.
 */
export class BusyAcceptor {
  readonly #host: ConnectionHost;
  readonly #tls: TlsAcceptor;
  readonly #listening: readonly ListeningDescriptor[];
  readonly #state = new Int32Array(new SharedArrayBuffer(4));
  readonly #port: MessagePort;

  constructor(host: ConnectionHost, tls: TlsAcceptor, listening: readonly ListeningDescriptor[]) {
    this.#host = host;
    this.#tls = tls;
    this.#listening = listening;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const worker = new Worker(ACCEPTOR, {
      eval: true,
      execArgv: [],
      workerData: { state: this.#state, port: port2, descriptors: listening.map(({ fd }) => fd) },
      transferList: [port2],
    });
    worker.unref();
    worker.on('error', (error) => host.engine.host.log('warning', `Accepting: ${error.message}`));
    // Connections accepted just before the script ended arrive as ordinary messages.
    port1.on('message', (message) => this.#accept(message));
    port1.unref();
  }

  /** Whether it was created for exactly these sockets. */
  listensOn(listening: readonly ListeningDescriptor[]): boolean {
    return (
      listening.length === this.#listening.length &&
      listening.every(({ fd, path, isTls }, i) => {
        const before = this.#listening[i];
        return fd === before?.fd && path === before.path && isTls === before.isTls;
      })
    );
  }

  /** Keeps accepting, and takes over the accepted connections. */
  accept(): void {
    if (Atomics.exchange(this.#state, 0, ACCEPTING) !== ACCEPTING) Atomics.notify(this.#state, 0);
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#accept(received.message);
    }
  }

  /** The main loop accepts again. */
  rest(): void {
    Atomics.store(this.#state, 0, RESTING);
  }

  #accept({ fd, index }: { readonly fd: number; readonly index: number }): void {
    const socket = this.#listening[index];
    if (socket?.isTls === true) this.#tls.acceptDescriptor(fd);
    else acceptDescriptor(this.#host, fd, socket?.path);
  }
}

const RESTING = 0;
const ACCEPTING = 1;

/** The code of the thread, as text, so that it does not depend on how the program was loaded. */
const ACCEPTOR = `
const { createServer } = require('node:net');
const { workerData: { state, port, descriptors } } = require('node:worker_threads');
const kept = [];
descriptors.forEach((descriptor, index) => {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    kept.push(socket);
    port.postMessage({ fd: socket._handle.fd, index });
  });
  server.on('error', () => {});
  server.listen({ fd: descriptor });
});
(function restIfTold() {
  Atomics.wait(state, 0, ${RESTING});
  setTimeout(restIfTold, 2);
})();
`;
