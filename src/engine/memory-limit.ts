import { FLAG } from '../commands/flag.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import { Eviction, type EvictionPolicy } from '../keyspace/eviction.js';
import type { Engine } from './engine.js';
import { EngineGate, flagsOf } from './gates.js';

/** Enforces `maxmemory`: before a command runs, keys are evicted; where that is not enough, commands that use memory are refused. */
export class MemoryLimit {
  readonly #engine: Engine;
  readonly #eviction: Eviction;
  readonly #used: () => number;
  #milliseconds = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#eviction = new Eviction(engine.keyspace);
    this.#used = () => engine.keyspace.usedBytes;
    this.#followSettings();
  }

  /** Makes room, and tells whether the command must be refused for want of it. */
  refuses(session: Session, command: Command): boolean {
    if (this.#eviction.makeRoom(this.#used, this.#milliseconds)) return false;
    // Queueing takes memory too; only what ends a transaction is let through.
    const queueing = (session.gates & SessionGate.transaction) !== 0 && !ENDS_TRANSACTION.has(command.name);
    return queueing || (flagsOf(session, command) & FLAG.denyoom) !== 0;
  }

  /** Goes on making room where the last command ran out of time. */
  continue(): void {
    if ((this.#engine.gates & EngineGate.maxmemory) !== 0) {
      this.#eviction.makeRoom(this.#used, this.#milliseconds);
    }
  }

  #followSettings(): void {
    const { settings, keyspace } = this.#engine;
    const eviction = this.#eviction;
    settings.onChange('maxmemory', (text) => {
      eviction.maxmemory = Number(text);
      if (eviction.maxmemory === 0) this.#engine.gates &= ~EngineGate.maxmemory;
      else this.#engine.gates |= EngineGate.maxmemory;
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
}

/** Milliseconds that one command may spend evicting: 0.5 at tenacity 10, then growing by 15 % a step, no limit at 100. */
function evictionTime(tenacity: number): number {
  if (tenacity <= 10) return 0.05 * tenacity;
  return tenacity < 100 ? 0.5 * 1.15 ** (tenacity - 10) : Number.POSITIVE_INFINITY;
}

const ENDS_TRANSACTION = new Set(['exec', 'discard', 'quit', 'reset']);
