import type { Store } from '../../store/index.js';
import { CLOCK, keyNaming, readLua } from '../foundation/index.js';
import type { Algorithm, CompleteOptions, CompleteWindow } from './options.js';

/** `take`: if there are enough units. `look`: nothing. `change`: takes units in any case, or returns them (below 0). */
export type Action = 'take' | 'look' | 'change';

/** The state of one window after a call. */
export interface WindowState {
  readonly name: string;
  /** Max units … */
  readonly limit: number;
  /** … per this number of ms. */
  readonly per: number;
  /** Whether this window had enough units for the call. */
  readonly isAllowed: boolean;
  /** Whole units left. */
  readonly remaining: number;
  /** Ms until there is one more; 0 if there are all. */
  readonly nextIn: number;
}

/** The result of a call: whether it is allowed, and when the next one is. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Whole units left after this call; of several windows, the smallest number. */
  readonly remaining: number;
  /** Ms until the same call would be allowed; 0 if it was allowed. Suitable for a `Retry-After` header. */
  readonly retryIn: number;
  /** Ms until all units are available again, if none are taken meanwhile. */
  readonly fullIn: number;
  /** Whether the name is blocked. */
  readonly isBlocked: boolean;
  /** Whether this process decided by itself, because the store is away. See the option `insurance`. */
  readonly isInsured: boolean;
  /** The windows, in the order of the options. */
  readonly windows: readonly WindowState[];
}

/** The windows of a limiter, where their units are counted. */
export interface Policy {
  decide(name: string, action: Action, cost: number): Promise<RateDecision>;
  block(name: string, ms: number): Promise<void>;
  reset(name: string): Promise<void>;
}

function scriptOf(lua: string) {
  return {
    keys: ['...keys'],
    args: ['action', 'cost', 'blockFor', 'algorithm', 'limit', 'per', 'burst', '...others'],
    lua,
    reply: (reply: unknown) => reply as readonly number[],
  } as const;
}

const read = (...files: readonly string[]): string => readLua(import.meta.url, ...files);

/**
 * Redis creates the functions and tables of a script at each call. So a script has only the algorithms that its windows need, and
 * a fast path without functions for the usual cases, one window and several fixed ones. (Without it, calls took a third more of the server's time.)
 */
const SCRIPTS: Readonly<Record<Algorithm | 'several', ReturnType<typeof scriptOf>>> = {
  'token-bucket': scriptOf(
    read(CLOCK, 'take-token-bucket.lua', 'algorithms.lua', 'token-bucket.lua', 'decide.lua'),
  ),
  gcra: scriptOf(read(CLOCK, 'take-gcra.lua', 'algorithms.lua', 'gcra.lua', 'decide.lua')),
  'fixed-window': scriptOf(
    read(
      ...['take-fixed-window.lua', 'take-fixed-windows.lua'],
      ...['algorithms.lua', 'fixed-window.lua', 'decide.lua'],
    ),
  ),
  'sliding-window': scriptOf(
    read(CLOCK, 'take-sliding-window.lua', 'algorithms.lua', 'sliding-window.lua', 'decide.lua'),
  ),
  several: scriptOf(
    read(
      ...[CLOCK, 'algorithms.lua', 'token-bucket.lua', 'gcra.lua', 'fixed-window.lua', 'sliding-window.lua'],
      'decide.lua',
    ),
  ),
};

/** Counts the units in a store. */
export function storePolicy(store: Store, options: CompleteOptions, isInsured = false): Policy {
  const { windows, block, prefix } = options;
  const parts = partsOf(options);
  const keysOf = keyNaming('rateLimiter', prefix, parts);
  const [{ algorithm, limit, per, burst }] = windows as readonly [CompleteWindow];
  const isOne = windows.every((window) => window.algorithm === algorithm);
  const run = store.script(SCRIPTS[isOne ? algorithm : 'several']);
  const others = windows
    .slice(1)
    .flatMap((window) => [window.algorithm, window.limit, window.per, window.burst]);
  const fixed = { blockFor: block ?? 0, algorithm, limit, per, burst, others };
  const keyList = (name: string): readonly string[] => Object.values(keysOf(name));
  return {
    async decide(name, action, cost) {
      return toDecision(await run({ keys: keyList(name), action, cost, ...fixed }), windows, isInsured);
    },
    async block(name, ms) {
      await store.set(keyList(name).at(-1) as string, 1, { px: ms });
    },
    async reset(name) {
      await store.del(keyList(name));
    },
  };
}

/** The last parts of the keys. Limiters with different limits count separately, even if they share a name. */
function partsOf({ windows, block }: CompleteOptions): string[] {
  const texts = windows.map(({ algorithm, limit, per, burst }) =>
    algorithm.endsWith('-window')
      ? `${KINDS[algorithm]}:${limit}/${per}`
      : `${KINDS[algorithm]}:${limit}/${per}/${burst}`,
  );
  const all = texts.join('+');
  const parts = texts.length === 1 ? texts : texts.map((text, at) => `${text}:${at + 1} of ${all}`);
  return block === undefined ? parts : [...parts, `block:${all}`];
}

/** The word for an algorithm in keys. */
const KINDS: Readonly<Record<Algorithm, string>> = {
  'token-bucket': 'bucket',
  gcra: 'gcra',
  'fixed-window': 'count',
  'sliding-window': 'log',
};

/** Numbers in the reply: of all windows together, and of each. */
const BEFORE_WINDOWS = 2;
const PER_WINDOW = 4;

function toDecision(
  reply: readonly number[],
  windows: readonly CompleteWindow[],
  isInsured: boolean,
): RateDecision {
  const [allowed, blockedFor = 0] = reply;
  let remaining = Number.POSITIVE_INFINITY;
  let retryIn = blockedFor;
  let fullIn = 0;
  const states = windows.map(({ name, limit, per }, at): WindowState => {
    const start = BEFORE_WINDOWS + at * PER_WINDOW;
    const left = reply[start] as number;
    const wait = reply[start + 1] as number;
    const nextIn = reply[start + 2] as number;
    const full = reply[start + 3] as number;
    remaining = Math.min(remaining, left);
    retryIn = Math.max(retryIn, wait);
    fullIn = Math.max(fullIn, full);
    return { name, limit, per, isAllowed: wait === 0, remaining: left, nextIn };
  });
  const isAllowed = allowed === 1;
  return {
    isAllowed,
    remaining,
    retryIn: isAllowed ? 0 : Math.max(1, retryIn),
    fullIn,
    isBlocked: blockedFor > 0,
    isInsured,
    windows: states,
  };
}
