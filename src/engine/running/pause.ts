import type { Bytes } from '../../bytes/bytes.js';
import type { PausePort, PausePurpose } from '../../commands/engine-port.js';
import { FLAG } from '../../commands/flag.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../engine.js';
import { EngineGate } from './gates.js';

/**
 * CLIENT PAUSE. Commands, and the input behind them, wait until the pause ends, and then run in order of arrival. Keys do
 * not expire during the pause: the data does not change, so that a replica can catch up.
 */
export class Pause implements PausePort {
  readonly #engine: Engine;
  readonly #pauses = new Map<PausePurpose, { readonly kind: 'all' | 'write'; readonly until: number }>();
  /** The strictest kind of all pauses. */
  #kind: 'all' | 'write' | undefined;
  #waiting: Session[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  pause(kind: 'all' | 'write', until: number, purpose: PausePurpose = 'command'): void {
    const before = this.#pauses.get(purpose);
    this.#pauses.set(purpose, {
      kind: before?.kind === 'all' ? 'all' : kind,
      until: Math.max(before?.until ?? 0, until),
    });
    this.#update();
    this.#engine.gates |= EngineGate.paused;
    this.#engine.keyspace.expiryHolders.hold(this);
    this.#engine.wakeAt(this.#nextEnd);
  }

  unpause(purpose: PausePurpose = 'command'): void {
    if (this.#pauses.delete(purpose)) this.#update();
  }

  #update(): void {
    const kinds = [...this.#pauses.values()].map(({ kind }) => kind);
    this.#kind = kinds.includes('all') ? 'all' : kinds[0];
    // Commands that a weaker pause allows run; the others wait again.
    if (this.#kind !== 'all') this.#resumeAll();
    if (this.#kind !== undefined) return;
    this.#engine.gates &= ~EngineGate.paused;
    this.#engine.keyspace.expiryHolders.release(this);
  }

  #resumeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const session of waiting) {
      session.gates &= ~SessionGate.blocked;
      this.#engine.resumeLater(session);
    }
  }

  /** When the first pause ends, in Unix ms; 0 if there is none. */
  get #nextEnd(): number {
    const ends = [...this.#pauses.values()].map(({ until }) => until);
    return ends.length === 0 ? 0 : Math.min(...ends);
  }

  /** Ends pauses that are due. Returns when the next one will end, in Unix ms; 0 if there is no pause. */
  endIfDue(now: number): number {
    for (const [purpose, { until }] of [...this.#pauses]) if (until <= now) this.unpause(purpose);
    return this.#nextEnd;
  }

  /** Returns true if the command must wait. The session must pass it in again when it is resumed. */
  holdsBack(session: Session, command: Command, args: readonly Bytes[]): boolean {
    if (this.#kind === undefined || session.kind === 'replica') return false;
    if (this.#kind === 'write' && !this.#mayWrite(session, command, args)) return false;
    session.postponed = true;
    session.gates |= SessionGate.blocked;
    this.#waiting.push(session);
    return true;
  }

  #mayWrite(session: Session, command: Command, args: readonly Bytes[]): boolean {
    const isExec = command.name === 'exec';
    const flags = isExec ? session.queuedFlags : this.#engine.scripting.commandFlags(command, args);
    return (flags & (FLAG.write | FLAG.may_replicate)) !== 0;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Forgets a closed session. */
  drop(session: Session): void {
    const at = this.#waiting.indexOf(session);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
