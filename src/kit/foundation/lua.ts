import { readFileSync } from 'node:fs';

/** Lua files that components share, as `readLua` names them from a component's folder: the server's time, … */
export const CLOCK = '../foundation/clock.lua';
/** … a queue of waiters, which needs the time … */
export const LINE = '../foundation/waiting-line.lua';
/** … and their number, which needs both. */
export const LIVE_WAITERS = '../foundation/live-waiters.lua';

/** The location of a module's Lua files: its folder or, in the build, an object with their texts. */
export type LuaFiles = string | Readonly<Record<string, string>>;

/**
 * Joins Lua files into one script, in the order given: shared local functions come first. Call it
 * when the module is loaded, not per use. `import.meta.url` means the files in the module's folder and below; the build replaces it
 * with their texts (`scripts/bundle.mjs`), so that the built module reads no file.
 *
 * Redis runs the whole script at each call, and creating functions takes time. So fast paths that do not need
 * them go into a file before them.
 *
 * @example
 * const release = { keys: ['lock'], args: ['id'], lua: readLua(import.meta.url, CLOCK, 'release.lua') };
 */
export function readLua(files: LuaFiles, ...names: readonly string[]): string {
  return names.map((name) => readOne(files, name)).join('\n');
}

function readOne(files: LuaFiles, name: string): string {
  if (typeof files === 'string') return readFileSync(new URL(name, files), 'utf8');
  const text = files[name];
  if (text === undefined) throw new Error(`the build has no Lua file ${name}`);
  return text;
}
