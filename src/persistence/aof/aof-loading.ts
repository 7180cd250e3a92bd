import { closeSync, openSync, readSync, truncateSync } from 'node:fs';
import type { Engine } from '../../engine/engine.js';
import { DamagedFile, RdbLoader } from '../../rdb/rdb-loader.js';
import { FileBytes } from '../file-bytes.js';
import { functionLoading } from '../function-loading.js';
import { Pace } from '../pace.js';
import type { AofFolder } from './aof-folder.js';
import { AofReader, Found } from './aof-reader.js';
import type { Part } from './manifest.js';
import { Replay, UnknownCommand } from './replay.js';

/** A part of the append-only file that cannot be loaded. The message begins with Redis's text. */
export class AofDamaged extends Error {
  readonly file: string;
  readonly position: number;

  constructor(file: string, damage: DamagedFile) {
    const { position, reason } = damage;
    super(`${kindOf(damage)} reading the append only file ${file}, byte ${position}: ${reason}`);
    this.name = 'AofDamaged';
    this.file = file;
    this.position = position;
  }
}

function kindOf(damage: DamagedFile): string {
  if (damage instanceof UnknownCommand) return `Unknown command '${damage.command}'`;
  return damage instanceof EndsEarly ? 'Unexpected end of file' : 'Bad file format';
}

/** The file ends in the middle of a command or transaction, where that is not allowed. */
class EndsEarly extends DamagedFile {}

/**
 * Loads base and increments, in order, into an engine. Throws `AofDamaged`, or the system's error if a file of the
 * manifest is missing. An incomplete command or transaction at the very end is dropped, if `aof-load-truncated`
 * allows it.
 */
export class AofLoading {
  readonly startedAt: number;
  /** The size of all files in bytes. */
  readonly size: number;
  usedMemory = 0;
  readonly #engine: Engine;
  readonly #folder: AofFolder;
  readonly #replay: Replay;
  readonly #pace: Pace;
  #before = 0;
  #current: { readonly position: number } = { position: 0 };

  constructor(engine: Engine, folder: AofFolder) {
    this.#engine = engine;
    this.#folder = folder;
    this.#replay = new Replay(engine);
    this.#pace = new Pace(engine.settings, 'key-load-delay');
    this.startedAt = engine.keyspace.clock.now();
    this.size = folder.parts.reduce((sum, part) => sum + folder.sizeOf(part), 0);
  }

  get position(): number {
    return this.#before + this.#current.position;
  }

  /** Loads everything at once. */
  loadNow(): void {
    const steps = this.#steps();
    while (!this.#step(steps)) this.#pace.block();
  }

  /** Loads in slices, and serves input in between. */
  async load(onSlice: () => void = () => {}): Promise<void> {
    const { keyspace, timers } = this.#engine;
    // Expired keys are deleted only by the commands in the file, also between slices.
    keyspace.expiryHolders.hold(this);
    try {
      const steps = this.#steps();
      while (!this.#step(steps)) {
        onSlice();
        await new Promise<void>((resolve) => void this.#pace.schedule(timers, resolve));
      }
    } finally {
      keyspace.expiryHolders.release(this);
    }
  }

  /** During loading, no client is notified and nothing is recorded, refused or expired. */
  #step(steps: Iterator<void>): boolean {
    const { keyspace } = this.#engine;
    keyspace.passTime();
    return keyspace.effects.silently(() => keyspace.asRecorded(() => steps.next().done === true));
  }

  *#steps(): Generator<void> {
    const { parts } = this.#folder;
    for (const part of parts) {
      const begun = this.#engine.keyspace.clock.now();
      yield* this.#loadPart(part, part === parts.at(-1));
      const seconds = ((this.#engine.keyspace.clock.now() - begun) / 1000).toFixed(3);
      const kind = part.type === 'b' ? 'base' : 'incr';
      this.#log('notice', `DB loaded from ${kind} file ${part.name}: ${seconds} seconds`);
    }
  }

  *#loadPart(part: Part, isLast: boolean): Generator<void> {
    const path = this.#folder.pathOf(part.name);
    try {
      const from = isRdb(path) ? yield* this.#loadRdb(path) : 0;
      yield* this.#loadCommands(part, path, from, isLast);
    } catch (error) {
      if (error instanceof DamagedFile) throw new AofDamaged(part.name, error);
      throw error;
    } finally {
      this.#before += this.#current.position;
      this.#current = { position: 0 };
    }
  }

  /** Returns the offset where the RDB ends: commands may follow in the same file. */
  *#loadRdb(path: string): Generator<void, number> {
    const { keyspace, settings } = this.#engine;
    const hasChecksum = settings.isOn('rdbchecksum');
    const file = new FileBytes(path, hasChecksum);
    this.#current = file;
    this.#log('notice', 'Reading RDB base file on AOF loading...');
    const loader = new RdbLoader(file, keyspace, {
      skipsExpired: false,
      replaces: false,
      isThorough: settings.text('sanitize-dump-payload') === 'yes',
      hasChecksum,
      onFunction: functionLoading(this.#engine, true),
    });
    try {
      while (!loader.step(performance.now() + SLICE_MS, this.#pace.keys)) yield;
      this.usedMemory = Number(loader.auxiliary.get('used-mem') ?? 0);
      return file.position;
    } finally {
      file.close();
    }
  }

  *#loadCommands(part: Part, path: string, from: number, isLast: boolean): Generator<void> {
    const reader = new AofReader(path, from);
    const replay = this.#replay;
    this.#current = reader;
    replay.enter(from);
    try {
      let found: Found;
      do {
        found = replay.step(reader, performance.now() + SLICE_MS, this.#pace.keys);
        yield;
      } while (found === Found.command);
      if (found === Found.cut || replay.isInTransaction) this.#dropRest(part, reader.size, isLast);
    } finally {
      reader.close();
    }
  }

  /** The process or the machine was stopped during a write: this incomplete part was never acknowledged. */
  #dropRest({ name }: Part, size: number, isLast: boolean): void {
    const { soundUpTo, isInTransaction } = this.#replay;
    if (isInTransaction)
      this.#log('warning', `Revert incomplete MULTI/EXEC transaction from AOF file ${name}`);
    if (!isLast) {
      throw new EndsEarly(
        soundUpTo,
        'the file ends in the middle of a command or transaction, and is not the last one',
      );
    }
    if (!this.#engine.settings.isOn('aof-load-truncated')) {
      throw new EndsEarly(
        soundUpTo,
        `the file ends in the middle of a command or transaction. Make a backup of it, then use 'sorrel check-aof --fix' on the ` +
          "manifest, or set 'aof-load-truncated yes' and start again",
      );
    }
    this.#log('warning', `!!! Warning: short read while loading the AOF file ${name}!!!`);
    this.#log(
      'warning',
      `!!! Truncating the AOF ${name} at offset ${soundUpTo} (${size - soundUpTo} bytes are dropped) !!!`,
    );
    truncateSync(this.#folder.pathOf(name), soundUpTo);
    this.#log('warning', `AOF ${name} loaded anyway because aof-load-truncated is enabled`);
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.#engine.host.log(level, message);
  }
}

/** Whether the file begins like an RDB file. */
export function isRdb(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(RDB_MAGIC.length);
    return readSync(fd, magic, 0, magic.length, 0) === magic.length && magic.equals(RDB_MAGIC);
  } finally {
    closeSync(fd);
  }
}

const RDB_MAGIC = Buffer.from('REDIS');
/** Clients wait at most this long for their LOADING error. */
const SLICE_MS = 5;
