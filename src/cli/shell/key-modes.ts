import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../../bytes/quoting.js';
import type { Link } from '../wire/link.js';
import { itemsOf, textOf, type WireReply } from '../wire/reply.js';
import type { Console } from './console.js';
import type { CliOptions } from './options.js';

/** The reply of a command that the mode cannot do without was an error. */
export class ModeError extends Error {
  override readonly name = 'ModeError';
}

type ScanOptions = Pick<CliOptions, 'pattern' | 'count' | 'type' | 'intervalMs'>;

/** `--scan`: every key in a line. */
export async function runScan(link: Link, options: ScanOptions, console: Console): Promise<void> {
  const isFormatted = console.style.mode === 'standard';
  for await (const { keys } of scan(link, options, 1)) {
    console.print(keys.map((key) => `${isFormatted ? quote(key) : key}\n`).join(''));
  }
}

interface ScanStep {
  readonly keys: readonly string[];
}

/** SCAN from the beginning to the end, with a pause of the interval after every `pauseEvery` calls. */
async function* scan(link: Link, options: ScanOptions, pauseEvery: number): AsyncGenerator<ScanStep> {
  const { pattern, count, type, intervalMs } = options;
  const words = [
    ...(pattern === undefined ? [] : ['MATCH', pattern]),
    ...(count === undefined ? [] : ['COUNT', String(count)]),
    ...(type === undefined ? [] : ['TYPE', type]),
  ];
  let cursor = '0';
  for (let calls = 1; ; calls++) {
    const reply = expectValue(await link.call('SCAN', cursor, ...words), 'ERROR: ');
    const [next, keys] = itemsOf(reply);
    cursor = textOf(next);
    yield { keys: itemsOf(keys).map(textOf) };
    if (cursor === '0') return;
    if (intervalMs > 0 && calls % pauseEvery === 0) await sleep(intervalMs);
  }
}

function expectValue(reply: WireReply, prefix: string): WireReply {
  if (reply.kind === 'error') throw new ModeError(`${prefix}${reply.text}`);
  return reply;
}

/** How many keys of a type there are, and the biggest. */
interface TypeStatistics {
  readonly name: string;
  /** The command that gives a key's size. */
  readonly sizeCommand: string | undefined;
  readonly unit: string;
  keys: number;
  total: number;
  biggest: number;
  biggestKey: string | undefined;
}

const TYPES: readonly (readonly [string, string, string])[] = [
  ['list', 'LLEN', 'items'],
  ['hash', 'HLEN', 'fields'],
  ['string', 'STRLEN', 'bytes'],
  ['stream', 'XLEN', 'entries'],
  ['set', 'SCARD', 'members'],
  ['zset', 'ZCARD', 'members'],
];

/** `--bigkeys`, `--memkeys`: the biggest key of every type, by its length or by its memory. */
export async function runBigKeys(
  link: Link,
  options: ScanOptions,
  memory: { readonly samples: number | undefined } | undefined,
  console: Console,
): Promise<void> {
  const total = await databaseSize(link);
  console.print(introduction('biggest keys'));
  const types = new Map<string, TypeStatistics>(
    TYPES.map(([name, sizeCommand, unit]) => [
      name,
      statistics(name, sizeCommand, memory === undefined ? unit : 'bytes'),
    ]),
  );
  let sampled = 0;
  let keyBytes = 0;
  for await (const { keys } of scan(link, options, 100)) {
    const percent = total === 0 ? 0 : (100 * sampled) / total;
    const names = (await link.callAll(keys.map((key) => ['TYPE', key]))).map(textOf);
    const present = keys
      .map((key, index) => ({ key, name: names[index] as string }))
      .filter(({ name }) => name !== 'none');
    for (const { name } of present) {
      if (!types.has(name))
        types.set(name, statistics(name, undefined, memory === undefined ? '?' : 'bytes'));
    }
    const sizes = await sizesOf(link, present, types, memory);
    for (const [index, { key, name }] of present.entries()) {
      const type = types.get(name) as TypeStatistics;
      const size = sizes[index] as number;
      type.keys++;
      type.total += size;
      keyBytes += key.length;
      sampled++;
      if (type.biggest < size) {
        type.biggest = size;
        type.biggestKey = key;
        console.print(
          `[${twoPlaces(percent)}%] Biggest ${name.padEnd(6)} found so far '${quote(key)}' with ${size} ${type.unit}\n`,
        );
      }
      if (sampled % 1_000_000 === 0)
        console.print(`[${twoPlaces(percent)}%] Sampled ${sampled} keys so far\n`);
    }
  }
  console.print(bigKeySummary([...types.values()], sampled, keyBytes));
}

