import type { WireCommand } from './command-runner.js';
import { checkFields } from './commands/options.js';
import type { KeyScanOptions, ScanOptions } from './store.js';
import { throwIfAborted } from './time.js';
import type { CallOptions, Reply, Transport } from './transport.js';
import type { Argument } from './value.js';

interface View {
  readonly transport: Transport;
  readonly format: number;
  readonly options: CallOptions | undefined;
}

type Sender = Pick<Transport, 'send'>;

export const SCAN: WireCommand = { words: ['SCAN'] };
export const HSCAN: WireCommand = { words: ['HSCAN'] };
export const SSCAN: WireCommand = { words: ['SSCAN'] };
export const ZSCAN: WireCommand = { words: ['ZSCAN'] };

export async function* scanKeys(view: View, options: KeyScanOptions = {}): AsyncGenerator<Reply> {
  const words = keyScanWords(options);
  for (const server of view.transport.servers()) {
    for await (const page of pages(view, server, SCAN, [], words)) yield* page;
  }
}

export async function* scanSet(view: View, key: Argument, options: ScanOptions = {}): AsyncGenerator<Reply> {
  for await (const page of pages(view, view.transport, SSCAN, [key], scanWords('sscan', options)))
    yield* page;
}

export async function* scanHash(
  view: View,
  key: Argument,
  options: ScanOptions = {},
): AsyncGenerator<readonly [Reply, Reply]> {
  for await (const page of pages(view, view.transport, HSCAN, [key], scanWords('hscan', options))) {
    yield* pairs(page);
  }
}

export async function* scanSortedSet(
  view: View,
  key: Argument,
  options: ScanOptions = {},
): AsyncGenerator<readonly [Reply, number]> {
  for await (const page of pages(view, view.transport, ZSCAN, [key], scanWords('zscan', options))) {
    yield* scored(page);
  }
}

async function* pages(
  { format, options }: View,
  server: Sender,
  command: WireCommand,
  key: readonly Argument[],
  words: readonly Argument[],
): AsyncGenerator<readonly Reply[]> {
  let cursor: Argument = '0';
  do {
    throwIfAborted(options?.signal);
    const page = scanPage(await server.send(command, [...key, cursor, ...words], format, undefined, options));
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== '0');
}

/** The cursor and the items of a SCAN reply. */
export function scanPage(reply: unknown): { readonly cursor: string; readonly items: readonly Reply[] } {
  const [cursor, items] = reply as readonly [string | Buffer, readonly Reply[]];
  return { cursor: String(cursor), items };
}

/** A misspelt `match` must not make a loop visit everything. */
export function keyScanWords(options: KeyScanOptions): Argument[] {
  checkFields('scan', options, ['match', 'count', 'type']);
  const { type } = options;
  return [...matchWords(options), ...(type === undefined ? [] : ['TYPE', type])];
}

export function scanWords(method: string, options: ScanOptions): Argument[] {
  checkFields(method, options, ['match', 'count']);
  return matchWords(options);
}

function matchWords({ match, count }: ScanOptions): Argument[] {
  const words: Argument[] = [];
  if (match !== undefined) words.push('MATCH', match);
  if (count !== undefined) words.push('COUNT', count);
  return words;
}

export function* pairs(items: readonly Reply[]): Generator<readonly [Reply, Reply]> {
  for (let i = 0; i < items.length; i += 2) yield [items[i] as Reply, items[i + 1] as Reply];
}

export function* scored(items: readonly Reply[]): Generator<readonly [Reply, number]> {
  for (const [member, score] of pairs(items)) yield [member, scoreOf(score)];
}

function scoreOf(reply: Reply): number {
  const text = String(reply);
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  return text === '-inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
