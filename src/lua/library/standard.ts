import { LuaTable } from '../runtime/table.js';
import { install, type Library } from './base.js';
import { bitLibrary } from './bit.js';
import { coroutineLibrary } from './coroutine.js';
import { cjsonLibrary } from './formats/cjson.js';
import { cmsgpackLibrary } from './formats/cmsgpack.js';
import { structLibrary } from './formats/struct.js';
import { mathLibrary } from './math.js';
import type { LuaRandom } from './random.js';
import { stringLibrary } from './string.js';
import { tableLibrary } from './table.js';

/** The libraries that Redis 7.0 provides to scripts. */
export function standardLibraries(random: LuaRandom): Readonly<Record<string, LuaTable>> {
  return {
    string: tableFor(stringLibrary),
    table: tableFor(tableLibrary),
    math: mathLibrary(random),
    coroutine: tableFor(coroutineLibrary()),
    bit: tableFor(bitLibrary),
    struct: tableFor(structLibrary),
    cjson: cjsonLibrary(),
    cmsgpack: cmsgpackLibrary(),
  };
}

function tableFor(library: Library): LuaTable {
  const table = new LuaTable();
  install(table, library);
  return table;
}
