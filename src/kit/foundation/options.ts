import { KitError } from './kit-error.js';

/** The rule of an option. `fallback` is its default; without one the option is required. */
export interface Rule<T> {
  readonly fallback?: { readonly value: T };
  /** Describes what is wrong with a value, as text that follows the option's name: "must be …". */
  complaint(value: unknown): string | undefined;
  /** Makes what is used of what was given. Default: it is used as it is. */
  readonly complete?: (value: unknown) => T;
}

export type Rules = Readonly<Record<string, Rule<unknown>>>;

/** The complete options of a table of rules. */
export type Resolved<R extends Rules> = {
  readonly [Name in keyof R]: R[Name] extends Rule<infer T> ? T : never;
};

/**
 * Checks the given options and fills in defaults. Called once per public call; inside, options are complete.
 *
 * @example
 * const RULES = { prefix: text('lock'), lease: milliseconds(30_000, { min: 1 }), fair: flag(false) };
 * resolveOptions('locks', { lease: 5000 }, RULES); // { prefix: 'lock', lease: 5000, fair: false }
 * resolveOptions('locks', { leese: 5000 }, RULES); // throws: locks has no option 'leese': did you mean 'lease'? …
 */
export function resolveOptions<R extends Rules>(owner: string, given: object, rules: R): Resolved<R> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new KitError(
      'OPTION',
      `${owner}: options must be an object such as { ${Object.keys(rules)[0]}: … }`,
    );
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(owner, name, Object.keys(rules));
  }
  const values = given as Readonly<Record<string, unknown>>;
  const resolved: Record<string, unknown> = {};
  for (const name of Object.keys(rules)) {
    resolved[name] = settle(owner, name, rules[name] as Rule<unknown>, values[name]);
  }
  return resolved as Resolved<R>;
}

/** Resolves the options of one kind of call; most calls have none. */
export function resolverOf<R extends Rules, Given extends object>(
  owner: string,
  rules: R,
): (given: Given | undefined) => Resolved<R> {
  const none = resolveOptions(owner, {}, rules);
  return (given) => (given === undefined ? none : resolveOptions(owner, given, rules));
}

function settle(owner: string, name: string, rule: Rule<unknown>, value: unknown): unknown {
  if (value === undefined) {
    if (rule.fallback === undefined) throw new KitError('OPTION', `${owner} needs the option \`${name}\``);
    return rule.fallback.value;
  }
  const complaint = rule.complaint(value);
  if (complaint !== undefined) {
    throw new KitError('OPTION', `${owner}: \`${name}\` ${complaint}, not ${shown(value)}`);
  }
  return rule.complete === undefined ? value : rule.complete(value);
}

function unknownOption(owner: string, name: string, known: readonly string[]): KitError {
  const meant = known.find((candidate) => isLike(candidate, name));
  const hint = meant === undefined ? '' : ` did you mean '${meant}'?`;
  return new KitError('OPTION', `${owner} has no option '${name}':${hint} it takes ${known.join(', ')}`);
}

/** Whether two names differ by one letter added, removed, changed or swapped; case is ignored. */
function isLike(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 2 && Math.abs(a.length - b.length) <= 2;
}

/** A value as error texts show it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function rule<T>(fallback: T | undefined, complaint: Rule<T>['complaint']): Rule<T> {
  return fallback === undefined ? { complaint } : { complaint, fallback: { value: fallback } };
}

/** A non-empty string, of whole characters. */
export function text(fallback?: string): Rule<string> {
  return rule(fallback, (value) => {
    if (typeof value !== 'string' || value === '') return 'must be a string that is not empty';
    return hasHalfCharacters(value) ? HALF_CHARACTERS : undefined;
  });
}

/** Complaint about such a text. */
export const HALF_CHARACTERS = 'must not contain half a character (one of a pair of surrogates)';

/** Halves of surrogate pairs are not part of UTF-8: all of them become the same character in a store, and scripts cannot read JSON with them. */
export function hasHalfCharacters(value: string): boolean {
  return !value.isWellFormed();
}

export function flag(fallback?: boolean): Rule<boolean> {
  return rule(fallback, (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'));
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function withinBounds({ min, max }: Bounds): string {
  if (min === undefined) return max === undefined ? '' : ` of at most ${max}`;
  return max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

/** A whole number. */
export function integer(fallback?: number, bounds: Bounds = {}): Rule<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return rule(fallback, (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number${withinBounds(bounds)}`,
  );
}

/** A duration in whole milliseconds, zero or more. `Infinity` only if the rule allows it. */
export function milliseconds(
  fallback?: number,
  { min = 0, max, infinite = false }: Bounds & { readonly infinite?: boolean } = {},
): Rule<number> {
  const bounds = withinBounds(max === undefined ? { min } : { min, max });
  const { complaint } = integer(undefined, max === undefined ? { min } : { min, max });
  return rule(fallback, (value) => {
    if (infinite && value === Number.POSITIVE_INFINITY) return undefined;
    return complaint(value) === undefined
      ? undefined
      : `must be a number of whole milliseconds${bounds}${infinite ? ', or Infinity' : ''}`;
  });
}

/** A finite number above zero. */
export function positive(fallback?: number): Rule<number> {
  return rule(fallback, (value) =>
    typeof value === 'number' && Number.isFinite(value) && value > 0 ? undefined : 'must be a number above 0',
  );
}

export function oneOf<const T extends string>(words: readonly T[], fallback?: T): Rule<T> {
  return rule(fallback, (value) =>
    words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`,
  );
}

export function callback<T extends (...args: never[]) => unknown>(fallback?: T): Rule<T> {
  return rule(fallback, (value) => (typeof value === 'function' ? undefined : 'must be a function'));
}

/**
 * A function that is told what happens. If it throws, the component goes on, and the error is reported as uncaught, as that of a listener.
 */
export function listener<T extends (...args: never[]) => void>(fallback: T): Rule<T> {
  const complete = (given: unknown): T =>
    ((...args) => {
      try {
        (given as T)(...args);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }) as T;
  return { ...callback(fallback), complete };
}

export function abortSignal(): Rule<AbortSignal> {
  return rule<AbortSignal>(undefined, (value) =>
    value instanceof AbortSignal ? undefined : 'must be an AbortSignal',
  );
}

/** The same rule for an optional value, which is undefined if missing. */
export function optional<T>({ complaint }: Rule<T>): Rule<T | undefined> {
  return { complaint, fallback: { value: undefined } };
}

/** A custom rule: `complaint` returns what is wrong, or undefined. */
export function ruled<T>(complaint: (value: unknown) => string | undefined, fallback?: T): Rule<T> {
  return rule(fallback, complaint);
}
