import { setTimeout as sleep } from 'node:timers/promises';
import { humanBytes } from '../../bytes/memory-size.js';
import type { Link } from '../wire/link.js';
import { textOf } from '../wire/reply.js';
import type { Console } from './console.js';
import { ModeError } from './key-modes.js';

/** Lasts until it is aborted. */
export interface WatchOptions {
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly isTerminal: boolean;
}

/** `--stat`: a line of figures per interval. */
export async function runStat(
  link: Link,
  { intervalMs, signal }: WatchOptions,
  console: Console,
): Promise<void> {
  let requestsBefore: number | undefined;
  for (let line = 0; !signal.aborted; line++) {
    const reply = await link.call('INFO');
    if (reply.kind === 'error') throw new ModeError(`ERROR: ${reply.text}`);
    const info = textOf(reply);
    if (line % 20 === 0) console.print(STAT_HEADER);
    const requests = Number(fieldOf(info, 'total_commands_processed'));
    const added = requestsBefore === undefined ? 0 : requests - requestsBefore;
    requestsBefore = requests;
    const keys = [...info.matchAll(/^db\d+:keys=(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    const columns = [
      String(keys).padEnd(11),
      humanBytes(Number(fieldOf(info, 'used_memory'))).padEnd(9),
      (fieldOf(info, 'connected_clients') ?? '').padEnd(8),
      (fieldOf(info, 'blocked_clients') ?? '').padEnd(8),
      `${requests} (+${added})`.padEnd(20),
      (fieldOf(info, 'total_connections_received') ?? '').padEnd(12),
      childOf(info),
    ];
    console.print(`${columns.join('')}\n`);
    await pause(intervalMs, signal);
  }
}

const STAT_HEADER =
  '------- data ------ --------------------- load -------------------- - child -\n' +
  'keys       mem      clients blocked requests            connections          \n';

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** What is being written in the background. */
function childOf(info: string): string {
  const saves = fieldOf(info, 'rdb_bgsave_in_progress') === '1';
  const rewrites = fieldOf(info, 'aof_rewrite_in_progress') === '1';
  if (saves && rewrites) return 'SAVE+AOF';
  if (saves) return 'SAVE';
  return rewrites ? 'AOF' : '';
}

interface Latencies {
  min: number;
  max: number;
  total: number;
  count: number;
}

/** `--latency`, `--latency-history`: the time of PING, in milliseconds. */
export async function runLatency(
  link: Link,
  hasHistory: boolean,
  { intervalMs, signal, isTerminal }: WatchOptions,
  console: Console,
): Promise<void> {
  const { mode } = console.style;
  const rangeMs = intervalMs > 0 ? intervalMs : hasHistory ? HISTORY_MS : SINGLE_MS;
  const endsAfterRange = !hasHistory && mode !== 'standard';
  let begun = performance.now();
  let latencies: Latencies = { min: 0, max: 0, total: 0, count: 0 };
  const shown = (): string => formatLatencies(latencies, mode);
  while (!signal.aborted) {
    add(latencies, Math.floor(await pingMs(link)));
    const isOver = performance.now() - begun > rangeMs;
    if (mode === 'standard') console.print(`${isTerminal ? '\x1b[0G\x1b[2K' : '\r'}${shown()}`);
    else if (hasHistory) console.print(shown());
    if (isOver && endsAfterRange) {
      console.print(shown());
      return;
    }
    if (isOver && hasHistory) {
      console.print(` -- ${((performance.now() - begun) / 1000).toFixed(2)} seconds range\n`);
      begun = performance.now();
      latencies = { min: 0, max: 0, total: 0, count: 0 };
    }
    await pause(SAMPLE_MS, signal);
  }
  console.print(mode === 'standard' ? '\n' : shown());
}

function add(latencies: Latencies, value: number): void {
  latencies.min = latencies.count === 0 ? value : Math.min(latencies.min, value);
  latencies.max = Math.max(latencies.max, value);
  latencies.total += value;
  latencies.count++;
}

function formatLatencies({ min, max, total, count }: Latencies, mode: string): string {
  const average = count === 0 ? 0 : total / count;
  if (mode === 'standard') return `min: ${min}, max: ${max}, avg: ${average.toFixed(2)} (${count} samples)`;
  if (mode === 'csv') return `${min},${max},${average.toFixed(2)},${count}\n`;
  if (mode === 'raw') return `${min} ${max} ${average.toFixed(2)} ${count}\n`;
  return `{"min": ${min}, "max": ${max}, "avg": ${average.toFixed(2)}, "count": ${count}}\n`;
}

async function pingMs(link: Link): Promise<number> {
  const start = performance.now();
  const reply = await link.call('PING');
  // A server without this client's password answers with an error: that takes as long.
  if (reply.kind === 'error' && !/^(?:NOAUTH|LOADING|BUSY)/.test(reply.text))
    throw new ModeError(`Error: ${reply.text}`);
  return performance.now() - start;
}

/** `--latency-dist`: a line of colours per interval, one column per range of latencies. */
export async function runLatencyDistribution(
  link: Link,
  { intervalMs, signal }: WatchOptions,
  console: Console,
): Promise<void> {
  const rangeMs = intervalMs > 0 ? intervalMs : SINGLE_MS;
  const samples = RANGES.map(() => 0);
  console.print(distributionLegend());
  let begun = performance.now();
  let count = 0;
  while (!signal.aborted) {
    const latency = await pingMs(link);
    const place = RANGES.findIndex(([limit]) => latency <= limit);
    samples[place] = (samples[place] as number) + 1;
    count++;
    if (performance.now() - begun > rangeMs) {
      const cells = RANGES.map(([, letter], index) => {
        const share = (samples[index] as number) / count;
        return `\x1b[48;5;${PALETTE[Math.ceil((PALETTE.length - 1) * share)]}m${letter}`;
      });
      console.print(`\x1b[38;5;0m${cells.join('')}\x1b[0m\n`);
      samples.fill(0);
      count = 0;
      begun = performance.now();
    }
    await pause(SAMPLE_MS, signal);
  }
}

function distributionLegend(): string {
  const colours = PALETTE.map((colour) => `\x1b[48;5;${colour}m `).join('');
  return `---------------------------------------------
. - * #          .01 .125 .25 .5 milliseconds
1,2,3,...,9      from 1 to 9     milliseconds
A,B,C,D,E        10,20,30,40,50  milliseconds
F,G,H,I,J        .1,.2,.3,.4,.5       seconds
K,L,M,N,O,P,Q,?  1,2,4,8,16,30,60,>60 seconds
From 0 to 100%: ${colours}\x1b[0m
---------------------------------------------
`;
}

const PALETTE = [0, 233, 234, 235, 237, 239, 241, 243, 245, 247, 144, 143, 142, 184, 226, 214, 208, 202, 196];

/** Upper limits in ms, and their letters. */
const RANGES: readonly (readonly [number, string])[] = [
  [0.01, '.'],
  [0.125, '-'],
  [0.25, '*'],
  [0.5, '#'],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((ms) => [ms, String(ms)] as const),
  ...[10, 20, 30, 40, 50].map((ms, index) => [ms, 'ABCDE'.charAt(index)] as const),
  ...[100, 200, 300, 400, 500].map((ms, index) => [ms, 'FGHIJ'.charAt(index)] as const),
  ...[1, 2, 4, 8, 16, 30, 60].map((seconds, index) => [seconds * 1000, 'KLMNOPQ'.charAt(index)] as const),
  [Number.POSITIVE_INFINITY, '?'],
];

/** `--intrinsic-latency`: how long the machine itself makes a program wait that only computes. */
export function runIntrinsicLatency(seconds: number, console: Console): void {
  const end = performance.now() + seconds * 1000;
  let max = 0;
  let runs = 0;
  for (let now = performance.now(); ; ) {
    const before = now;
    compute();
    now = performance.now();
    const microseconds = Math.floor((now - before) * 1000);
    runs++;
    if (microseconds > max) {
      max = microseconds;
      console.print(`Max latency so far: ${max} microseconds.\n`);
    }
    if (now >= end) break;
  }
  const average = (seconds * 1_000_000) / runs;
  console.print(
    `\n${runs} total runs (avg latency: ${average.toFixed(4)} microseconds / ${(average * 1000).toFixed(2)} nanoseconds per run).\n` +
      `Worst run took ${average === 0 ? 'inf' : (max / average).toFixed(0)}x longer than the average latency.\n`,
  );
}

/** Some work that cannot be left out. */
function compute(): number {
  let value = 1;
  for (let i = 1; i < 64; i++) value = (Math.imul(value, 31) ^ i) >>> 0;
  return value;
}

/** `--lru-test`: reads keys of which some are read much more often than others, and writes those that are missing. */
export async function runLruTest(
  link: Link,
  keys: number,
  { signal }: Pick<WatchOptions, 'signal'>,
  console: Console,
): Promise<void> {
  while (!signal.aborted) {
    const start = performance.now();
    let hits = 0;
    let misses = 0;
    while (performance.now() - start < 1000 && !signal.aborted) {
      const names = Array.from({ length: LRU_BATCH }, () => `lru:${powerLaw(keys)}`);
      const replies = await link.callAll(names.map((name) => ['GET', name]));
      const missing = names.filter((_, index) => replies[index]?.kind === 'nil');
      const failed = replies.find(({ kind }) => kind === 'error');
      if (failed !== undefined) throw new ModeError(`Error: ${textOf(failed)}`);
      const writes = await link.callAll(missing.map((name) => ['SET', name, 'val']));
      const refused = writes.find(({ kind }) => kind === 'error');
      if (refused !== undefined) throw new ModeError(`Error: ${textOf(refused)}`);
      misses += missing.length;
      hits += names.length - missing.length;
    }
    const total = Math.max(1, hits + misses);
    const share = (part: number): string => ((part / total) * 100).toFixed(2);
    console.print(
      `${hits + misses} Gets/sec | Hits: ${hits} (${share(hits)}%) | Misses: ${misses} (${share(misses)}%)\n`,
    );
  }
}

/** A number below `limit`, of which a fifth are drawn in four of five cases. */
function powerLaw(limit: number): number {
  const exponent = 6.2 + 1;
  const value = ((limit ** exponent - 1) * Math.random() + 1) ** (1 / exponent);
  return limit - 1 - Math.floor(Math.min(value, limit - 1));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms > 0 ? ms : 1000, undefined, { signal }).catch(() => {});
}

const HISTORY_MS = 15_000;
const SINGLE_MS = 1000;
const SAMPLE_MS = 10;
const LRU_BATCH = 250;
