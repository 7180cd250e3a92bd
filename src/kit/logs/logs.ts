import type { Writable } from 'node:stream';
import type { Store } from '../../store/index.js';
import {
  CLOCK,
  checkStore,
  integer,
  jsonOf,
  KitError,
  keyNaming,
  milliseconds,
  oneOf,
  optional,
  readLua,
  resolveOptions,
  resolverOf,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import { type LogStreamOptions, logStream } from './log-stream.js';
import { SEVERITIES, type Severity } from './severity.js';

export interface LogsOptions {
  /** Prefix of all keys. Default `log`. */
  readonly prefix?: string;
  /** How many recent entries are kept of each name and severity. Default 100. */
  readonly maxRecent?: number;
  /** For how many ms recent entries are kept after the last one. Default a week. */
  readonly keepRecent?: number;
  /** Length of the periods for which common messages are counted, in ms, aligned to UTC. Default an hour. */
  readonly period?: number;
  /** How many different messages are counted in a period. Default 10,000. */
  readonly maxMessages?: number;
  /** Longer messages are cut off after this many characters, and details (as JSON) of ten times that are left out. Default 1,000. */
  readonly maxLength?: number;
}

export interface WriteOptions {
  /** Default `info`. */
  readonly severity?: Severity;
  /** More about this one event: kept with the recent entry, not counted. Any value that JSON can hold. */
  readonly details?: unknown;
}

export interface LogEntry {
  /** When it arrived, by the server's clock. */
  readonly at: Date;
  readonly message: string;
  readonly details: unknown;
}

export interface CommonMessage {
  readonly message: string;
  readonly count: number;
}

export interface RecentOptions {
  /** Default `info`. */
  readonly severity?: Severity;
  /** Max number of entries. Default 100. */
  readonly limit?: number;
}

export interface CommonOptions extends RecentOptions {
  /** 0 for the current period, 1 for the one before it. Default 0. */
  readonly ago?: number;
}

/** Recent and common messages by name (of a program or part of it) and severity. Made by `logs`. */
export interface Logs {
  /**
   * Writes a message, in one step for both views.
   *
   * @example
   * await logs(store).write('shop', 'payment failed', { severity: 'error', details: { order: 17 } });
   */
  write(name: string, message: string, options?: WriteOptions): Promise<void>;
  /** Writes several messages of a name with one request for each severity. */
  writeAll(name: string, entries: readonly (WriteOptions & { readonly message: string })[]): Promise<void>;
  /** The last entries, newest first. */
  recent(name: string, options?: RecentOptions): Promise<LogEntry[]>;
  /** The messages of this hour or the hour before that were written most often. */
  common(name: string, options?: CommonOptions): Promise<CommonMessage[]>;
  /**
   * A stream that takes lines of JSON as pino writes them: `pino(logs(store).stream({ name: 'shop' }))`. It never fails: lines that
   * cannot be stored are dropped, and `onError` is called.
   */
  stream(options?: LogStreamOptions): Writable;
}

const WRITE = {
  keys: ['recent', 'common'],
  args: ['maxRecent', 'keepRecent', 'period', 'maxMessages', '...entries'],
  lua: readLua(import.meta.url, CLOCK, 'write.lua'),
} as const;

const COMMON = {
  keys: ['common'],
  args: ['period', 'ago', 'limit'],
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, 'common.lua'),
  reply: (reply: unknown) => reply as readonly string[],
} as const;

type Part = `${'recent' | 'common'}:${Severity}`;
const PARTS = SEVERITIES.flatMap((severity): Part[] => [`recent:${severity}`, `common:${severity}`]);

/**
 * Keeps the recent and the common messages of an application.
 *
 * @example
 * import { open } from 'sorrel';
 * import { logs } from 'sorrel/kit/logs';
 *
 * await using store = await open();
 * const log = logs(store);
 * await log.write('shop', 'disk full', { severity: 'error' });
 * const [last] = await log.recent('shop', { severity: 'error' });
 * last?.message; // 'disk full'
 */
