import type { Bytes } from '../../bytes/bytes.js';
import type { PausePort } from '../../commands/engine-port.js';
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

  /** Ends the pause if it is due. Returns when it will end, in Unix ms; 0 if there is no pause. */
  endIfDue(now: number): number {
    if (this.#kind !== undefined && this.#until <= now) this.unpause();
    return this.#until;
  }

  /** Returns true if the command must wait. The session must pass it in again when it is resumed. */
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

  /** Forgets a closed session. */
  drop(session: Session): void {
    const at = this.#waiting.indexOf(session);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
