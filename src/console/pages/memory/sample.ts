import { toWire } from '../../frame/wire-bytes.js';
import type { BigKey, Estimate, MemoryGroup, MemoryReport } from '../../types/memory.js';

/** What is known about one key of the sample. */
export interface SampledKey {
  readonly key: Buffer;
  readonly type: string;
  readonly encoding: string;
  readonly bytes: number;
}

class Sums {
  keys = 0;
  bytes = 0;
  squares = 0;

  add(bytes: number): void {
    this.keys++;
    this.bytes += bytes;
    this.squares += bytes * bytes;
  }
}

/** More groups than this are counted together. */
const MAX_GROUPS = 2_000;
const MAX_SHOWN = 100;
const MAX_BIGGEST = 50;
/** The quantile of the normal distribution for 95 %. */
const CERTAINTY = 1.96;
export const OTHERS = '…';

/** Collects a sample of keys in bounded memory, and extrapolates it to all keys. */
export class MemorySample {
  readonly #separator: string;
  readonly #depth: number;
  readonly #all = new Sums();
  readonly #prefixes = new Map<string, Sums>();
  readonly #types = new Map<string, Sums>();
  readonly #encodings = new Map<string, Sums>();
  #biggest: SampledKey[] = [];

  constructor(separator: string, depth: number) {
    this.#separator = separator;
    this.#depth = depth;
  }

  get size(): number {
    return this.#all.keys;
  }

  add(sampled: SampledKey): void {
    const { key, type, encoding, bytes } = sampled;
    this.#all.add(bytes);
    groupIn(this.#prefixes, this.#prefixOf(key)).add(bytes);
    groupIn(this.#types, type).add(bytes);
    groupIn(this.#encodings, `${type}: ${encoding}`).add(bytes);
    this.#biggest.push(sampled);
    if (this.#biggest.length > MAX_BIGGEST * 4) this.#biggest = biggestOf(this.#biggest);
  }

  #prefixOf(key: Buffer): string {
    if (this.#separator === '') return '';
    const parts = key.subarray(0, 512).toString('utf8').split(this.#separator);
    const folders = parts.slice(0, -1).slice(0, this.#depth);
    return folders.length === 0 ? '' : folders.join(this.#separator) + this.#separator;
  }

  report(total: number, isDone: boolean): Omit<MemoryReport, 'savings'> {
    const all = Math.max(total, this.size);
    return {
      sampled: this.size,
      total: all,
      isDone,
      bytes: this.#bytes(this.#all, all),
      prefixes: this.#groups(this.#prefixes, all),
      types: this.#groups(this.#types, all),
      encodings: this.#groups(this.#encodings, all),
      biggest: biggestOf(this.#biggest).map(
        ({ key, type, encoding, bytes }): BigKey => ({ key: toWire(key), type, encoding, bytes }),
      ),
    };
  }

  #groups(groups: ReadonlyMap<string, Sums>, total: number): MemoryGroup[] {
    return [...groups]
      .sort(([, one], [, other]) => other.bytes - one.bytes)
      .slice(0, MAX_SHOWN)
      .map(([name, sums]) => ({ name, keys: this.#keys(sums, total), bytes: this.#bytes(sums, total) }));
  }

  #keys({ keys }: Sums, total: number): Estimate {
    const share = keys / this.size;
    return { value: total * share, error: total * this.#spread(share - share * share, total) };
  }

  /** The bytes of a key are those of the group if it belongs to it, and otherwise 0: their mean has this error. */
  #bytes({ bytes, squares }: Sums, total: number): Estimate {
    if (this.size === 0) return { value: 0, error: 0 };
    const mean = bytes / this.size;
    return { value: total * mean, error: total * this.#spread(squares / this.size - mean * mean, total) };
  }

  /** The error of a mean. A sample of everything has none. */
  #spread(variance: number, total: number): number {
    if (this.size < 2 || total <= this.size) return 0;
    const correction = (total - this.size) / (total - 1);
    return CERTAINTY * Math.sqrt((Math.max(0, variance) / (this.size - 1)) * correction);
  }
}

function groupIn(groups: Map<string, Sums>, name: string): Sums {
  let sums = groups.get(name);
  if (sums === undefined) {
    if (groups.size >= MAX_GROUPS && name !== OTHERS) return groupIn(groups, OTHERS);
    sums = new Sums();
    groups.set(name, sums);
  }
  return sums;
}

const biggestOf = (keys: readonly SampledKey[]): SampledKey[] =>
  [...keys].sort((one, other) => other.bytes - one.bytes).slice(0, MAX_BIGGEST);
