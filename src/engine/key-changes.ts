import type { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { ChangeListener } from '../keyspace/effects.js';
import type { Engine } from './engine.js';
import type { WatchedKeys } from './watched-keys.js';

/** Passes changes of keys on to those who asked: WATCH and client tracking. */
export class KeyChanges implements ChangeListener {
  readonly #engine: Engine;
  readonly #watched: WatchedKeys;

  constructor(engine: Engine, watched: WatchedKeys) {
    this.#engine = engine;
    this.#watched = watched;
  }

  keyChanged(db: Database, key: Bytes): void {
    if (!this.#watched.isEmpty) this.#watched.changed(db, key);
    const { tracking, execution } = this.#engine;
    if (tracking.isActive) tracking.changed(key, execution.client);
  }

  keyVanished(db: Database, key: Bytes): void {
    if (!this.#watched.isEmpty) this.#watched.changed(db, key);
    const { tracking } = this.#engine;
    if (tracking.isActive) tracking.changed(key, undefined);
  }

  flushing(databases: readonly Database[]): void {
    for (const db of databases) this.#watched.flushing(db);
    if (this.#engine.tracking.isActive) this.#engine.tracking.flushing();
  }

  swapping(a: Database, b: Database): void {
    this.#watched.swapping(a, b);
  }
}
