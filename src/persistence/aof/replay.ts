import { Bytes, copyBytes } from '../../bytes/bytes.js';
import { CommandError } from '../../commands/errors.js';
import { Session, silentSink } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../../engine/engine.js';
import { DamagedFile } from '../../rdb/rdb-loader.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { type AofReader, Found } from './aof-reader.js';

/** A file has a command that this version does not know. */
export class UnknownCommand extends DamagedFile {
  readonly command: string;

  constructor(position: number, command: string) {
    super(position, `there is no command '${command}'`);
    this.command = command;
  }
}

/**
 * Runs the commands of a file in an engine, as an invisible client. A transaction runs when its EXEC has been read,
 * so an incomplete one has no effect.
 */
export class Replay {
  /** Everything before this offset has been run: where to truncate a file that ends inside a command or transaction. */
  soundUpTo = 0;
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #writer = new RespWriter(1 << 12);
  #transaction: { readonly command: Command; readonly args: Bytes[]; readonly at: number }[] | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#session = new Session(0, silentSink, engine.database(0), engine.keyspace.now);
    this.#session.kind = 'master';
  }

  get isInTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Runs the reader's commands until `performance.now()` passes `until`, and at most `max`. Returns the last result of `next`. */
  step(reader: AofReader, until: number, max: number): Found {
    for (let count = 1; ; count++) {
      const found = reader.next();
      if (found !== Found.command) return found;
      this.#take(reader);
      if (this.#transaction === undefined) this.soundUpTo = reader.position;
      if (count >= max || ((count & (BATCH - 1)) === 0 && performance.now() > until)) return Found.command;
    }
  }

  /** A new file begins at this position. */
  enter(position: number): void {
    this.soundUpTo = position;
    this.#transaction = undefined;
  }

  #take({ args, argc, begin }: AofReader): void {
    const name = args[0] as Bytes;
    if (name.is('multi')) {
      this.#transaction = [];
    } else if (name.is('exec')) {
      const commands = this.#transaction ?? [];
      this.#transaction = undefined;
      for (const { command, args: own, at } of commands) this.#run(command, own, own.length, at);
    } else {
      const command = this.#lookup(args, argc, begin);
      if (this.#transaction === undefined) this.#run(command, args, argc, begin);
      else this.#transaction.push({ command, args: copyOf(args, argc), at: begin });
    }
  }

  #lookup(args: readonly Bytes[], argc: number, at: number): Command {
    const command = this.#engine.table.find(args, argc);
    if (command === undefined) throw new UnknownCommand(at, String(args[0]));
    if (!command.accepts(argc)) {
      throw new DamagedFile(at, `'${command.fullName}' does not take ${argc - 1} arguments`);
    }
    return command;
  }

  /**
   * An error that a client would get is logged, as in Redis: the file itself is valid. With
   * `propagation-error-behavior panic` it ends the loading.
   */
  #run(command: Command, args: Bytes[], argc: number, at: number): void {
    try {
      this.#engine.execution.replay(this.#session, command, args, argc, this.#writer);
    } catch (error) {
      if (!(error instanceof CommandError)) {
        throw new DamagedFile(at, `'${command.fullName}' failed: ${(error as Error).message}`);
      }
      if (this.#engine.settings.text('propagation-error-behavior') === 'panic') {
        throw new DamagedFile(at, `'${command.fullName}' was answered with '${error.text}'`);
      }
      if (command.name === 'select') throw new DamagedFile(at, `SELECT was answered with '${error.text}'`);
      this.#engine.host.log(
        'warning',
        `The command '${command.fullName}' at byte ${at} of the append-only file was answered with '${error.text}'`,
      );
    } finally {
      this.#writer.reset();
    }
  }
}

function copyOf(args: readonly Bytes[], argc: number): Bytes[] {
  let size = 0;
  for (let i = 0; i < argc; i++) size += (args[i] as Bytes).length;
  const buffer = Buffer.allocUnsafeSlow(size);
  const copies: Bytes[] = [];
  for (let i = 0, at = 0; i < argc; i++) {
    const { buf, start, end } = args[i] as Bytes;
    const next = copyBytes(buf, start, end, buffer, at);
    copies.push(new Bytes(buffer, at, next));
    at = next;
  }
  return copies;
}

/** Commands between two checks of the clock. */
const BATCH = 64;
