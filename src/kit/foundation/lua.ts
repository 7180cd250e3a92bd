import { readFileSync } from 'node:fs';

/** Lua files that components share, as `readLua` names them from a component's folder: the server's time, … */
export const CLOCK = '../foundation/clock.lua';
/** … and a line of waiters, which needs the time. */
export const LINE = '../foundation/waiting-line.lua';

/** Where a module's Lua files are: beside it, or in the build, which has no such files, in an object of their texts. */
export type LuaFiles = string | Readonly<Record<string, string>>;

/**
 * Joins Lua files into one script, in the order given: what several scripts share comes first, as local functions. Call it
 * when the module is loaded, not per use. `import.meta.url` stands for the files beside the module; the build replaces it
 * by their texts (`scripts/bundle.mjs`), so that the built module reads no file.
 *
 * Redis runs the whole script at each call, and creating functions takes time: what can be decided without them is decided
 * in a file that comes before them.
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
