import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../commands/config/settings.js';
import type { AuthenticationPort } from '../../commands/engine-port.js';
import { type Session, SessionGate } from '../../commands/session.js';

/** The one user, `default`, and its password (`requirepass`). */
export class Authentication implements AuthenticationPort {
  readonly #sessions: ReadonlyMap<number, Session>;
  #password = '';

  constructor(sessions: ReadonlyMap<number, Session>, settings: Settings) {
    this.#sessions = sessions;
    settings.onChange('requirepass', (password) => {
      this.#password = password;
      // Authenticated sessions stay authenticated. If the password is removed, all sessions may run commands.
      for (const session of this.#sessions.values()) this.#applyGate(session);
    });
  }

  get hasPassword(): boolean {
    return this.#password !== '';
  }

  hasUser(name: string): boolean {
    return name === 'default';
  }

  authenticate(session: Session, user: string, password: string): boolean {
    if (user !== 'default') return false;
    if (this.hasPassword && !sameSecret(password, this.#password)) return false;
    session.user = user;
    session.authenticated = true;
    this.#applyGate(session);
    return true;
  }

  reset(session: Session): void {
    session.user = 'default';
    session.authenticated = !this.hasPassword;
    this.#applyGate(session);
  }

  #applyGate(session: Session): void {
    if (session.authenticated || !this.hasPassword) session.gates &= ~SessionGate.unauthenticated;
    else session.gates |= SessionGate.unauthenticated;
  }
}

/** Compares in constant time. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}
