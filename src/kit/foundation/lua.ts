import { readFileSync } from 'node:fs';

/** Lua files that components share, as `readLua` names them from a component's folder: the server's time, … */
export const CLOCK = '../foundation/clock.lua';
/** … and a line of waiters, which needs the time. */
export const LINE = '../foundation/waiting-line.lua';

/**
 * Reads Lua files that lie beside a module, one after the other into one script: what several scripts share comes first,
 * as local functions. Call it when the module is loaded, not per use.
 *
 * Redis runs the whole file at each call, and making functions takes time: what can be settled without them is settled
 * in a file that comes before them.
 *
 * @example
 * const release = { keys: ['lock'], args: ['id'], lua: readLua(import.meta.url, CLOCK, 'release.lua') };
 */
export function readLua(moduleUrl: string, ...files: readonly string[]): string {
  return files.map((file) => readFileSync(new URL(file, moduleUrl), 'utf8')).join('\n');
}
