import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The value that `percent` percent of the values do not exceed; NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

export interface BenchmarkRun {
  readonly port: number;
  /** A name that redis-benchmark's `-t` knows, or the words of a command. */
  readonly test: string | readonly string[];
  readonly requests: number;
  readonly pipeline: number;
  /** How many different keys or members. */
  readonly range: number;
  readonly clients?: number;
  /** The port is that of a node of a cluster, of which all masters are used. */
  readonly isCluster?: boolean;
  /** Threads of redis-benchmark; by default it has only the one. */
  readonly threads?: number;
  /** More options of redis-benchmark. */
  readonly options?: readonly string[];
}

/** What redis-benchmark measured. */
export interface BenchmarkResult {
  /** Requests a second. */
  readonly rate: number;
  /** In milliseconds, of a request with its whole pipeline. */
  readonly p99: number;
}

/** Requests a second, as redis-benchmark measures them. */
export async function redisBenchmark(options: BenchmarkRun): Promise<number> {
  return (await runRedisBenchmark(options)).rate;
}

export async function runRedisBenchmark(options: BenchmarkRun): Promise<BenchmarkResult> {
  const { port, test, requests, pipeline, range, clients = 50, isCluster = false, threads = 0 } = options;
  const [named, words] = typeof test === 'string' ? [['-t', test], []] : [[], test];
  const parameters = [
    '-p',
    port,
    ...named,
    '-n',
    requests,
    '-P',
    pipeline,
    '-r',
    range,
    '-c',
    clients,
    '--csv',
    ...(isCluster ? ['--cluster'] : []),
    ...(threads > 0 ? ['--threads', threads] : []),
    ...(options.options ?? []),
    ...words,
  ];
  const { stdout } = await run('redis-benchmark', parameters.map(String), { timeout: 300_000 });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
  const cells = last.replaceAll('"', '').split(',').slice(-7).map(Number);
  const [rate = 0, , , , , p99 = 0] = cells;
  if (!(rate > 0)) throw new Error(`redis-benchmark printed no rate for ${test}: ${stdout}`);
  return { rate, p99 };
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  if (line === undefined) throw new Error(`process ${pid} shows no resident memory`);
  return Number(line) * 1024;
}

/** Processor time that a process has used so far, user and system, in microseconds. */
export function processorMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may hold anything; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Linux counts processor time in hundredths of a second for every program. */
const MICROS_PER_TICK = 10_000;

/** Prints rows as a table in columns; numbers are aligned right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join('  ');
  console.log(line(header));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Where output is not a terminal: how often a line is written, in ms, and when the last one was. */
const LINE_EVERY = 10_000;
let lastLine = performance.now();

/**
 * Shows how far a long run has come, on one line of the terminal. Where output is not a terminal, a line is written every ten
 * seconds, so that a run that hangs can be told from a slow one. An empty text ends it.
 */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`);
    return;
  }
  const now = performance.now();
  if (text === '' || now - lastLine < LINE_EVERY) return;
  lastLine = now;
  process.stderr.write(`${(now / 1_000).toFixed(0)} s: ${text}\n`);
}

/** The number given as `--name=value`, or the default. */
export function option(name: string, fallback: number): number {
  return Number(textOption(name, `${fallback}`));
}

/** The text given as `--name=value`, or the default. */
export function textOption(name: string, fallback: string): string {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given === undefined ? fallback : given.slice(name.length + 3);
}
