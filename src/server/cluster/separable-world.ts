import type { Clock } from '../../bytes/clock.js';
import type { BusConnection } from '../../cluster/bus-link.js';
import type { BusEvents, ClusterWorld } from '../../cluster/cluster-world.js';
import type { Address, Link, LinkEvents, World } from '../../replication/world.js';

/**
 * A clock that goes on by at most `MAX_STEP_MS` while the process stands still. All servers of a process stand still together: none of
 * them must take the others for dead when they continue.
 */
class UnstalledClock implements Clock {
  #now = Date.now();
  #readAt = performance.now();
  readonly #ticking = setInterval(() => this.#read(), MAX_STEP_MS / 4).unref();

  #read(): number {
    const at = performance.now();
    this.#now += Math.min(at - this.#readAt, MAX_STEP_MS);
    this.#readAt = at;
    return this.#now;
  }

  now(): number {
    return Math.floor(this.#read());
  }

  micros(): number {
    return Math.floor(this.#read() * 1000);
  }

  stop(): void {
    clearInterval(this.#ticking);
  }
}

const MAX_STEP_MS = 40;

/** A connection that is never made. */
class Unreachable implements Link, BusConnection {
  readonly localAddress = '';
  readonly localHost = '';
  readonly remoteHost = '';
  readonly unsent = 0;
  readonly #report: NodeJS.Immediate;

  constructor(events: LinkEvents) {
    this.#report = setImmediate(() => events.closed('the network is separated'));
  }

  send(): void {}

  pause(): void {}

  resume(): void {}

  close(): void {
    clearImmediate(this.#report);
  }
}

interface OpenConnection {
  readonly from: number;
  readonly to: number;
  cut(): void;
}

/**
 * The network between servers of this process, which are named by their ports for clients. It can be separated: connections between two
 * sides are cut, and new ones fail.
 */
export class SeparableNetwork {
  readonly #clock = new UnstalledClock();
  /** The port for clients by the port of the bus. */
  readonly #portsByBus = new Map<number, number>();
  readonly #open = new Set<OpenConnection>();
  #separated: ReadonlySet<number> = new Set();

  add(port: number, busPort: number): void {
    this.#portsByBus.set(busPort, port);
  }

  /** These servers reach each other, and the others reach each other, but not across. */
  separate(ports: Iterable<number>): void {
    this.#separated = new Set(ports);
    for (const connection of [...this.#open]) {
      if (!this.#reaches(connection.from, connection.to)) connection.cut();
    }
  }

  heal(): void {
    this.#separated = new Set();
  }

  /** Stops the clock. */
  close(): void {
    this.#clock.stop();
  }

  /** Whether the server is on the side that has more of these servers. */
  isInLargerPart(port: number, ports: readonly number[]): boolean {
    const isSeparated = this.#separated.has(port);
    const onItsSide = ports.filter((each) => this.#separated.has(each) === isSeparated).length;
    return onItsSide * 2 > ports.length;
  }

  #reaches(from: number, to: number): boolean {
    return this.#separated.has(from) === this.#separated.has(to);
  }

  /** The world of replication. Its clock is not that of keys, which may be moved. */
  world<W extends World>(port: number, world: W): W {
    return {
      ...world,
      clock: this.#clock,
      connect: (address: Address, events: LinkEvents): Link =>
        this.#connect(port, address.port, events, (watched) => world.connect(address, watched)),
    };
  }

  clusterWorld(port: number, world: ClusterWorld): ClusterWorld {
    return {
      ...this.world(port, world),
      connectBus: (address: Address, events: BusEvents): BusConnection =>
        this.#connect(port, this.#portsByBus.get(address.port) ?? 0, events, (watched) =>
          world.connectBus(address, watched),
        ),
    };
  }

  #connect<Connection extends { close(): void }>(
    from: number,
    to: number,
    events: LinkEvents,
    connect: (events: LinkEvents) => Connection,
  ): Connection | Unreachable {
    if (!this.#reaches(from, to)) return new Unreachable(events);
    let isOver = false;
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(opened);
      events.closed(reason);
    };
    const opened: OpenConnection = {
      from,
      to,
      cut: () => {
        if (isOver) return;
        connection.close();
        events.closed('the network is separated');
      },
    };
    const connection = connect({
      connected: () => {
        if (!isOver) events.connected();
      },
      received: (chunk) => {
        if (!isOver) events.received(chunk);
      },
      closed: end,
    });
    // A connection that its owner closes reports nothing.
    const close = connection.close.bind(connection);
    connection.close = () => {
      isOver = true;
      this.#open.delete(opened);
      close();
    };
    this.#open.add(opened);
    return connection;
  }
}
