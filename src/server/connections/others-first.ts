import { type Session, SessionGate } from '../../commands/session.js';
import type { Engine } from '../../engine/engine.js';

/**
 * Commands that tell about other clients wait until the event loop has read all input that arrived before them.
 *
 * The kernel may name the connection that was served last first, although others have sent something earlier: then a client that has
 * closed its connection would still be there, and what it has sent not yet. Redis asks the kernel again so soon after a reply that this
 * seldom shows.
 */
export class OthersFirst {
  readonly #engine: Engine;
  readonly #waiting: Session[] = [];
  /** They have waited: their command runs when they pass it in again. */
  readonly #ready = new Set<Session>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns true if the session's command must wait. The session is then blocked, and resumed after this round of the event loop. */
  waits(session: Session): boolean {
    if (this.#ready.delete(session)) return false;
    session.postponed = true;
    session.gates |= SessionGate.blocked;
    if (this.#waiting.push(session) === 1) setImmediate(() => this.#resumeAll());
    return true;
  }

  drop(session: Session): void {
    this.#ready.delete(session);
    const at = this.#waiting.indexOf(session);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** All at once: none of them shows the others as blocked. */
  #resumeAll(): void {
    const sessions = this.#waiting.splice(0);
    if (sessions.length === 0) return;
    this.#engine.beginTurn();
    for (const session of sessions) {
      session.gates &= ~SessionGate.blocked;
      this.#ready.add(session);
      this.#engine.resumeLater(session);
    }
    this.#engine.endTurn();
  }
}
