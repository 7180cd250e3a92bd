import type { Store } from '../../store/index.js';
import { keyNaming } from '../foundation/index.js';
import { FORGET, NOTE } from './session-scripts.js';

/** Ms between noting a session and creating it, at most: after that it does not exist. */
const GRACE = 600_000;
/** Whenever a user has got this many more entries, those whose sessions do not exist are looked for. */
const MANY = 64;

/**
 * The sessions of each user. A user's keys are in another slot than the sessions, so that both cannot change together: an
 * id is noted before its session is created and removed after it is dropped, and each reader checks which sessions exist.
 */
export class UserIndex {
  readonly #store: Store;
  readonly #lifetime: number;
  readonly #keysOf: (user: string) => { readonly sessions: string };
  readonly #note;
  readonly #forget;

  constructor(store: Store, prefix: string, lifetime: number) {
    this.#store = store;
    this.#lifetime = lifetime;
    this.#keysOf = keyNaming('sessions', `${prefix}-user`, ['sessions']);
    this.#note = store.script(NOTE);
    this.#forget = store.script(FORGET);
  }

  check(user: string): void {
    this.#keysOf(user);
  }

  /** Returns whether it is time to look for entries of sessions that are gone. */
  async note(user: string, id: string): Promise<boolean> {
    return (await this.#note({ ...this.#keysOf(user), id, lifetime: this.#lifetime })) % MANY === 0;
  }

  async ids(user: string): Promise<string[]> {
    return (await this.#store.send('ZRANGE', this.#keysOf(user).sessions, 0, -1)) as string[];
  }

  /** After sessions were removed. */
  async remove(user: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#store.send('ZREM', this.#keysOf(user).sessions, ...ids);
  }

  /** Sessions that were not found: some may be about to be created. */
  async forgetMissing(user: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#forget({ ...this.#keysOf(user), lifetime: this.#lifetime, grace: GRACE, ids });
  }
}
