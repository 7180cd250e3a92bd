import { KitError } from '../foundation/index.js';
import type { CompleteBackoff, CompleteTaskOptions, HeaderOptions, IfDead } from './options.js';

/**
 * A task as it is stored: its header as JSON, a line feed, its data as JSON. Field names are short, and default values are omitted;
 * scripts read n, p, h, g, r, k, w, x and f. The name comes first: take.lua compares the beginnings of headers.
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
  /** Time limit of an attempt in ms. */
  readonly l?: number;
  /** 1: last in, first out. */
  readonly h?: 1;
  /** Group. */
  readonly g?: string;
  /** Unique key. */
  readonly k?: string;
  /** Ids of the tasks of this queue that this one waits for, … */
  readonly w?: readonly string[];
  /** … their names, in a flow; own ids of its children in other queues, and their names. */
  readonly m?: readonly (string | null)[];
  readonly x?: readonly string[];
  readonly y?: readonly (string | null)[];
  /** What becomes of tasks that wait for it if it is dead; without it, they stay blocked. */
  readonly f?: Exclude<IfDead, 'block'>;
  /** Name of the schedule that added it. */
  readonly s?: string;
  /** Context of the trace in which it was added. */
  readonly c?: Readonly<Record<string, string>>;
}

export function headerOf(
  name: string,
  options: HeaderOptions & Partial<CompleteTaskOptions>,
  more: Pick<Header, 'm' | 'x' | 'y' | 's' | 'c'> = {},
): Header {
  const { priority, attempts, backoff, recoveries, timeLimit, lifo, group, ifDead } = options;
  const key = uniqueKey(name, options);
  return {
    n: name,
    ...(priority === 0 ? {} : { p: priority }),
    ...(attempts === 1 ? {} : { a: attempts }),
    ...(backoff === undefined ? {} : { b: backoff }),
    ...(recoveries === undefined ? {} : { r: recoveries }),
    ...(timeLimit === undefined ? {} : { l: timeLimit }),
    ...(lifo ? { h: 1 } : {}),
    ...(group === undefined ? {} : { g: group }),
    ...(key === undefined ? {} : { k: key }),
    ...(ifDead === 'block' ? {} : { f: ifDead }),
    ...more,
  };
}

/** The unique key of a task, as scripts see it. The keys of debounced tasks are separate, and so are those of each kind. */
export function uniqueKey(
  name: string,
  { key, debounce }: Pick<Partial<CompleteTaskOptions>, 'key' | 'debounce'>,
): string | undefined {
  return debounce === undefined ? key : `debounce\0${name}\0${debounce.key}`;
}

/** The key that the program gave. */
export function givenKey(key: string | undefined): string | undefined {
  return key?.slice(key.lastIndexOf('\0') + 1);
}

/** Length of the ids that the server issues. */
const ID_LENGTH = 16;

/** The id of a task as programs see it: their own one, if they gave one. */
export function publicId(id: string): string {
  return id.length > ID_LENGTH ? id.slice(ID_LENGTH + 1) : id;
}

/** When the task was added. */
export function addedAt(id: string): Date {
  return new Date(Math.floor(Number(id.slice(0, ID_LENGTH)) / 1000));
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
  // A trace makes every header different.
  if (header.c !== undefined) return header;
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

/** Never throws, whatever a handler has thrown: it may be no error, or one whose parts cannot be read. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return JSON.stringify({ name: 'Error', message: textOf(() => error) ?? 'a value that cannot be shown' });
  }
  return JSON.stringify({
    name: textOf(() => error.name) ?? 'Error',
    message: textOf(() => error.message) ?? 'an error whose message cannot be read',
    code: textOf(() => stringOf((error as { readonly code?: unknown }).code)),
    stack: textOf(() => stringOf(error.stack).slice(0, MAX_STACK)),
  });
}

const MAX_STACK = 2_000;

/** Undefined if it cannot be read. Halves of surrogate pairs are replaced: scripts cannot read JSON with them. */
function textOf(read: () => unknown): string | undefined {
  try {
    return String(read()).toWellFormed();
  } catch {
    return undefined;
  }
}

/** Throws if it is no string. */
function stringOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('not a string');
}
