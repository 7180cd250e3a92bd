import type { LatencyEvent, LatencySample } from '../statistics-port.js';

const COLUMNS = 80;
const ROWS = 4;
/** A column's top, from low to high within its row. */
const TOPS = '_o#';

/** The spikes of an event as columns of characters, each with its age below. */
export function latencyGraph({ name, samples, longest }: LatencyEvent, nowSeconds: number): string {
  const latencies = samples.map(({ latency }) => latency);
  const high = Math.max(...latencies);
  const low = Math.min(...latencies);
  let text = `${name} - high ${high} ms, low ${low} ms (all time high ${longest} ms)\n${'-'.repeat(COLUMNS)}\n`;
  for (let at = 0; at < samples.length; at += COLUMNS) {
    if (at > 0) text += '\n';
    text += columns(samples.slice(at, at + COLUMNS), low, high, nowSeconds);
  }
  return text;
}

function columns(samples: readonly LatencySample[], low: number, high: number, nowSeconds: number): string {
  const range = high === low ? 1 : high - low;
  const steps = ROWS * TOPS.length;
  const heights = samples.map(({ latency }) =>
    Math.min(steps - 1, Math.floor(((latency - low) * steps) / range)),
  );
  const ages = samples.map(({ time }) => age(nowSeconds - time));
  const rows: string[] = [];
  for (let row = ROWS - 1; row >= 0; row--) {
    rows.push(heights.map((height) => cell(height - row * TOPS.length)).join(''));
  }
  rows.push(' '.repeat(samples.length));
  const longestAge = Math.max(...ages.map((each) => each.length));
  for (let i = 0; i < longestAge; i++) rows.push(ages.map((each) => each[i] ?? ' ').join(''));
  return `${rows.join('\n')}\n`;
}

/** The character of a column in a row; `steps` is the column's height above the row's bottom. */
function cell(steps: number): string {
  if (steps < 0) return ' ';
  return TOPS[steps] ?? '|';
}

function age(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86400)}d`;
}
