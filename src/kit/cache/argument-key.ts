import { createHash } from 'node:crypto';
import { KitError, shown } from '../foundation/index.js';

/** Longer keys are replaced by their hash. */
const MAX_KEY = 200;

/**
 * Text that is the same for equal arguments in every process: JSON with sorted properties. Long text is replaced by its
 * SHA-256.
 *
 * @example
 * argumentKey(['ann', { page: 2, order: 'time' }]); // '["ann",{"order":"time","page":2}]'
 */
export function argumentKey(args: readonly unknown[]): string {
  return shortened(canonical(args, 'an argument'));
}

/** The same for text: short text stays readable in keys. */
export function shortened(key: string): string {
  return key.length <= MAX_KEY ? key : `#${createHash('sha256').update(key).digest('base64url')}`;
}

function canonical(value: unknown, what: string): string {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'bigint':
      return `${value}n`;
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === 'number' && !Number.isFinite(value) ? `${value}` : JSON.stringify(value);
    case 'object':
      return canonicalObject(value, what);
    default:
      throw unsuitable(what, value);
  }
}

function canonicalObject(value: object | null, what: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, what)).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unsuitable(what, value);
  const properties = Object.entries(value).filter(([, item]) => item !== undefined);
  properties.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${properties.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item, what)}`).join(',')}}`;
}

function unsuitable(what: string, value: unknown): KitError {
  const kind = typeof value === 'object' ? `a ${value?.constructor?.name ?? 'special object'}` : shown(value);
  return new KitError(
    'OPTION',
    `cached: ${what} must consist of plain values, lists, objects and dates, not ${kind}: pass \`key\``,
  );
}
