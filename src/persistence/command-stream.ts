import type { EffectCommand, EncodedSink } from '../keyspace/effects.js';
import { type RequestSink, RequestWriter } from '../resp/request-encoder.js';

/**
 * The effects of an engine as one stream of commands, for the append-only file or for replicas. The stream adds SELECT when
 * the database changes, and MULTI and EXEC around the commands of an atomic unit.
 */
export class CommandStream implements EncodedSink, RequestSink {
  /** Bytes written so far, framing included. */
  offset = 0;
  readonly #sink: RequestSink;
  readonly #reader: 'file' | 'replicas';
  readonly #writer = new RequestWriter(this);
  #selected = NONE;

  constructor(sink: RequestSink, reader: 'file' | 'replicas') {
    this.#sink = sink;
    this.#reader = reader;
  }

  /** The database of the last command; -1 if the next command begins with SELECT. */
  get selected(): number {
    return this.#selected;
  }

  /** Writes SELECT before the next command: the reader will not have read the earlier commands. */
  reselect(): void {
    this.#selected = NONE;
  }

  /** Whether any of the commands is for the reader of this stream. */
  concerns(commands: readonly EffectCommand[]): boolean {
    for (let i = 0; i < commands.length; i++)
      if (this.#isForReader(commands[i] as EffectCommand)) return true;
    return false;
  }

  /** Writes the commands of an atomic unit that are for the reader. `independent` commands need no MULTI and EXEC. */
  write(commands: readonly EffectCommand[], independent: boolean): void {
    if (commands.length === 1) {
      this.#writeCommand(commands[0] as EffectCommand);
      return;
    }
    const isTransaction = !independent && this.#countForReader(commands) > 1;
    let isFirst = true;
    for (let i = 0; i < commands.length; i++) {
      const command = commands[i] as EffectCommand;
      if (!this.#isForReader(command)) continue;
      this.#select(command.db);
      if (isFirst && isTransaction) this.#writer.begin(1).text('MULTI');
      isFirst = false;
      command.encodeTo(this);
    }
    if (isTransaction) this.#writer.begin(1).text('EXEC');
  }

  /** Most units of work are one command. */
  #writeCommand(command: EffectCommand): void {
    if (!this.#isForReader(command)) return;
    this.#select(command.db);
    command.encodeTo(this);
  }

  /** Writes bytes; also called for bytes that are not effects: annotations of the file, a master's PING. */
  bytes(buffer: Buffer, start: number, end: number): void {
    this.offset += end - start;
    this.#sink.bytes(buffer, start, end);
  }

  #isForReader({ onlyForReplicas, onlyForFile }: EffectCommand): boolean {
    return this.#reader === 'file' ? !onlyForReplicas : !onlyForFile;
  }

  #countForReader(commands: readonly EffectCommand[]): number {
    let count = 0;
    for (const command of commands) if (this.#isForReader(command)) count++;
    return count;
  }

  #select(db: number): void {
    if (db === this.#selected) return;
    this.#selected = db;
    this.#writer.begin(2).text('SELECT').text(db);
  }
}

const NONE = -1;