async function sizesOf(
  link: Link,
  keys: readonly { readonly key: string; readonly name: string }[],
  types: ReadonlyMap<string, TypeStatistics>,
  memory: { readonly samples: number | undefined } | undefined,
): Promise<number[]> {
  const requests = keys.map(({ key, name }) => {
    if (memory === undefined) {
      const { sizeCommand } = types.get(name) as TypeStatistics;
      return sizeCommand === undefined ? undefined : [sizeCommand, key];
    }
    const samples = memory.samples === undefined ? [] : ['SAMPLES', String(memory.samples)];
    return ['MEMORY', 'USAGE', key, ...samples];
  });
  const replies = await link.callAll(requests.filter((request) => request !== undefined));
  let next = 0;
  return requests.map((request) => {
    if (request === undefined) return 0;
    const reply = replies[next++] as WireReply;
    return reply.kind === 'integer' ? Number(reply.text) : 0;
  });
}

function statistics(name: string, sizeCommand: string | undefined, unit: string): TypeStatistics {
  return { name, sizeCommand, unit, keys: 0, total: 0, biggest: 0, biggestKey: undefined };
}

function bigKeySummary(types: readonly TypeStatistics[], sampled: number, keyBytes: number): string {
  const averageLength = sampled === 0 ? 0 : keyBytes / sampled;
  const biggest = types
    .filter(({ biggestKey }) => biggestKey !== undefined)
    .map(
      ({ name, biggestKey = '', biggest: size, unit }) =>
        `Biggest ${name.padStart(6)} found '${quote(biggestKey)}' has ${size} ${unit}\n`,
    );
  const counts = types.map(({ name, keys, total, unit }) => {
    const share = sampled === 0 ? 0 : (100 * keys) / sampled;
    const average = keys === 0 ? 0 : total / keys;
    return `${keys} ${name}s with ${total} ${unit} (${twoPlaces(share)}% of keys, avg size ${average.toFixed(2)})\n`;
  });
  return `
-------- summary -------

Sampled ${sampled} keys in the keyspace!
Total key length in bytes is ${keyBytes} (avg len ${averageLength.toFixed(2)})

${biggest.join('')}
${counts.join('')}`;
}

/** `--hotkeys`: the keys that are used most; the server must evict by frequency to know. */
export async function runHotKeys(link: Link, options: ScanOptions, console: Console): Promise<void> {
  const total = await databaseSize(link);
  console.print(introduction('hot keys'));
  const hottest: { readonly key: string; readonly counter: number }[] = [];
  let sampled = 0;
  for await (const { keys } of scan(link, options, 100)) {
    const percent = total === 0 ? 0 : (100 * sampled) / total;
    const replies = await link.callAll(keys.map((key) => ['OBJECT', 'FREQ', key]));
    for (const [index, key] of keys.entries()) {
      const reply = expectFrequency(replies[index] as WireReply, key);
      if (reply === undefined) continue;
      sampled++;
      if (sampled % 1_000_000 === 0)
        console.print(`[${twoPlaces(percent)}%] Sampled ${sampled} keys so far\n`);
      const isHot = reply > 0 && (hottest.length < HOT_KEYS || reply > (hottest.at(-1)?.counter ?? 0));
      if (!isHot) continue;
      const place = hottest.findIndex(({ counter }) => counter < reply);
      hottest.splice(place < 0 ? hottest.length : place, 0, { key, counter: reply });
      hottest.length = Math.min(hottest.length, HOT_KEYS);
      console.print(`[${twoPlaces(percent)}%] Hot key '${quote(key)}' found so far with counter ${reply}\n`);
    }
  }
  const lines = hottest.map(
    ({ key, counter }) => `hot key found with counter: ${counter}\tkeyname: ${quote(key)}\n`,
  );
  console.print(`\n-------- summary -------\n\nSampled ${sampled} keys in the keyspace!\n${lines.join('')}`);
}

/** Undefined if the key has gone meanwhile. */
function expectFrequency(reply: WireReply, key: string): number | undefined {
  if (reply.kind === 'nil') return undefined;
  if (reply.kind === 'error') {
    if (/no such key/i.test(reply.text)) return undefined;
    throw new ModeError(`Error: ${reply.text}`);
  }
  if (reply.kind !== 'integer') throw new ModeError(`OBJECT FREQ of ${quote(key)} is not a number`);
  return Number(reply.text);
}

async function databaseSize(link: Link): Promise<number> {
  return Number(textOf(expectValue(await link.call('DBSIZE'), "Couldn't determine DBSIZE: ")));
}

function introduction(wanted: string): string {
  return `
# Scanning the entire keyspace to find ${wanted} as well as
# average sizes per key type.  You can use -i 0.1 to sleep 0.1 sec
# per 100 SCAN commands (not usually needed).

`;
}

/** `02.00`, `100.00` */
function twoPlaces(percent: number): string {
  return percent.toFixed(2).padStart(5, '0');
}

const HOT_KEYS = 16;
