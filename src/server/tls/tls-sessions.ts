/**
 * `tls-session-cache-size`: sessions of TLS 1.2 that clients without tickets can resume. OpenSSL itself refuses those older than
 * `tls-session-cache-timeout`. The oldest is forgotten first.
 */
export class TlsSessions {
  readonly #sessions = new Map<string, Buffer>();
  /** 0 is no limit, as in OpenSSL. */
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(id: Buffer, session: Buffer): void {
    this.#sessions.set(id.toString('latin1'), session);
    if (this.#max === 0 || this.#sessions.size <= this.#max) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }

  find(id: Buffer): Buffer | null {
    return this.#sessions.get(id.toString('latin1')) ?? null;
  }
}
