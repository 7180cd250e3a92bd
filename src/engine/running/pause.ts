import type { Bytes } from '../../bytes/bytes.js';
import type { PausePort } from '../../commands/engine-port.js';
import { FLAG } from '../../commands/flag.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../engine.js';
import { EngineGate } from './gates.js';

/**
 * CLIENT PAUSE: commands are held back, each client's input with them, and run in the order in which they came when the
 * pause ends. Keys do not expire meanwhile: the data stands still, so that a replica can catch up with it.
 */
export class Pause implements PausePort {
  readonly #engine: Engine;
  #kind: 'all' | 'write' | undefined;
  #until = 0;
  #waiting: Session[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  pause(kind: 'all' | 'write', until: number): void {
    this.#kind = this.#kind === 'all' ? 'all' : kind;
    this.#until = Math.max(this.#until, until);
    this.#engine.gates |= EngineGate.paused;
    this.#engine.keyspace.expiryHolders.hold(this);
    this.#engine.wakeAt(this.#until);
  }

  unpause(): void {
    if (this.#kind === undefined) return;
    this.#kind = undefined;
    this.#until = 0;
    this.#engine.gates &= ~EngineGate.paused;
    this.#engine.keyspace.expiryHolders.release(this);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const session of waiting) {
      session.gates &= ~SessionGate.blocked;
      this.#engine.resumeLater(session);
    }
  }

  /** When the pause ends, in Unix ms, after ending it if its time is up; 0 if there is none. */
  endIfDue(now: number): number {
    if (this.#kind !== undefined && this.#until <= now) this.unpause();
    return this.#until;
  }

  /** Holds the command back if it must wait; the session must then pass it in again when it is resumed. */
  holdsBack(session: Session, command: Command, args: readonly Bytes[]): boolean {
    if (this.#kind === undefined || session.kind === 'replica' || session.kind === 'master') return false;
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

  /** Forgets a session that has gone. */
  drop(session: Session): void {
    const at = this.#waiting.indexOf(session);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
