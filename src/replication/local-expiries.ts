import { Bytes } from '../bytes/bytes.js';
import type { Engine } from '../engine/engine.js';
import type { Database } from '../keyspace/database.js';
import type { EffectsListener } from '../keyspace/effects.js';

/**
 * Keys that clients of a writable replica have written. A replica deletes no expired keys, since its master will; but the
 * master does not know these.
 */
export class LocalExpiries implements EffectsListener {
  readonly #engine: Engine;
  readonly #keys = new Map<Database, Set<string>>();
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts or stops recording the keys that clients write. */
  watch(isWritable: boolean): void {
    if (isWritable) {
      this.#unsubscribe ??= this.#engine.keyspace.effects.subscribe(this);
      return;
    }
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#keys.clear();
  }

  /** The number of keys that will expire. */
  get size(): number {
    let size = 0;
    for (const [db, keys] of this.#keys) {
      for (const text of keys) if (expiryOf(db, Bytes.of(text)) >= 0) size++;
    }
    return size;
  }

  keyChanged(db: Database, key: Bytes): void {
    if (this.#engine.execution.client?.kind === 'master' || !key.fitsText) return;
    const keys = this.#keys.get(db);
    if (keys === undefined) this.#keys.set(db, new Set([key.toString()]));
    else keys.add(key.toString());
  }

  flushing(databases: readonly Database[]): void {
    for (const db of databases) this.#keys.delete(db);
  }

  /** Deletes the keys that have expired. */
  expireDue(): void {
    const { keyspace } = this.#engine;
    for (const [db, keys] of this.#keys) {
      for (const text of keys) {
        const key = Bytes.of(text);
        const at = expiryOf(db, key);
        if (at >= 0 && at >= keyspace.now) continue;
        keys.delete(text);
        if (at >= 0) keyspace.expire(db, db.find(key), key);
      }
    }
    if (keyspace.effects.recording) keyspace.effects.flush(true);
  }
}

/** When the key expires, in Unix ms; negative if there is no such key, or it does not expire. */
function expiryOf(db: Database, key: Bytes): number {
  const entry = db.find(key);
  return entry === 0 ? -1 : db.expiries.timeOf(entry);
}
