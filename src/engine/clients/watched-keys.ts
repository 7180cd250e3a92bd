import { Bytes } from '../../bytes/bytes.js';
import type { Session, WatchedKey } from '../../commands/session.js';
import type { Database } from '../../keyspace/database.js';
import type { EffectsListener } from '../../keyspace/effects.js';
import type { Keyspace } from '../../keyspace/keyspace.js';

/**
 * The keys that sessions WATCH. When one changes, the session is marked (`watchFailed`), and its next EXEC replies null.
 *
 * A key that had expired but was still stored when it was watched counts as absent: deleting it is not a change.
 */
export class WatchedKeys implements EffectsListener {
  readonly #keyspace: Keyspace;
  /** By database number, then by key, then by session. */
  readonly #watches = new Map<number, Map<string, Map<Session, WatchedKey>>>();

  /** Set while a key is watched. */
  #unsubscribe: (() => void) | undefined;

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  add(session: Session, key: Bytes): void {
    const text = key.toString();
    const db = session.db.index;
    const byKey = this.#watches.get(db) ?? new Map<string, Map<Session, WatchedKey>>();
    this.#watches.set(db, byKey);
    const watches = byKey.get(text) ?? new Map<Session, WatchedKey>();
    byKey.set(text, watches);
    if (watches.has(session)) return;
    const watch: WatchedKey = { session, db, key: text, wasExpired: this.#isExpired(session.db, key) };
    session.watched.push(watch);
    watches.set(session, watch);
    this.#unsubscribe ??= this.#keyspace.effects.subscribe(this);
  }

  removeAll(session: Session): void {
    for (const watch of session.watched) {
      const byKey = this.#watches.get(watch.db);
      const watches = byKey?.get(watch.key);
      watches?.delete(session);
      if (watches?.size === 0) byKey?.delete(watch.key);
      if (byKey?.size === 0) this.#watches.delete(watch.db);
    }
    session.watched = [];
    if (this.#watches.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Whether one of the session's keys has expired since it was watched, whether or not it has been deleted. */
  someExpired(session: Session): boolean {
    return session.watched.some(
      (watch) => !watch.wasExpired && this.#isExpired(this.#database(watch.db), Bytes.of(watch.key)),
    );
  }

  keyChanged(db: Database, key: Bytes): void {
    // A key that is too long for a string cannot be watched.
    if (!key.fitsText) return;
    const watches = this.#watches.get(db.index)?.get(key.toString());
    if (watches === undefined) return;
    for (const watch of [...watches.values()]) {
      if (watch.wasExpired && db.find(key) === 0) watch.wasExpired = false;
      else this.#fail(watch);
    }
  }

  keyVanished(db: Database, key: Bytes): void {
    this.keyChanged(db, key);
  }

  flushing(databases: readonly Database[]): void {
    for (const db of databases) this.#replacing(db, undefined);
  }

  swapping(a: Database, b: Database): void {
    // Watches stay with the database number, so compare in both directions.
    this.#replacing(a, b);
    this.#replacing(b, a);
  }

  #replacing(db: Database, replacement: Database | undefined): void {
    for (const [text, watches] of this.#watches.get(db.index) ?? []) {
      const key = Bytes.of(text);
      const existed = db.find(key) !== 0;
      const exists = replacement !== undefined && replacement.find(key) !== 0;
      if (!existed && !exists) continue;
      const isExpired = exists && this.#isExpired(replacement, key);
      for (const watch of [...watches.values()]) {
        if (watch.wasExpired && !exists) watch.wasExpired = false;
        else if (watch.wasExpired && isExpired) continue;
        else if (!watch.wasExpired && !existed && isExpired) watch.wasExpired = true;
        else this.#fail(watch);
      }
    }
  }

  #fail({ session }: WatchedKey): void {
    session.watchFailed = true;
    this.removeAll(session);
  }

  #isExpired(db: Database, key: Bytes): boolean {
    const entry = db.find(key);
    return entry !== 0 && this.#keyspace.isExpired(db, entry);
  }

  #database(index: number): Database {
    return this.#keyspace.databases[index] as Database;
  }
}
