import type { EffectCommand, EncodedSink } from '../keyspace/effects.js';
import { type RequestSink, RequestWriter } from '../resp/request-encoder.js';

/**
 * What an engine did, as one stream of commands: for the append-only file, or for replicas. SELECT stands before a command
 * of another database than the one before it, MULTI and EXEC around several commands that belong together.
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

  /** The next command is preceded by SELECT: what follows will be read without what was before. */
  reselect(): void {
    this.#selected = NONE;
  }

  /** Whether any of the commands is for the reader of this stream. */
  concerns(commands: readonly EffectCommand[]): boolean {
    for (let i = 0; i < commands.length; i++) if (this.#isMeant(commands[i] as EffectCommand)) return true;
    return false;
  }

  /** Writes those commands of an atomic unit that are meant for the reader. `independent` ones need not stay together. */
  write(commands: readonly EffectCommand[], independent: boolean): void {
    const isTransaction = !independent && commands.length > 1 && this.#countMeant(commands) > 1;
    let isFirst = true;
    for (let i = 0; i < commands.length; i++) {
      const command = commands[i] as EffectCommand;
      if (!this.#isMeant(command)) continue;
      this.#select(command.db);
      if (isFirst && isTransaction) this.#writer.begin(1).text('MULTI');
      isFirst = false;
      command.encodeTo(this);
    }
    if (isTransaction) this.#writer.begin(1).text('EXEC');
  }

  /** Also for what is no effect: annotations of the file, a master's PING. */
  bytes(buffer: Buffer, start: number, end: number): void {
    this.offset += end - start;
    this.#sink.bytes(buffer, start, end);
  }

  #isMeant({ onlyForReplicas, onlyForFile }: EffectCommand): boolean {
    return this.#reader === 'file' ? !onlyForReplicas : !onlyForFile;
  }

  #countMeant(commands: readonly EffectCommand[]): number {
    let count = 0;
    for (const command of commands) if (this.#isMeant(command)) count++;
    return count;
  }

  #select(db: number): void {
    if (db === this.#selected) return;
    this.#selected = db;
    this.#writer.begin(2).text('SELECT').text(db);
  }
}

const NONE = -1;
