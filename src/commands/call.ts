import type { Bytes } from '../bytes/bytes.js';
import { parseDouble } from '../bytes/numbers/double.js';
import { parseInteger, parseInteger64 } from '../bytes/numbers/integer.js';
import type { Database } from '../keyspace/database.js';
import type { Effects } from '../keyspace/effects.js';
import type { Entry } from '../keyspace/entry.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { EnginePort, Wait } from './engine-port.js';
import { type CommandError, errors } from './errors.js';
import type { Session } from './session.js';
import type { Command } from './table.js';

/**
 * One command being run: its arguments, the database it works on, and where its reply goes. Handlers take nothing else.
 *
 * The object and the argument views are reused for the next command: keep neither.
 */
export class Call {
  readonly engine: EnginePort;
  readonly keyspace: Keyspace;
  readonly effects: Effects;

  /** `args[0]` is the command's name; valid up to `argc`. */
  args: Bytes[] = [];
  argc = 0;
  command!: Command;
  session!: Session;
  db!: Database;
  reply!: Reply;
  /** False in a transaction or script: a blocking command then replies as if its timeout had expired. */
  mayBlock = true;
  /** True in a script, where some options are not allowed at all. */
  isScript = false;

  /** When the command declared that it will visit many elements (`performance.now`); 0 if it did not. */
  timedSince = 0;

  constructor(engine: EnginePort) {
    this.engine = engine;
    this.keyspace = engine.keyspace;
    this.effects = engine.keyspace.effects;
  }

  arg(index: number): Bytes {
    return this.args[index] as Bytes;
  }

  /** The argument as a latin1 string. */
  text(index: number): string {
    return (this.args[index] as Bytes).toString();
  }

  /** Copies of the arguments from `from` up to, but not including, `to`, for use after the call. */
  copyArgs(from: number, to: number): Bytes[] {
    const copies: Bytes[] = [];
    for (let i = from; i < to; i++) copies.push(this.arg(i).copy());
    return copies;
  }

  /** Unix ms, the same during the whole command. */
  get now(): number {
    return this.keyspace.now;
  }

  /** Declares how many elements the command is about to visit, if its row is one of `COUNTING_COMMANDS`. */
  visits(elements: number): void {
    if (elements > MAX_UNTIMED_ELEMENTS) this.timedSince = performance.now();
  }

  // ---- keys ----

  /** The entry at the key in argument `index`, for reading; 0 if there is none; an error if it is of another type. */
  read(index: number, type: Type): Entry {
    const entry = this.keyspace.read(this.db, this.args[index] as Bytes);
    if (entry !== 0 && this.db.type(entry) !== type) throw errors.wrongType;
    return entry;
  }

  /** The same for a command that changes the value. */
  write(index: number, type: Type): Entry {
    const entry = this.keyspace.write(this.db, this.args[index] as Bytes);
    if (entry !== 0 && this.db.type(entry) !== type) throw errors.wrongType;
    return entry;
  }

  // ---- numbers ----

  /** A 64-bit integer argument. Beyond 2^53 the number is the nearest double: for counts, indexes and times. */
  integer(index: number, otherwise: CommandError = errors.notInteger): number {
    const { buf, start, end } = this.args[index] as Bytes;
    const value = parseInteger(buf, start, end);
    if (!Number.isNaN(value)) return value;
    return Number(this.#integer64(buf, start, end, otherwise));
  }

  /** A 64-bit integer argument, exact. */
  integer64(index: number, otherwise: CommandError = errors.notInteger): bigint {
    const { buf, start, end } = this.args[index] as Bytes;
    return this.#integer64(buf, start, end, otherwise);
  }

  #integer64(buf: Buffer, start: number, end: number, otherwise: CommandError): bigint {
    const value = parseInteger64(buf, start, end);
    if (value === undefined) throw otherwise;
    return value;
  }

  /** An integer argument within [min, max]. */
  integerWithin(index: number, min: number, max: number, otherwise: CommandError): number {
    const value = this.integer(index);
    if (value < min || value > max) throw otherwise;
    return value;
  }

  double(index: number, otherwise: CommandError = errors.notFloat): number {
    const { buf, start, end } = this.args[index] as Bytes;
    const value = parseDouble(buf, start, end);
    if (Number.isNaN(value)) throw otherwise;
    return value;
  }

  // ---- waiting ----

  /**
   * Blocks the client until one of the keys can serve it or the timeout expires. Where blocking is not allowed, replies
   * at once as if the timeout had expired.
   */
  block(wait: Wait): void {
    if (this.mayBlock) this.engine.block(this.session, wait);
    else wait.timedOut(this.reply);
  }
}

/** Visiting this many elements takes some microseconds. */
const MAX_UNTIMED_ELEMENTS = 128;
