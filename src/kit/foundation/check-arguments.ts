import type { Store } from '../../store/index.js';
import { KitError } from './kit-error.js';
import { shown } from './options.js';

/**
 * Refuses what is no store, in a factory's first line: programs in plain JavaScript pass clients, promises of stores, or
 * nothing.
 *
 * @example
 * checkStore('locks', undefined); // throws: locks: the first argument must be a store, not undefined: pass what …
 */
export function checkStore(owner: string, store: unknown): asserts store is Store {
  if (isStore(store)) return;
  throw new KitError('OPTION', `${owner}: the first argument must be a store, not ${described(store)}`);
}

/** Refuses what is no function before anything is acquired for it. */
export function checkWork(work: unknown): void {
  if (typeof work === 'function') return;
  throw new KitError('OPTION', `run: the work must be a function, not ${shown(work)}`);
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

/** What it is, and what to do about it. */
function described(value: unknown): string {
  const use = "`await open()`, `await open('redis://…')`";
  if (typeof value === 'string') return `the text '${value}': pass what \`await open('${value}')\` gives`;
  if (typeof value !== 'object' || value === null) return `${String(value)}: pass what ${use} gives`;
  if (value instanceof Promise) return 'a promise: pass what it resolves to, `await open()`';
  if ('duplicate' in value && 'sendCommand' in value) {
    return 'a Redis client: pass what `await open(client)` gives';
  }
  const { name } = value.constructor ?? {};
  return `${name === undefined || name === '' || name === 'Object' ? 'an object' : `a ${name}`}: pass what ${use} gives`;
}
