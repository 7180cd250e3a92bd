import type { RandomSource } from '../../src/bytes/random.js';
import type { Address, Link, LinkEvents } from '../../src/replication/world.js';
import type { VirtualTime } from './virtual-time.js';

/** One end of a simulated connection, as the accepting server uses it. */
export interface Accepted {
  received(chunk: Buffer): void;
  closed(): void;
}

/** Accepts a connection; `send` and `close` act on the other end. */
export type Listener = (peer: { send(bytes: Buffer): void; close(): void }) => Accepted;

interface Connection {
  readonly from: number;
  readonly to: number;
  cut(): void;
}

/**
 * Connections between simulated servers, which are known by their ports. Bytes arrive in order, after random delays, in
 * pieces that do not respect the borders of commands. A connection can be cut, with the bytes that are on their way.
 */
export class Network {
  /** Every delay is a millisecond. */
  isQuick = false;
  readonly #time: VirtualTime;
  readonly #random: RandomSource;
  readonly #listeners = new Map<number, Listener>();
  readonly #connections = new Set<Connection>();
  /** Pairs of ports that cannot reach each other. */
  readonly #severed = new Set<string>();
  /** Pairs of ports between which nothing arrives, though connections stay open. */
  readonly #silent = new Set<string>();

  constructor(time: VirtualTime, random: RandomSource) {
    this.#time = time;
    this.#random = random;
  }

  /** Accepts connections on the port; the returned function stops that and cuts all connections of the port. */
  listen(port: number, listener: Listener): () => void {
    this.#listeners.set(port, listener);
    return () => {
      this.#listeners.delete(port);
      this.#cutWhere(({ from, to }) => serverOf(from) === serverOf(port) || to === port);
    };
  }

  /** Cuts the connections between two servers; while severed, no new one can be opened. */
  sever(a: number, b: number, isSevered: boolean): void {
    for (const pair of [pairOf(a, b), pairOf(b, a)]) {
      if (isSevered) this.#severed.add(pair);
      else this.#severed.delete(pair);
    }
    if (isSevered) this.cut(a, b);
  }

  /** Until healed, nothing that one sends arrives at the other: as if a cable were unplugged, or a process stopped. */
  silence(a: number, b: number): void {
    for (const pair of [pairOf(a, b), pairOf(b, a)]) this.#silent.add(pair);
  }

  cut(a: number, b: number): void {
    const isMeant = [pairOf(a, b), pairOf(b, a)];
    this.#cutWhere(({ from, to }) => isMeant.includes(pairOf(from, to)));
  }

  heal(): void {
    this.#severed.clear();
    this.#silent.clear();
  }

  #cutWhere(isMeant: (connection: Connection) => boolean): void {
    for (const connection of [...this.#connections]) if (isMeant(connection)) connection.cut();
  }

  connect(from: number, { port: to }: Address, events: LinkEvents): Link {
    let isOpen = true;
    let accepted: Accepted | undefined;
    const connection: Connection = {
      from,
      to,
      cut: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#connections.delete(connection);
        const other = accepted;
        this.#time.after(this.#delay(), () => other?.closed());
        this.#time.after(this.#delay(), () => {
          if (!isClosedHere) events.closed('the connection was cut');
        });
      },
    };
    let isClosedHere = false;
    const isSilent = (): boolean => this.#silent.has(pairOf(from, to));
    const outward = this.#pipe(
      isSilent,
      () => isOpen,
      (bytes) => accepted?.received(bytes),
    );
    let isPaused = false;
    const inward = this.#pipe(
      () => isSilent() || isPaused,
      () => isOpen && !isClosedHere,
      (bytes) => events.received(bytes),
    );
    this.#connections.add(connection);
    const open = (): void => {
      if (!isOpen || isClosedHere) return;
      if (isSilent()) {
        this.#time.after(LOOK_AGAIN_MS, open);
        return;
      }
      const listener = this.#listeners.get(to);
      if (listener === undefined || this.#severed.has(pairOf(from, to))) {
        isOpen = false;
        this.#connections.delete(connection);
        events.closed('connection refused');
        return;
      }
      accepted = listener({ send: inward, close: () => connection.cut() });
      events.connected();
    };
    this.#time.after(this.#delay(), open);
    return {
      localAddress: `127.0.0.1:${from}`,
      send: outward,
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
      },
      close: () => {
        isClosedHere = true;
        connection.cut();
      },
    };
  }

  /** A direction of a connection: what is sent arrives in order, cut into pieces. */
  #pipe(
    isSilent: () => boolean,
    isOpen: () => boolean,
    deliver: (bytes: Buffer) => void,
  ): (bytes: Buffer) => void {
    let lastArrival = 0;
    const underway: Buffer[] = [];
    const arrived: Buffer[] = [];
    let isWaiting = false;
    const hand = (): void => {
      if (arrived.length === 0 || isWaiting) return;
      if (isSilent()) {
        isWaiting = true;
        this.#time.after(LOOK_AGAIN_MS, () => {
          isWaiting = false;
          hand();
        });
        return;
      }
      for (const piece of arrived.splice(0)) if (isOpen()) deliver(piece);
    };
    return (bytes) => {
      // The sender may use its buffer again.
      let rest: Buffer = Buffer.from(bytes);
      while (rest.length > 0) {
        const isCut = this.#random.integer(4) === 0;
        const piece = rest.subarray(0, isCut ? 1 + this.#random.integer(rest.length) : rest.length);
        rest = rest.subarray(piece.length);
        const arrival = Math.max(lastArrival, this.#time.now() + this.#delay());
        lastArrival = arrival;
        underway.push(piece);
        this.#time.after(arrival - this.#time.now(), () => {
          // Not necessarily the piece that was sent with this timer, but the next one.
          arrived.push(underway.shift() as Buffer);
          hand();
        });
      }
    };
  }

  /** Mostly short, sometimes long. */
  #delay(): number {
    if (this.isQuick) return 1;
    return this.#random.integer(50) === 0 ? this.#random.integer(2000) : this.#random.integer(5);
  }
}

/** A server is known by its port for clients; that of its bus is 10,000 higher. */
function serverOf(port: number): number {
  return port > BUS_DISTANCE ? port - BUS_DISTANCE : port;
}

function pairOf(from: number, to: number): string {
  return `${serverOf(from)}-${serverOf(to)}`;
}

const BUS_DISTANCE = 10_000;
const LOOK_AGAIN_MS = 100;
