import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { KitError, shown } from '../foundation/index.js';

/** The path of a CSV file, or its content in pieces. */
export type CsvSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A row by the names of the first line. */
export class CsvRow {
  readonly line: number;
  readonly #fields: readonly string[];
  readonly #columns: ReadonlyMap<string, number>;

  constructor({ line, fields }: Record, columns: ReadonlyMap<string, number>) {
    this.line = line;
    this.#fields = fields;
    this.#columns = columns;
  }

  /** The value of a column; '' if it is empty, or if the file does not have the column. */
  value(column: string): string {
    const index = this.#columns.get(column);
    return (index === undefined ? undefined : this.#fields[index]) ?? '';
  }
}

export function checkedSource(name: string, source: unknown): CsvSource {
  const isPath = typeof source === 'string' && source !== '';
  const isContent =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.iterator in source || Symbol.asyncIterator in source);
  if (isPath || isContent) return source as CsvSource;
  throw new KitError(
    'OPTION',
    `import: \`${name}\` must be a path or the content in pieces, not ${shown(source)}`,
  );
}

/** Bytes of the file; undefined if only its content is given. */
export async function sizeOf(source: CsvSource): Promise<number | undefined> {
  if (typeof source !== 'string') return undefined;
  try {
    return (await stat(source)).size;
  } catch (error) {
    throw new KitError('FILE', `import: the file ${source} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * The rows of a CSV file with a line of names (RFC 4180: quoted fields may contain commas, quotes and line ends), in portions as they
 * are read.
 *
 * @param needed columns that the file must have
 * @param onBytes called with the size of each piece that was read
 */
export async function* readCsv(
  what: string,
  source: CsvSource,
  needed: readonly string[],
  onBytes: (bytes: number) => void,
): AsyncGenerator<CsvRow[], void, undefined> {
  const parser = new CsvParser();
  let columns: ReadonlyMap<string, number> | undefined;
  for await (const records of parsed(parser, source, onBytes)) {
    if (columns === undefined) {
      const header = records.shift();
      if (header === undefined) continue;
      columns = new Map(header.fields.map((name, index) => [name.trim(), index]));
      checkColumns(what, columns, needed);
    }
    const names = columns;
    yield records.map((record) => new CsvRow(record, names));
  }
}

async function* parsed(
  parser: CsvParser,
  source: CsvSource,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Record[], void, undefined> {
  const pieces = typeof source === 'string' ? createReadStream(source) : source;
  const decoder = new StringDecoder('utf8');
  for await (const piece of pieces as AsyncIterable<string | Uint8Array>) {
    onBytes(typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length);
    yield parser.push(typeof piece === 'string' ? piece : decoder.write(Buffer.from(piece)));
  }
  yield parser.end();
}

function checkColumns(what: string, columns: ReadonlyMap<string, number>, needed: readonly string[]): void {
  const missing = needed.find((name) => !columns.has(name));
  if (missing === undefined) return;
  throw new KitError(
    'FORMAT',
    `import: ${what} has no column '${missing}': it needs ${needed.join(', ')}, as in GeoLite2's CSV files`,
  );
}

interface Record {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Splits text into records. A record may be spread over several pieces. */
class CsvParser {
  #rest = '';
  #line = 1;

  push(text: string): Record[] {
    this.#rest += text;
    return this.#take(false);
  }

  end(): Record[] {
    return this.#take(true);
  }

  #take(isEnd: boolean): Record[] {
    const text = this.#rest;
    const records: Record[] = [];
    let start = 0;
    /** The next quote, so that text without quotes is searched for them only once. */
    let quote = text.indexOf('"');
    for (;;) {
      let end = text.indexOf('\n', start);
      while (end >= 0 && quote >= 0 && quote < end) {
        const close = text.indexOf('"', quote + 1);
        if (close > end) end = text.indexOf('\n', close);
        // Not all of the quoted field has been read yet.
        if (close < 0) end = -1;
        else quote = text.indexOf('"', close + 1);
      }
      if (end < 0) break;
      this.#add(records, text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (isEnd && this.#rest !== '') this.#add(records, this.#rest);
    return records;
  }

  #add(records: Record[], text: string): void {
    const record = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (record !== '') records.push({ line: this.#line, fields: fieldsOf(record) });
    this.#line++;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
  }
}

function fieldsOf(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  const fields: string[] = [];
  let at = 0;
  while (at <= text.length) {
    if (text[at] === '"') {
      let value = '';
      let close = text.indexOf('"', at + 1);
      while (close >= 0 && text[close + 1] === '"') {
        value += text.slice(at + 1, close + 1);
        at = close + 1;
        close = text.indexOf('"', at + 1);
      }
      fields.push(value + text.slice(at + 1, close < 0 ? text.length : close));
      at = close < 0 ? text.length + 1 : close + 2;
    } else {
      const end = text.indexOf(',', at);
      fields.push(text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length + 1 : end + 1;
    }
  }
  return fields;
}
