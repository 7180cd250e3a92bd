import type { Argument, Store } from '../../store/index.js';

export const TYPES = ['list', 'hash', 'set', 'zset'] as const;
export type MeasuredType = (typeof TYPES)[number];

/** Whether the settings of the server are used, or changed so that the structure is packed or not. */
export type Variant = 'as configured' | 'packed' | 'not packed';

export interface Measurement {
  readonly length: number;
  readonly variant: Variant;
  readonly encoding: string;
  /** Calls a second, in pipelines of a hundred. */
  readonly rate: number;
  /** MEMORY USAGE of the whole key, divided by the number of elements. */
  readonly bytesPerElement: number;
}

interface TypeUnderTest {
  /** What is timed, for people. */
  readonly call: string;
  readonly setting: string;
  readonly packed: (length: number) => number;
  readonly plain: number;
  /** Longer ones are not measured packed; absent if there is no limit. */
  readonly maxPacked?: number;
  add(from: number, to: number): readonly [string, ...Argument[]];
  /** One timed call, with an element of the structure. */
  use(element: number): readonly [string, ...Argument[]];
}

/**
 * To add an element to a packed hash or sorted set, the server searches for it from the beginning: filling one takes time in proportion to
 * the square of its length. One of 100,000 elements takes minutes. Lists are packed in nodes, and packed sets are searched by halving.
 */
export const MAX_SEARCHED = 10_000;

/** The key that a measurement uses. */
export const KEY = 'sorrel:encodings:test';

/** Elements are short texts, as ids are; those of sets are whole numbers, which is what sets are packed for. */
export const UNDER_TEST: Readonly<Record<MeasuredType, TypeUnderTest>> = {
  list: {
    call: 'RPOPLPUSH onto itself',
    setting: 'list-max-listpack-size',
    // Nodes of 64 KB: the largest that Redis makes.
    packed: () => -5,
    plain: 1,
    add: (from, to) => ['RPUSH', KEY, ...range(from, to)],
    use: () => ['RPOPLPUSH', KEY, KEY],
  },
  hash: {
    call: 'HGET',
    setting: 'hash-max-listpack-entries',
    packed: (length) => length,
    plain: 0,
    maxPacked: MAX_SEARCHED,
    add: (from, to) => ['HSET', KEY, ...range(from, to).flatMap((i) => [`field:${i}`, i])],
    use: (element) => ['HGET', KEY, `field:${element}`],
  },
  set: {
    call: 'SREM and SADD',
    setting: 'set-max-intset-entries',
    packed: (length) => length,
    plain: 0,
    add: (from, to) => ['SADD', KEY, ...range(from, to).map((i) => i * 1_000_003)],
    use: (element) => [element % 2 === 0 ? 'SREM' : 'SADD', KEY, (element >> 1) * 1_000_003],
  },
  zset: {
    call: 'ZADD of another score',
    setting: 'zset-max-listpack-entries',
    packed: (length) => length,
    plain: 0,
    maxPacked: MAX_SEARCHED,
    add: (from, to) => ['ZADD', KEY, ...range(from, to).flatMap((i) => [i, `member:${i}`])],
    use: (element) => ['ZADD', KEY, (element * 7_919) % 10_007, `member:${element}`],
  },
};

/** Whether a structure of this length is measured so. */
export function isMeasured(type: MeasuredType, length: number, variant: Variant): boolean {
  return variant !== 'packed' || length <= (UNDER_TEST[type].maxPacked ?? Number.POSITIVE_INFINITY);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Commands of one pipeline, and elements of one command that fills the structure. */
const PIPELINE = 100;
const ELEMENTS_AT_ONCE = 1_000;

export interface MeasureOptions {
  readonly type: MeasuredType;
  readonly length: number;
  readonly variant: Variant;
  /** How long to time calls, in ms. */
  readonly budget: number;
  readonly signal: AbortSignal;
}

/** Builds a structure of one length, times calls, and asks for its memory. The key is removed. */
export async function measure(store: Store, options: MeasureOptions): Promise<Measurement> {
  const { type, length, variant } = options;
  const test = UNDER_TEST[type];
  const before = variant === 'as configured' ? undefined : await settingOf(store, test.setting);
  try {
    if (before !== undefined) {
      await store.send(
        'CONFIG',
        'SET',
        test.setting,
        variant === 'packed' ? test.packed(length) : test.plain,
      );
    }
    await store.del(KEY);
    for (let from = 0; from < length; from += ELEMENTS_AT_ONCE) {
      options.signal.throwIfAborted();
      const [name, ...args] = test.add(from, Math.min(length, from + ELEMENTS_AT_ONCE));
      await store.send(name, ...args);
    }
    const encoding = String(await store.send('OBJECT', 'ENCODING', KEY));
    const bytes = Number(await store.send('MEMORY', 'USAGE', KEY, 'SAMPLES', 0));
    const rate = await timed(store, options);
    return { length, variant, encoding, rate, bytesPerElement: bytes / length };
  } finally {
    await store.del(KEY);
    if (before !== undefined) await store.send('CONFIG', 'SET', test.setting, before);
  }
}

async function settingOf(store: Store, name: string): Promise<string> {
  const reply = (await store.send('CONFIG', 'GET', name)) as readonly unknown[];
  const value = reply.flat()[1];
  if (typeof value !== 'string') throw new Error(`the server does not know the setting ${name}`);
  return value;
}

async function timed(store: Store, { type, length, budget, signal }: MeasureOptions): Promise<number> {
  const { use } = UNDER_TEST[type];
  const rounds = type === 'set' ? 2 * length : length;
  let element = 0;
  const round = async (): Promise<void> => {
    signal.throwIfAborted();
    await store.pipeline((queue) =>
      Array.from({ length: PIPELINE }, () => {
        const [name, ...args] = use(element % rounds);
        // A step that visits all elements in an order that is not theirs.
        element += 7_919;
        return queue.send(name, ...args);
      }),
    );
  };
  await round();
  const begin = performance.now();
  let calls = 0;
  do {
    await round();
    calls += PIPELINE;
  } while (performance.now() - begin < budget);
  return (calls / (performance.now() - begin)) * 1_000;
}
