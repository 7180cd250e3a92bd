import type { Store } from '../../../store/store.js';
import type { EncodingSaving } from '../../types/memory.js';
import type { SampledKey } from './sample.js';

/** A type that has a packed encoding for few, short elements. */
interface Packable {
  readonly type: string;
  /** The encoding above the limit. */
  readonly loose: string;
  readonly setting: string;
  readonly valueSetting: string;
  readonly length: string;
  /** A command that returns some elements. */
  readonly elements: readonly [name: string, ...args: string[]];
  /** Strings per element: field and value, member and score. */
  readonly strings: number;
}

const PACKABLE: readonly Packable[] = [
  {
    type: 'hash',
    loose: 'hashtable',
    setting: 'hash-max-listpack-entries',
    valueSetting: 'hash-max-listpack-value',
    length: 'HLEN',
    elements: ['HRANDFIELD', '8', 'WITHVALUES'],
    strings: 2,
  },
  {
    type: 'zset',
    loose: 'skiplist',
    setting: 'zset-max-listpack-entries',
    valueSetting: 'zset-max-listpack-value',
    length: 'ZCARD',
    elements: ['ZRANDMEMBER', '8', 'WITHSCORES'],
    strings: 2,
  },
];

/** Enough for an estimate, and few enough to be asked one by one. */
const MAX_MEASURED = 200;
/** Bytes of a list pack beside the strings: a header, and per string its length in front and behind. */
const HEADER = 60;
const PER_STRING = 3;
const FACTORS = [2, 4, 8, 16, 32];

/** Measures loose values of the sample: how many bytes they would take if they were packed. */
export class Savings {
  readonly #store: Store;
  readonly #found = new Map<string, { length: number; saved: number; longest: number }[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  async add(sampled: SampledKey): Promise<void> {
    const kind = PACKABLE.find(({ type, loose }) => type === sampled.type && loose === sampled.encoding);
    if (kind === undefined) return;
    const found = this.#found.get(kind.type) ?? [];
    this.#found.set(kind.type, found);
    if (found.length >= MAX_MEASURED) return;
    const [name, ...args] = kind.elements;
    const [length, elements] = await this.#store.bytes.pipeline((queue) => [
      queue.send(kind.length, sampled.key),
      queue.send(name, sampled.key, ...args),
    ]);
    const lengths = ((elements ?? []) as unknown as Buffer[]).map((element) => element.length);
    if (lengths.length === 0) return;
    const mean = lengths.reduce((sum, one) => sum + one, 0) / lengths.length;
    const packed = HEADER + Number(length) * kind.strings * (mean + PER_STRING);
    found.push({ length: Number(length), saved: sampled.bytes - packed, longest: Math.max(...lengths) });
  }

  /** `keys` of the store's `total` keys were sampled. */
  async report(total: number, keys: number): Promise<EncodingSaving[]> {
    const savings: EncodingSaving[] = [];
    for (const { type, setting, valueSetting } of PACKABLE) {
      const found = this.#found.get(type) ?? [];
      if (found.length === 0) continue;
      const current = await this.#setting(setting);
      const maxValue = await this.#setting(valueSetting);
      if (current === undefined || maxValue === undefined) continue;
      const limits = FACTORS.map((factor) => current * factor).map((entries) => ({
        entries,
        saved: found
          .filter(({ length, longest, saved }) => length <= entries && longest <= maxValue && saved > 0)
          .reduce((sum, { saved }) => sum + (saved * total) / Math.max(1, keys), 0),
      }));
      if (limits.some(({ saved }) => saved > 0)) savings.push({ type, setting, current, limits });
    }
    return savings;
  }

  async #setting(name: string): Promise<number | undefined> {
    try {
      const reply = (await this.#store.send('CONFIG GET', name)) as readonly string[];
      return reply[1] === undefined ? undefined : Number(reply[1]);
    } catch {
      // Not permitted: nothing is said about savings.
      return undefined;
    }
  }
}
