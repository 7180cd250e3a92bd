import { FLAG } from '../commands/flag.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import { Eviction, type EvictionPolicy, type Room } from '../keyspace/eviction.js';
import type { Engine } from './engine.js';
import { EngineGate, flagsOf } from './running/gates.js';

/**
 * Enforces `maxmemory`. Before a command runs, keys are evicted; if that does not free enough, commands that use memory
 * are refused. If evicting takes too long, it continues in the background.
 */
export class MemoryLimit {
  readonly #engine: Engine;
  readonly #eviction: Eviction;
  readonly #used: () => number;
  #milliseconds = 0;
  /** `replica-ignore-maxmemory`: a replica deletes only what its master deletes. */
  #isMasters = true;
  #isExhausted = false;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#eviction = new Eviction(engine.keyspace);
    // What slow replicas have not read yet must not evict keys: the deletions would have to be sent, too.
    this.#used = () => engine.usedMemory - engine.replication.slowReaderBytes;
    this.#followSettings();
  }

  /** Whether memory was exhausted when the running command began. This holds for a script until it ends. */
  get isExhausted(): boolean {
    return this.#isExhausted && (this.#engine.gates & EngineGate.maxmemory) !== 0;
  }

  /** Evicts keys; returns true if the command must still be refused. */
  refuses(session: Session, command: Command): boolean {
    const room = this.#makeRoom();
    this.#isExhausted = room !== 'enough' && room !== 'partly';
    if (room === 'enough') return false;
    if (room === 'partly') {
      this.#engine.background.workSoon();
      return false;
    }
    // Queueing takes memory, too: inside a transaction only the commands that end it are allowed.
    const queueing =
      (session.gates & SessionGate.transaction) !== 0 && !ENDS_TRANSACTION.has(command.fullName);
    return queueing || (flagsOf(session, command) & FLAG.denyoom) !== 0;
  }

  /** Continues evicting after a command ran out of time. Returns true if there is more to do. */
  continue(): boolean {
    return (this.#engine.gates & EngineGate.maxmemory) !== 0 && this.#makeRoom() === 'partly';
  }

  #makeRoom(): Room {
    const { gates, keyspace, latencyMonitor } = this.#engine;
    // CLIENT PAUSE: the data must not change.
    if ((gates & EngineGate.paused) !== 0) return 'enough';
    if (this.#isMasters && this.#engine.replication.isReplica) return 'enough';
    const began = latencyMonitor.start();
    const room = this.#eviction.makeRoom(this.#used, this.#milliseconds);
    latencyMonitor.note(latencyMonitor.since(began), 'eviction-cycle');
    // Evictions are recorded apart from the command that caused them.
    if (keyspace.effects.recording) keyspace.effects.flush(true);
    return room;
  }

  #followSettings(): void {
    const { settings, keyspace } = this.#engine;
    const eviction = this.#eviction;
    settings.onChange('maxmemory', (text) => this.#setLimit(Number(text)));
    settings.onChange('replica-ignore-maxmemory', (text) => {
      this.#isMasters = text === 'yes';
    });
    settings.onChange('maxmemory-policy', (text) => {
      eviction.policy = text as EvictionPolicy;
      keyspace.usage.countsFrequency = text.endsWith('lfu');
    });
    settings.onChange('maxmemory-samples', (text) => {
      eviction.samples = Number(text);
    });
    settings.onChange('maxmemory-eviction-tenacity', (text) => {
      this.#milliseconds = evictionTime(Number(text));
    });
    settings.onChange('lazyfree-lazy-eviction', (text) => {
      eviction.lazy = text === 'yes';
    });
    settings.onChange('lfu-log-factor', (text) => {
      keyspace.usage.logFactor = Number(text);
    });
    settings.onChange('lfu-decay-time', (text) => {
      keyspace.usage.decayMinutes = Number(text);
    });
  }

  #setLimit(bytes: number): void {
    const engine = this.#engine;
    this.#eviction.maxmemory = bytes;
    if (bytes === 0) {
      engine.gates &= ~EngineGate.maxmemory;
      return;
    }
    engine.gates |= EngineGate.maxmemory;
    if (engine.usedMemory <= bytes) return;
    engine.host.log(
      'warning',
      `WARNING: the new maxmemory value set via CONFIG SET (${bytes}) is smaller than the current memory usage ` +
        `(${engine.usedMemory}). This will result in key eviction and/or the inability to accept new write commands ` +
        'depending on the maxmemory-policy.',
    );
    engine.background.workSoon();
  }
}

/**
 * The memory of an empty engine. The figure is the one Redis reports for itself, so that a `maxmemory` chosen for Redis
 * leaves about as much for the data.
 */
export const STARTUP_BYTES = 860 * 1024;

/** Milliseconds that one command may spend evicting: 0.5 at tenacity 10, then growing by 15 % a step, no limit at 100. */
function evictionTime(tenacity: number): number {
  if (tenacity <= 10) return 0.05 * tenacity;
  return tenacity < 100 ? 0.5 * 1.15 ** (tenacity - 10) : Number.POSITIVE_INFINITY;
}

const ENDS_TRANSACTION = new Set(['exec', 'discard', 'quit', 'reset']);
