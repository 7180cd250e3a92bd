import { KitError } from '../kit-error.js';
import { shown } from '../options.js';
import { fold } from './folding.js';

/** How names are compared: without case, accents and white space at their ends. */
export function foldedName(text: string): string {
  return fold(text).trim();
}

/** Throws if nothing of the name is left when it is folded. NUL separates names in scripts. */
export function checkFoldedName(owner: string, what: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && !value.includes('\0') && foldedName(value) !== '') return;
  throw new KitError('OPTION', `${owner}: ${what} must be a text that is not empty, not ${shown(value)}`);
}

/** Location names, folded, without doubles. */
export function resolveLocations(owner: string, locations: readonly string[]): string[] {
  if (!Array.isArray(locations)) {
    throw new KitError('OPTION', `${owner}: \`locations\` must be a list of names, not ${shown(locations)}`);
  }
  const found = new Set<string>();
  for (const location of locations as readonly string[]) {
    checkFoldedName(owner, 'a location', location);
    found.add(foldedName(location));
  }
  return [...found];
}
