import {
  abortSignal,
  flag,
  integer,
  KitError,
  milliseconds,
  oneOf,
  optional,
  type Resolved,
  resolveOptions,
  ruled,
  text,
} from '../foundation/index.js';

const ALGORITHMS = ['token-bucket', 'gcra', 'fixed-window', 'sliding-window'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** One limit: N units per period. */
export interface RateWindow {
  /** Max units … */
  readonly limit: number;
  /** … per this number of ms. */
  readonly per: number;
  /**
   * `token-bucket`: units are added one by one at a constant rate; stores two numbers per name, whatever the limit.
   * `gcra`: the same in one number.
   * `fixed-window`: a window begins with the first unit taken, and all units are free again when it ends; stores one number.
   * `sliding-window`: no period of `per` ms ever has more than `limit` units; stores one number per unit.
   * Default `token-bucket`.
   */
  readonly algorithm?: Algorithm;
  /** Max units of a token bucket or GCRA, which can be taken at once. Default `limit`. */
  readonly burst?: number;
  /**
   * The name of the window in results and HTTP headers: printable ASCII without quotes. Default `default`, or `5/1000ms` (limit and
   * period) if there are several windows.
   */
  readonly name?: string;
}

/** What a limiter does while the store cannot be reached. */
export interface InsuranceOptions {
  /**
   * The part of each limit that this process allows by itself while the store is away: with four processes, a quarter keeps
   * the total below the limit. At least one unit. Default 1.
   */
  readonly share?: number;
  /** How long a call waits for the store before this process decides, in ms. Default 500. */
  readonly patience?: number;
}

interface CommonOptions {
  /**
   * How long a name is blocked after a refused call, in ms: until then all its calls are refused. With 0, names are blocked only by
   * `block(name, ms)`. Default: names are never blocked.
   */
  readonly block?: number;
  /**
   * Lets this process decide by itself, in memory, while the store cannot be reached. Otherwise calls reject then. Default
   * false.
   */
  readonly insurance?: boolean | InsuranceOptions;
  /**
   * Refuses a call in this process, without asking the store, until the time at which the store has said that it would allow it.
   * Units that another process returns to the name, or a reset there, are noticed only then. Default false.
   */
  readonly rememberRefused?: boolean;
  /** Prefix of all keys: `prefix:{name}:…`. Default `rate`. */
  readonly prefix?: string;
}

/** Options of `rateLimiter`: one window, or several that must all have enough units. */
export type RateLimiterOptions = CommonOptions & (RateWindow | SeveralWindows);

interface SeveralWindows {
  /** Units are taken from all windows or from none. */
  readonly windows: readonly RateWindow[];
}

/** A name is a string of HTTP structured fields, which is quoted. */
const windowName = ruled<string>((value) =>
  typeof value === 'string' && /^[ !#-[\]-~]+$/.test(value)
    ? undefined
    : 'must be printable ASCII without quotes and backslashes',
);

const WINDOW_RULES = {
  limit: integer(undefined, { min: 1 }),
  per: milliseconds(undefined, { min: 1 }),
  algorithm: oneOf(ALGORITHMS, 'token-bucket'),
  burst: optional(integer(undefined, { min: 1 })),
  name: optional(windowName),
};

const COMMON_RULES = {
  block: optional(milliseconds()),
  insurance: ruled<boolean | InsuranceOptions>(
    (value) =>
      typeof value === 'boolean' || (typeof value === 'object' && value !== null)
        ? undefined
        : 'must be true, false or an object',
    false,
  ),
  rememberRefused: flag(false),
  prefix: text('rate'),
};

const INSURANCE_RULES = {
  share: ruled<number>(
    (value) =>
      typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'must be above 0, at most 1',
    1,
  ),
  patience: milliseconds(500, { min: 1 }),
};

export type Insurance = Resolved<typeof INSURANCE_RULES>;

export interface CompleteWindow extends Omit<Resolved<typeof WINDOW_RULES>, 'burst' | 'name'> {
  readonly burst: number;
  readonly name: string;
}

export interface CompleteOptions {
  readonly windows: readonly CompleteWindow[];
  readonly block: number | undefined;
  readonly insurance: Insurance | undefined;
  readonly rememberRefused: boolean;
  readonly prefix: string;
}

export function resolveRateLimiterOptions(given: RateLimiterOptions): CompleteOptions {
  const several = resolveOptions(
    'rateLimiter',
    { windows: undefined, ...given },
    { ...COMMON_RULES, ...EITHER_RULES },
  );
  const { block, insurance, rememberRefused, prefix, windows: list, ...one } = several;
  return {
    windows: list === undefined ? [resolveWindow(one, 'default')] : resolveWindows(list, one),
    block,
    insurance: resolveInsurance(insurance),
    rememberRefused,
    prefix,
  };
}

/** Options of one window are not required beside `windows`, and are checked later. */
const EITHER_RULES = {
  windows: optional(
    ruled<readonly RateWindow[]>((value) =>
      Array.isArray(value) && value.length > 0
        ? undefined
        : 'must be a list of windows, such as [{ limit, per }]',
    ),
  ),
  limit: optional(WINDOW_RULES.limit),
  per: optional(WINDOW_RULES.per),
  algorithm: optional(WINDOW_RULES.algorithm),
  burst: WINDOW_RULES.burst,
  name: WINDOW_RULES.name,
};

function resolveWindows(given: readonly RateWindow[], beside: object): CompleteWindow[] {
  const extra = Object.entries(beside).find(([, value]) => value !== undefined);
  if (extra !== undefined) {
    throw new KitError('OPTION', `rateLimiter: give either \`windows\` or \`${extra[0]}\`, not both`);
  }
  const windows = given.map((window) => resolveWindow(window, undefined));
  const names = windows.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new KitError(
      'OPTION',
      `rateLimiter: two windows have the name '${twice}': give each its own \`name\``,
    );
  }
  return windows;
}

function resolveWindow(given: object, defaultName: string | undefined): CompleteWindow {
  const window = resolveOptions('rateLimiter', given, WINDOW_RULES);
  const { limit, per, algorithm, burst = limit, name = defaultName ?? `${limit}/${per}ms` } = window;
  if (window.burst !== undefined && algorithm.endsWith('-window')) {
    const what = algorithm.replace('-', ' ');
    throw new KitError('OPTION', `rateLimiter: a ${what} has no \`burst\`, only \`limit\` and \`per\``);
  }
  return { limit, per, algorithm, burst, name };
}

function resolveInsurance(given: boolean | InsuranceOptions): Insurance | undefined {
  if (given === false) return undefined;
  return resolveOptions('insurance', given === true ? {} : given, INSURANCE_RULES);
}

/** The units of one call: at most as many as the smallest window has, or the call could never be allowed. */
export function resolveUnits(owner: string, given: number | undefined, max: number): number {
  // Every call of a limiter comes through here; most take one unit.
  if (given === undefined || (Number.isSafeInteger(given) && given >= 1 && given <= max)) return given ?? 1;
  return resolveOptions(owner, { cost: given }, { cost: integer(1, { min: 1, max }) }).cost;
}

export function resolveBlock(given: number): number {
  return resolveOptions('block', { ms: given }, { ms: milliseconds(undefined, { min: 1 }) }).ms;
}

/** Options of `wait`. */
export interface WaitOptions {
  /** Units to take. Default 1. */
  readonly cost?: number;
  /** Max time to wait in ms; `Infinity` is allowed. Default 10,000. */
  readonly within?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

const WAIT_RULES = {
  within: milliseconds(10_000, { infinite: true }),
  signal: optional(abortSignal()),
};

export type WaitLimits = Resolved<typeof WAIT_RULES>;

export function resolveWait(
  { cost, ...given }: WaitOptions,
  max: number,
): WaitLimits & { readonly cost: number } {
  return { cost: resolveUnits('wait', cost, max), ...resolveOptions('wait', given, WAIT_RULES) };
}
