import { integer, KitError, optional, resolverOf, shown } from '../foundation/index.js';
import type { Sample } from './counters.js';

export interface SparklineOptions {
  /** Max characters. More values than that are added up in groups. Default: one character per value. */
  readonly width?: number;
}

const BARS = '▁▂▃▄▅▆▇█';

const RULES = { width: optional(integer(undefined, { min: 1 })) };
const resolve = resolverOf<typeof RULES, SparklineOptions>('sparkline', RULES);

/**
 * Draws numbers, or the samples of a series, as one line of text. The lowest bar is 0, or the least value if it is negative.
 *
 * @example
 * sparkline([0, 1, 2, 4, 8, 4, 2]); // '▁▂▃▅█▅▃'
 * sparkline([1, 1, 2, 2, 4, 4], { width: 3 }); // '▃▅█'
 */
export function sparkline(values: readonly (number | Sample)[], options?: SparklineOptions): string {
  const { width } = resolve(options);
  const numbers = grouped(numbersOf(values), width ?? values.length);
  const low = Math.min(0, ...numbers);
  const high = Math.max(0, ...numbers);
  const step = (high - low) / (BARS.length - 1);
  return numbers.map((value) => BARS[step === 0 ? 0 : Math.round((value - low) / step)]).join('');
}

function numbersOf(values: readonly (number | Sample)[]): number[] {
  if (!Array.isArray(values)) {
    throw new KitError('OPTION', `sparkline: pass a list of numbers or samples, not ${shown(values)}`);
  }
  return (values as readonly (number | Sample)[]).map((value) => {
    const number = typeof value === 'object' && value !== null ? value.count : value;
    if (Number.isFinite(number)) return number;
    throw new KitError(
      'OPTION',
      `sparkline: a value must be a finite number or a sample, not ${shown(value)}`,
    );
  });
}

/** Adds up neighbours, so that at most `width` values are left. */
function grouped(numbers: readonly number[], width: number): number[] {
  if (numbers.length <= width) return [...numbers];
  const sums = new Array<number>(width).fill(0);
  for (const [at, value] of numbers.entries()) {
    const group = Math.floor((at * width) / numbers.length);
    sums[group] = (sums[group] as number) + value;
  }
  return sums;
}
