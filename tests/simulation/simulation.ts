import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { Network } from './network.js';
import { SimulatedSentinel } from './simulated-sentinel.js';
import { SimulatedServer } from './simulated-server.js';
import { VirtualTime } from './virtual-time.js';

/** Servers, a network and a clock in one process. The same seed gives the same history. */
export class Simulation {
  readonly time = new VirtualTime();
  readonly random: RandomSource;
  readonly network: Network;
  readonly servers: SimulatedServer[] = [];
  readonly sentinels: SimulatedSentinel[] = [];
  /** Whether all work that is done in slices is done in the smallest ones. Otherwise mostly at once. */
  hasSmallSlices = false;
  /** Called after every event; throws if something is wrong. */
  check: () => void = () => {};

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.network = new Network(this.time, this.random);
  }

  addServer(settings: Readonly<Record<string, string>> = {}): SimulatedServer {
    const server = new SimulatedServer(this, 7001 + this.servers.length, settings);
    this.servers.push(server);
    return server;
  }

  addSentinel(lines: readonly string[]): SimulatedSentinel {
    const sentinel = new SimulatedSentinel(this, 8001 + this.sentinels.length, lines);
    this.sentinels.push(sentinel);
    return sentinel;
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const end = this.time.now() + ms;
    while (this.time.step(end)) {
      // Promises that the event has resolved.
      await new Promise((resolve) => setImmediate(resolve));
      this.check();
    }
  }

  /** Lets time pass until the condition holds. */
  async passUntil(holds: () => boolean, maxMs = 600_000): Promise<void> {
    const end = this.time.now() + maxMs;
    while (!holds()) {
      if (!this.time.step(end)) throw new Error(`not within ${maxMs} ms:\n${this.report()}`);
      await new Promise((resolve) => setImmediate(resolve));
      this.check();
    }
  }

  close(): void {
    for (const each of [...this.servers, ...this.sentinels]) each.crash();
  }

  /** The state of all servers, for errors. */
  report(): string {
    const sentinels = this.sentinels.map(
      ({ port, isRunning, log }) =>
        `${port} Sentinel${isRunning ? '' : ', down'}\n    ${log.slice(-12).join('\n    ')}`,
    );
    const servers = this.servers.map(({ port, isRunning, replication, offset, historyId, log }) => {
      const role =
        replication.link === undefined
          ? 'master'
          : `${replication.link.state} to ${replication.link.address.port}`;
      return `${port} ${isRunning ? role : 'down'} ${historyId.slice(0, 6)}:${offset}\n    ${log.slice(-6).join('\n    ')}`;
    });
    return [...servers, ...sentinels].join('\n');
  }
}
