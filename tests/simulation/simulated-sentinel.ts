import { Bytes } from '../../src/bytes/bytes.js';
import { seededRandom } from '../../src/bytes/random.js';
import { Settings } from '../../src/commands/config/settings.js';
import type { Session } from '../../src/commands/session.js';
import { Engine } from '../../src/engine/engine.js';
import { RespWriter } from '../../src/resp/resp-writer.js';
import {
  applyDirectives,
  Sentinel,
  type SentinelWorld,
  sentinelTable,
  serveSentinel,
} from '../../src/sentinel/index.js';
import { NO_OUTPUT, SimulatedConnection } from './simulated-server.js';
import type { Simulation } from './simulation.js';

/** A Sentinel of a simulation. What it saved to its configuration file survives a crash. */
export class SimulatedSentinel {
  readonly port: number;
  readonly log: string[] = [];
  sentinel!: Sentinel;
  isRunning = false;
  life = 0;
  /** How far its clock is off, in ms. */
  clockError = 0;
  /** Called with each line of the log. */
  onLog: (message: string) => void = () => {};
  readonly #simulation: Simulation;
  #file: readonly string[];
  #client!: Session;
  readonly #writer = new RespWriter();
  #stopListening: () => void = () => {};

  /** `lines` are those of its configuration file. */
  constructor(simulation: Simulation, port: number, lines: readonly string[]) {
    this.#simulation = simulation;
    this.port = port;
    this.#file = lines;
    this.start();
  }

  start(): void {
    const { time, random, network } = this.#simulation;
    const settings = new Settings();
    settings.configure('port', String(this.port));
    const seed = random.integer(0x7fffffff);
    const clock = {
      now: () => time.now() + this.clockError,
      micros: () => time.micros() + this.clockError * 1000,
    };
    const engine = new Engine({
      settings,
      clock,
      timers: time,
      random: seededRandom(seed),
      table: sentinelTable,
      databases: 1,
    });
    engine.attach({
      host: {
        log: (_level, message) => {
          this.log.push(`${time.now()} ${message}`);
          this.onLog(message);
        },
      },
    });
    const life = ++this.life;
    const isAlive = (): boolean => life === this.life && this.isRunning;
    const world: SentinelWorld = {
      clock,
      timers: time,
      random: seededRandom(seed + 1),
      sliceEnd: () => Number.POSITIVE_INFINITY,
      connect: (address, events) =>
        network.connect(this.port, address, {
          connected: () => isAlive() && events.connected(),
          received: (chunk) => isAlive() && events.received(chunk),
          closed: (reason) => isAlive() && events.closed(reason),
        }),
      resolve: () => undefined,
      save: (lines) => {
        if (isAlive()) this.#file = lines;
      },
      runScript: () => undefined,
      isExecutable: () => false,
      crash: () => this.crash(),
    };
    this.isRunning = true;
    this.sentinel = new Sentinel(engine, world);
    serveSentinel(this.sentinel);
    applyDirectives(
      this.sentinel,
      this.#file.map((line) => ({
        words: line.split(' ').slice(1),
        refused: (reason) => new Error(`${line}: ${reason}`),
      })),
    );
    this.#client = engine.openSession(NO_OUTPUT);
    this.#stopListening = network.listen(this.port, (peer) => new SimulatedConnection(engine, peer));
    this.sentinel.start();
  }

  /** Runs a command of a client, and returns the reply as it would go over the wire. */
  run(...words: readonly (string | number)[]): string {
    const { engine } = this.sentinel;
    const args = words.map((word) => Bytes.of(String(word)));
    engine.beginTurn();
    engine.execute(this.#client, args, args.length, this.#writer);
    engine.endTurn();
    const reply = this.#writer.copyFrom(0).toString('latin1');
    this.#writer.reset();
    return reply;
  }

  crash(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.#stopListening();
    this.sentinel.close();
    this.sentinel.engine.close();
  }
}
