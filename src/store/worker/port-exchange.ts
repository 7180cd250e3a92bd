import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Exchange, Line, Peer } from '../connector/line.js';
import type { Closable } from '../transport.js';
import { ownBytes, type ToClient, type ToEngine, type ToGate } from './port-messages.js';

/** Makes connections to an engine of another thread, through a gate of that engine. */
export class PortExchange implements Exchange {
  /** Closed with the engine. */
  readonly users = new Set<Closable>();
  readonly #gate: MessagePort;
  #isClosed = false;

  constructor(gate: MessagePort) {
    this.#gate = gate;
    gate.on('close', () => this.close());
    // The gate does not keep the process alive: connections do.
    gate.unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The engine is closed: ends its stores. */
  close(): void {
    this.#isClosed = true;
    for (const user of [...this.users]) void user.close();
  }

  connect(peer: Peer): Line {
    const { port1, port2 } = new MessageChannel();
    this.#gate.postMessage(port2 satisfies ToGate, [port2]);
    return new PortLine(port1, {
      ...peer,
      closing: () => {
        this.close();
        peer.closing();
      },
    });
  }
}

/** A connection to an engine of another thread. Input received in one tick is sent as one message. */
class PortLine implements Line {
  readonly #port: MessagePort;
  /** Input to be sent; undefined if there is none. */
  #unsent: (string | Uint8Array)[] | undefined;
  /** The engine has enough input. */
  #isFull = false;

  constructor(port: MessagePort, peer: Peer) {
    this.#port = port;
    let hasEnded = false;
    port.on('message', (message: ToClient) => {
      if (message === null) {
        hasEnded = true;
        peer.ended();
      } else if (message === 'closing') peer.closing();
      else if (message === 'full') this.#isFull = true;
      else if (message === 'drained') {
        this.#isFull = false;
        peer.drained();
      } else peer.deliver(Buffer.from(message.buffer, message.byteOffset, message.length));
    });
    port.on('close', () => {
      if (!hasEnded) peer.cut();
    });
    port.unref();
  }

  receive(chunk: string | Uint8Array): boolean {
    const unsent = this.#unsent;
    if (unsent === undefined) {
      this.#unsent = [];
      process.nextTick(() => this.#send());
      this.#append(this.#unsent, chunk);
    } else this.#append(unsent, chunk);
    return !this.#isFull;
  }

  /** Joins text to longer strings. The other thread encodes it. */
  #append(unsent: (string | Uint8Array)[], chunk: string | Uint8Array): void {
    const last = unsent.at(-1);
    if (typeof chunk !== 'string') unsent.push(ownBytes(chunk));
    else if (typeof last === 'string' && last.length < MAX_TEXT_LENGTH)
      unsent[unsent.length - 1] = last + chunk;
    else unsent.push(chunk);
  }

  #send(): void {
    const unsent = this.#unsent;
    if (unsent === undefined) return;
    this.#unsent = undefined;
    const bytes = unsent.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.buffer as ArrayBuffer]));
    this.#port.postMessage(unsent satisfies ToEngine, bytes);
  }

  end(): void {
    this.#send();
    this.#port.postMessage(null satisfies ToEngine);
  }

  gone(): void {
    this.#unsent = undefined;
    this.#port.close();
  }
}

/** Far below the maximum length of a string. */
const MAX_TEXT_LENGTH = 1 << 24;