export function logs(store: Store, options: LogsOptions = {}): Logs {
  checkStore('logs', store);
  const { prefix, maxLength, ...limits } = resolveOptions('logs', options, RULES);
  const { period } = limits;
  const keysOf = keyNaming('logs', prefix, PARTS);
  const write = store.script(WRITE);
  const readCommon = store.script(COMMON);

  async function writeAll(name: string, entries: readonly Entry[]): Promise<void> {
    const keys = keysOf(name);
    const packed = new Map<Severity, string[]>();
    for (const { message, severity, details } of entries.map(checkedEntry)) {
      const kept = shortened(message, maxLength);
      const list = packed.get(severity) ?? [];
      list.push(pack(kept, details, maxLength * 10), kept);
      packed.set(severity, list);
    }
    const writes = [...packed].map(([severity, list]) =>
      write({
        recent: keys[`recent:${severity}`],
        common: `${keys[`common:${severity}`]}:`,
        ...limits,
        entries: list,
      }),
    );
    await Promise.all(writes);
  }

  return {
    write: async (name, message, given = {}) => writeAll(name, [{ ...given, message }]),
    writeAll: async (name, entries) => {
      if (!Array.isArray(entries)) {
        throw new KitError('OPTION', `writeAll: entries must be a list, not ${shown(entries)}`);
      }
      await writeAll(name, entries as readonly Entry[]);
    },
    recent: async (name, given) => {
      const { severity, limit } = resolveRecent(given);
      const found = await store.send('LRANGE', keysOf(name)[`recent:${severity}`], 0, limit - 1);
      return (found as string[]).map(unpack);
    },
    common: async (name, given) => {
      const { severity, ago, limit } = resolveCommon(given);
      const common = `${keysOf(name)[`common:${severity}`]}:`;
      return commonMessages(await readCommon({ common, period, ago, limit }));
    },
    stream: (given = {}) => logStream((name, entries) => writeAll(name, entries), given),
  };
}

type Entry = WriteOptions & { readonly message: string };

function checkedEntry(entry: Entry) {
  return resolveOptions('write', entry, ENTRY_RULES);
}

/** Cut off between characters. */
function shortened(message: string, maxLength: number): string {
  if (message.length <= maxLength) return message;
  const end = /[\uD800-\uDBFF]/.test(message.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${message.slice(0, end)}…`;
}

/** An entry as the list holds it: `[message]` or `[message, details]`. */
function pack(message: string, details: unknown, maxDetails: number): string {
  if (details === undefined) return JSON.stringify([message]);
  const json = jsonOf(details, `logs: \`details\` must be a value that JSON can hold, not ${shown(details)}`);
  if (json.length <= maxDetails) return `[${JSON.stringify(message)},${json}]`;
  return JSON.stringify([message, { leftOut: `${json.length} characters of details` }]);
}

function unpack(packed: string): LogEntry {
  const end = packed.indexOf(' ');
  const [message, details] = JSON.parse(packed.slice(end + 1)) as [string, unknown?];
  return { at: new Date(Number(packed.slice(0, end))), message, details };
}

/** @param found messages and counts in turn */
function commonMessages(found: readonly string[]): CommonMessage[] {
  const messages: CommonMessage[] = [];
  for (let i = 0; i < found.length; i += 2) {
    messages.push({ message: found[i] as string, count: Number(found[i + 1]) });
  }
  return messages;
}

const WEEK = 7 * 86_400_000;

const RULES = {
  prefix: text('log'),
  maxRecent: integer(100, { min: 1, max: 100_000 }),
  keepRecent: milliseconds(WEEK, { min: 1 }),
  period: milliseconds(3_600_000, { min: 1 }),
  maxMessages: integer(10_000, { min: 1, max: 1_000_000 }),
  maxLength: integer(1_000, { min: 1, max: 1_000_000 }),
};

const severity = oneOf(SEVERITIES, 'info');
const ENTRY_RULES = {
  message: ruled<string>((value) => (typeof value === 'string' ? undefined : 'must be a string')),
  severity,
  details: optional(
    ruled<unknown>((value) =>
      ['function', 'symbol', 'bigint'].includes(typeof value)
        ? 'must be a value that JSON can hold'
        : undefined,
    ),
  ),
};
const RECENT_RULES = { severity, limit: integer(100, { min: 1 }) };
const COMMON_RULES = { ...RECENT_RULES, ago: integer(0, { min: 0, max: 1 }) };
const resolveRecent = resolverOf<typeof RECENT_RULES, RecentOptions>('recent', RECENT_RULES);
const resolveCommon = resolverOf<typeof COMMON_RULES, CommonOptions>('common', COMMON_RULES);
