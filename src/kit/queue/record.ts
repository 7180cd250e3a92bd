import { KitError } from '../foundation/index.js';
import type { CompleteBackoff, CompleteTaskOptions, HeaderOptions } from './options.js';

/**
 * A task as it is stored: its header as JSON, a line feed, its data as JSON. Field names are short, and default values are omitted;
 * scripts read n, p, r, k and w. The name comes first: take.lua compares the beginnings of headers.
 */
export interface Header {
  /** Name. */
  readonly n: string;
  /** Priority. */
  readonly p?: number;
  /** Attempts. */
  readonly a?: number;
  readonly b?: CompleteBackoff;
  /** Recoveries. */
  readonly r?: number;
  /** Unique key. */
  readonly k?: string;
  /** Ids of the tasks that this one waits for. */
  readonly w?: readonly string[];
  /** Name of the schedule that added it. */
  readonly s?: string;
}

export function headerOf(
  name: string,
  options: HeaderOptions & Partial<Pick<CompleteTaskOptions, 'key'>>,
  schedule?: string,
): Header {
  const { priority, attempts, backoff, recoveries, key } = options;
  return {
    n: name,
    ...(priority === 0 ? {} : { p: priority }),
    ...(attempts === 1 ? {} : { a: attempts }),
    ...(backoff === undefined ? {} : { b: backoff }),
    ...(recoveries === undefined ? {} : { r: recoveries }),
    ...(key === undefined ? {} : { k: key }),
    ...(schedule === undefined ? {} : { s: schedule }),
  };
}

export function recordOf(header: string, data: unknown): string {
  return `${header}\n${toJson(data)}`;
}

/** JSON, and '' for undefined. */
export function toJson(value: unknown): string {
  if (value === undefined) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    throw new KitError('OPTION', `data, progress and results must be JSON values: ${String(error)}`, {
      cause: error,
    });
  }
}

export function fromJson(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

export function parseRecord(record: string): { readonly header: Header; readonly data: unknown } {
  const end = record.indexOf('\n');
  return { header: parseHeader(record.slice(0, end)), data: fromJson(record.slice(end + 1)) };
}

const parsed = new Map<string, Header>();
const MAX_PARSED = 1_000;

/** Parsed headers: most tasks of a queue have one of a few. */
function parseHeader(text: string): Header {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const header = JSON.parse(text) as Header;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, header);
  return header;
}

/** An error as stored with a task. */
export interface TaskProblem {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
}

export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify({ name: 'Error', message: String(error) });
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const stack = error.stack === undefined ? {} : { stack: error.stack.slice(0, MAX_STACK) };
  return JSON.stringify({ name: error.name, message: error.message, ...code, ...stack });
}

const MAX_STACK = 2_000;
