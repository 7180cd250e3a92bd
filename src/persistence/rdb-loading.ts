import { statSync } from 'node:fs';
import type { Bytes } from '../bytes/bytes.js';
import type { Engine } from '../engine/engine.js';
import { RdbLoader } from '../rdb/rdb-loader.js';
import { FileBytes } from './file-bytes.js';
import { functionLoading } from './function-loading.js';
import { Pace } from './pace.js';

export interface LoadingOptions {
  /** Replace keys that already exist. */
  readonly replaces?: boolean;
  /** Keep keys that have already expired: on a replica, and in the base of an append-only file. */
  readonly keepsExpired?: boolean;
}

/** Loads an RDB file into an engine's keyspace. Throws `DamagedFile`, or the system's error if there is no such file. */
export class RdbLoading {
  readonly startedAt: number;
  readonly file: FileBytes;
  readonly loader: RdbLoader;
  readonly #engine: Engine;
  readonly #pace: Pace;

  constructor(engine: Engine, path: string, options: LoadingOptions = {}) {
    const { keyspace, settings } = engine;
    this.#engine = engine;
    this.#pace = new Pace(settings, 'key-load-delay');
    this.startedAt = keyspace.clock.now();
    const hasChecksum = settings.isOn('rdbchecksum');
    this.file = new FileBytes(path, hasChecksum);
    this.loader = new RdbLoader(this.file, keyspace, {
      skipsExpired: options.keepsExpired !== true && keyspace.deletesExpired,
      replaces: options.replaces === true,
      isThorough: settings.text('sanitize-dump-payload') === 'yes',
      hasChecksum,
      onFunction: functionLoading(engine, options.replaces === true),
      onEmpty: (key) => this.#logEmpty(key),
    });
  }

  /** Loads the whole file at once. */
  loadNow(): void {
    try {
      while (!this.#step(Number.POSITIVE_INFINITY)) this.#pace.block();
    } finally {
      this.file.close();
    }
    this.#report();
  }

  /** Loads in slices, and serves input in between. */
  async load(onSlice: () => void = () => {}): Promise<void> {
    try {
      while (!this.#step(performance.now() + SLICE_MS)) {
        onSlice();
        await new Promise<void>((resolve) => void this.#pace.schedule(this.#engine.timers, resolve));
      }
    } finally {
      this.file.close();
    }
    this.#report();
  }

  /** Loading sends no notifications. */
  #step(until: number): boolean {
    const { keyspace } = this.#engine;
    keyspace.passTime();
    return keyspace.effects.silently(() => this.loader.step(until, this.#pace.keys));
  }

  /** An old bug in Redis could leave empty keys in a file. They are logged so that the operator can find them. */
  #logEmpty(key: Bytes): void {
    if (this.loader.empty > MAX_LOGGED) return;
    this.#engine.host.log('warning', `rdbLoadObject skipping empty key: ${key.toString()}`);
  }

  #report(): void {
    const { auxiliary, loaded, expired, empty } = this.loader;
    const { host, keyspace } = this.#engine;
    const version = auxiliary.get('redis-ver');
    if (version !== undefined) host.log('notice', `Loading RDB produced by version ${version}`);
    const created = Number(auxiliary.get('ctime') ?? Number.NaN);
    const age = Math.floor(keyspace.clock.now() / 1000) - created;
    if (!Number.isNaN(age)) host.log('notice', `RDB age ${Math.max(0, age)} seconds`);
    const left = empty > 0 ? `, empty keys skipped: ${empty}` : '';
    host.log('notice', `Done loading RDB, keys loaded: ${loaded}, keys expired: ${expired}${left}.`);
    const seconds = (keyspace.clock.now() - this.startedAt) / 1000;
    host.log('notice', `DB loaded from disk: ${seconds.toFixed(3)} seconds`);
  }
}

export function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** How many empty keys are logged by name. */
const MAX_LOGGED = 10;
/** Long enough to load quickly. Clients wait at most this long for their LOADING error. */
const SLICE_MS = 5;
