import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { callback, listener, optional, resolveOptions, text } from '../foundation/index.js';
import type { WriteOptions } from './logs.js';
import { severityOf } from './severity.js';

export interface LogStreamOptions {
  /** The name under which lines are written that have none (pino's option `name`). Default `app`. */
  readonly name?: string;
  /** Called with the error and the number of lines if lines could not be stored. Default: a process warning. */
  readonly onError?: (error: unknown, lines: number) => void;
  /** Called when the last line has been written. */
  readonly onEnd?: () => Promise<void>;
}

type Entry = WriteOptions & { readonly message: string };

/** Writes entries of one name. */
export type WriteEntries = (name: string, entries: readonly Entry[]) => Promise<void>;

/** Takes lines of JSON. Lines that arrive while a request is under way are written together with the next one. */
export function logStream(write: WriteEntries, given: LogStreamOptions): Writable {
  const { name, onError, onEnd } = resolveOptions('stream', given, RULES);
  const lines = new Lines();

  async function store(texts: readonly string[]): Promise<void> {
    const byName = new Map<string, Entry[]>();
    for (const line of texts) {
      const { name: own = name, entry } = entryOf(line);
      byName.set(own, [...(byName.get(own) ?? []), entry]);
    }
    const writes = [...byName].map(([own, entries]) =>
      write(own, entries).catch((error: unknown) => onError(error, entries.length)),
    );
    await Promise.all(writes);
  }

  const settle = (texts: readonly string[], done: () => void): void => void store(texts).then(done, done);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => settle(lines.of([chunk]), done),
    writev: (chunks, done) => settle(lines.of(chunks.map(({ chunk }) => chunk as Buffer)), done),
    final: (done) =>
      settle(lines.rest(), () => void (onEnd?.() ?? Promise.resolve()).then(() => done(), done)),
  });
}

/** Makes lines of chunks, which may end anywhere. */
class Lines {
  readonly #decoder = new StringDecoder('utf8');
  #begun = '';

  of(chunks: readonly Buffer[]): string[] {
    const texts = chunks.map((chunk) => this.#decoder.write(chunk));
    const lines = (this.#begun + texts.join('')).split('\n');
    this.#begun = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }

  rest(): string[] {
    const line = this.#begun + this.#decoder.end();
    this.#begun = '';
    return line.trim() === '' ? [] : [line];
  }
}

/** What a line of pino says; another line is a message as it is. */
function entryOf(line: string): { readonly name?: string; readonly entry: Entry } {
  const record = recordOf(line);
  if (record === undefined) return { entry: { message: line } };
  const { level, msg, name, v, ...details } = record;
  const entry = {
    message: typeof msg === 'string' ? msg : msg === undefined ? '' : JSON.stringify(msg),
    severity: severityOf(level),
    details,
  };
  return typeof name === 'string' && name !== '' && !name.startsWith('}') ? { name, entry } : { entry };
}

function recordOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const RULES = {
  name: text('app'),
  onError: listener<NonNullable<LogStreamOptions['onError']>>((error, lines) =>
    process.emitWarning(`${lines} lines could not be written to the log: ${String(error)}`),
  ),
  onEnd: optional(callback<NonNullable<LogStreamOptions['onEnd']>>()),
};
