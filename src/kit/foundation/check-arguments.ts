import type { Store } from '../../store/index.js';
import { KitError } from './kit-error.js';
import { HALF_CHARACTERS, hasHalfCharacters, shown } from './options.js';

/**
 * Throws if the value is not a store. Called first in every factory: programs in plain JavaScript pass clients, promises,
 * or nothing.
 *
 * @example
 * checkStore('locks', undefined); // throws: locks: the first argument must be a store, not undefined: pass …
 */
export function checkStore(owner: string, store: unknown): asserts store is Store {
  if (isStore(store)) return;
  throw new KitError('OPTION', `${owner}: the first argument must be a store, not ${described(store)}`);
}

/** Throws if the value is not a function, before anything is acquired. */
export function checkWork(work: unknown): void {
  if (typeof work === 'function') return;
  throw new KitError('OPTION', `run: the work must be a function, not ${shown(work)}`);
}

/**
 * The value, if it is a string that is not empty.
 *
 * @example
 * checkText('stock', 'the buyer', 'ann'); // 'ann'
 * checkText('stock', 'the buyer', 7); // throws: stock: the buyer must be a string that is not empty, not 7
 */
export function checkText(owner: string, what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') {
    if (!hasHalfCharacters(value)) return value;
    throw new KitError('OPTION', `${owner}: ${what} ${HALF_CHARACTERS}`);
  }
  throw new KitError('OPTION', `${owner}: ${what} must be a string that is not empty, not ${shown(value)}`);
}

function isStore(value: unknown): value is Store {
  if (typeof value !== 'object' || value === null) return false;
  const { script, send, time, kind } = value as Partial<Store>;
  return (
    typeof script === 'function' &&
    typeof send === 'function' &&
    typeof time === 'object' &&
    typeof kind === 'string'
  );
}

/** Describes the value, and what to pass instead. */
function described(value: unknown): string {
  const use = "`await open()`, `await open('redis://…')`";
  if (typeof value === 'string')
    return `the string '${value}': pass the result of \`await open('${value}')\``;
  if (typeof value !== 'object' || value === null) return `${String(value)}: pass the result of ${use}`;
  if (value instanceof Promise) return 'a promise: await it first, as in `await open()`';
  if ('duplicate' in value && 'sendCommand' in value) {
    return 'a Redis client: pass the result of `await open(client)`';
  }
  const { name } = value.constructor ?? {};
  return `${name === undefined || name === '' || name === 'Object' ? 'an object' : `a ${name}`}: pass the result of ${use}`;
}
