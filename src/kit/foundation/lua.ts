import { readFileSync } from 'node:fs';

/**
 * Reads Lua files that lie beside a module, one after the other into one script: what several scripts share comes first,
 * as local functions. Call it when the module is loaded, not per use.
 *
 * @example
 * const release = { keys: ['holds'], args: ['id'], lua: readLua(import.meta.url, 'lock-state.lua', 'release.lua') };
 */
export function readLua(moduleUrl: string, ...files: readonly string[]): string {
  return files.map((file) => readFileSync(new URL(file, moduleUrl), 'utf8')).join('\n');
}
