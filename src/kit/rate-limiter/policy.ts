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

const lua = (...files: readonly string[]): string =>
  readLua(import.meta.url, CLOCK, 'algorithms.lua', ...files, 'decide.lua');

function scriptOf(...files: readonly string[]) {
  return {
    keys: ['...keys'],
    args: ['action', 'cost', 'blockFor', '...rules'],
    lua: lua(...files),
    reply: (reply: unknown) => reply as readonly number[],
  } as const;
}

/** Redis creates the functions of a script at each call, so a script has only those that its windows need. */
const SCRIPTS: Readonly<Record<Algorithm | 'several', ReturnType<typeof scriptOf>>> = {
  'token-bucket': scriptOf('token-bucket.lua'),
  gcra: scriptOf('gcra.lua'),
  'fixed-window': scriptOf('fixed-window.lua'),
  'sliding-window': scriptOf('sliding-window.lua'),
  several: scriptOf('token-bucket.lua', 'gcra.lua', 'fixed-window.lua', 'sliding-window.lua'),
};

/** Counts the units in a store. */
export function storePolicy(store: Store, options: CompleteOptions, isInsured = false): Policy {
  const { windows, block, prefix } = options;
  const parts = partsOf(options);
  const keysOf = keyNaming('rateLimiter', prefix, parts);
  const [{ algorithm }] = windows as readonly [CompleteWindow];
  const isOne = windows.every((window) => window.algorithm === algorithm);
  const run = store.script(SCRIPTS[isOne ? algorithm : 'several']);
  const rules = windows.flatMap((window) => [window.algorithm, window.limit, window.per, window.burst]);
  const keyList = (name: string): readonly string[] => Object.values(keysOf(name));
  return {
    async decide(name, action, cost) {
      const keys = keyList(name);
      return toDecision(await run({ keys, action, cost, blockFor: block ?? 0, rules }), windows, isInsured);
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

/** Numbers of one window in the reply. */
const PER_WINDOW = 4;

function toDecision(
  [allowed, blockedFor = 0, ...numbers]: readonly number[],
  windows: readonly CompleteWindow[],
  isInsured: boolean,
): RateDecision {
  let remaining = Number.POSITIVE_INFINITY;
  let retryIn = blockedFor;
  let fullIn = 0;
  const states = windows.map(({ name, limit, per }, at): WindowState => {
    const [left = 0, wait = 0, nextIn = 0, full = 0] = numbers.slice(at * PER_WINDOW, (at + 1) * PER_WINDOW);
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
