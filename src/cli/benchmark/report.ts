import type { LatencyHistogram } from './latency-histogram.js';
import type { BenchmarkOptions } from './options.js';

/** What a test measured. */
export interface Measurement {
  readonly title: string;
  readonly requests: number;
  readonly seconds: number;
  readonly histogram: LatencyHistogram;
}

export function rateOf({ requests, seconds }: Measurement): number {
  return seconds === 0 ? 0 : requests / seconds;
}

/** A measurement in redis-benchmark's words, with a plot. */
export function fullReport(
  measurement: Measurement,
  options: BenchmarkOptions,
  settings: readonly string[],
): string {
  const { title, requests, seconds, histogram } = measurement;
  const lines = [
    `====== ${title} ======`,
    `  ${requests} requests completed in ${seconds.toFixed(2)} seconds`,
    `  ${options.clients} parallel clients`,
    `  ${options.dataSize} bytes payload`,
    `  keep alive: ${options.keepAlive ? 1 : 0}`,
    ...settings,
    `  multi-thread: ${options.threads > 0 ? 'yes' : 'no'}`,
    ...(options.threads > 0 ? [`  threads: ${options.threads}`] : []),
    '',
    'Latency by percentile distribution:',
    ...percentileLines(histogram, options.precision),
    '',
    'Cumulative distribution of latencies:',
    ...cumulativeLines(histogram, options.precision),
    '',
    'Histogram:',
    ...plotLines(histogram),
    '',
    'Summary:',
    `  throughput summary: ${rateOf(measurement).toFixed(2)} requests per second`,
    '  latency summary (msec):',
    summaryLine(['avg', 'min', 'p50', 'p95', 'p99', 'max']),
    summaryLine(latencies(histogram).map((value) => milliseconds(value, 3))),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function summaryLine(columns: readonly string[]): string {
  return `   ${columns.map((column) => column.padStart(10)).join('')}`;
}

/** `SET: 54321.00 requests per second, p50=0.263 msec` */
export function quietReport(measurement: Measurement): string {
  const { title, histogram } = measurement;
  return `${title}: ${rateOf(measurement).toFixed(2)} requests per second, p50=${milliseconds(histogram.percentile(50), 3)} msec\n`;
}

export const CSV_HEADER =
  '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"\n';

export function csvReport(measurement: Measurement): string {
  const values = [rateOf(measurement).toFixed(2)].concat(
    latencies(measurement.histogram).map((value) => milliseconds(value, 3)),
  );
  return `"${measurement.title}",${values.map((value) => `"${value}"`).join(',')}\n`;
}

export interface JsonMeasurement {
  readonly test: string;
  readonly requests: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** In milliseconds. */
  readonly latency: Readonly<Record<string, number>>;
}

export function jsonReport(measurement: Measurement): JsonMeasurement {
  const { title, requests, seconds, histogram } = measurement;
  const names = ['avg', 'min', 'p50', 'p95', 'p99', 'max'];
  const values = latencies(histogram).map((value) => Math.round(value) / 1000);
  return {
    test: title,
    requests,
    seconds: Number(seconds.toFixed(3)),
    requestsPerSecond: Number(rateOf(measurement).toFixed(2)),
    latency: Object.fromEntries(names.map((name, index) => [name, values[index] as number])),
  };
}

function latencies(histogram: LatencyHistogram): number[] {
  const { average, min, max } = histogram;
  return [average, min, histogram.percentile(50), histogram.percentile(95), histogram.percentile(99), max];
}

/** Ever closer to 100 %: 50, 75, 87.5 … */
function percentileLines(histogram: LatencyHistogram, precision: number): string[] {
  const lines: string[] = [];
  const show = (percent: number, value: number): void => {
    lines.push(line(percent, value, histogram, precision));
  };
  show(0, histogram.min);
  for (let percent = 50; histogram.count > 0 && percent < 100; percent += (100 - percent) / 2) {
    const value = histogram.percentile(percent);
    show(percent, value);
    if (histogram.countUpTo(value) >= histogram.count) break;
  }
  show(100, histogram.max);
  return lines;
}

/** Every tenth of a millisecond up to two, then every millisecond, as long as the share grows. */
function cumulativeLines(histogram: LatencyHistogram, precision: number): string[] {
  const lines: string[] = [];
  let before = -1;
  for (let limit = 100; histogram.count > 0; limit += limit < 2000 ? 100 : 1000) {
    const count = histogram.countUpTo(limit);
    if (count !== before) lines.push(line((100 * count) / histogram.count, limit, histogram, precision));
    before = count;
    if (count >= histogram.count) break;
  }
  return lines;
}

function line(percent: number, value: number, histogram: LatencyHistogram, precision: number): string {
  return `${percent.toFixed(3)}% <= ${milliseconds(value, precision)} milliseconds (cumulative count ${histogram.countUpTo(value)})`;
}

/** Bars for ranges that double in width. */
function plotLines(histogram: LatencyHistogram): string[] {
  if (histogram.count === 0) return ['  no request was answered'];
  const bars: { readonly limit: number; readonly count: number }[] = [];
  let before = 0;
  for (let limit = 50; ; limit *= 2) {
    const count = histogram.countUpTo(limit);
    if (count > 0) bars.push({ limit, count: count - before });
    before = count;
    if (count >= histogram.count) break;
  }
  const highest = Math.max(...bars.map(({ count }) => count));
  return bars.map(({ limit, count }) => {
    const share = `${((100 * count) / histogram.count).toFixed(1)}%`.padStart(6);
    const bar = '█'.repeat(Math.round((count / highest) * PLOT_WIDTH));
    return `  <= ${milliseconds(limit, 2).padStart(9)} ms ${share} ${bar}`.trimEnd();
  });
}

function milliseconds(microseconds: number, precision: number): string {
  return (microseconds / 1000).toFixed(precision);
}

const PLOT_WIDTH = 40;

/** Rounds of two servers side by side: the ratio of their rates, and how far the rounds spread. */
export interface Comparison {
  readonly title: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

export function comparisonReport({ title, ours, theirs }: Comparison): string {
  const ratios = ratiosOf({ title, ours, theirs });
  return (
    `${title}: ${median(ours).toFixed(2)} against ${median(theirs).toFixed(2)} requests per second, ` +
    `ratio ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}, ` +
    `${ratios.length} rounds)\n`
  );
}

export function ratiosOf({ ours, theirs }: Comparison): number[] {
  return ours.map((rate, index) => rate / (theirs[index] as number));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
