import { LuaError, LuaTable, type LuaValue } from '../../lua/index.js';

/** The error object that a script gets for a failed command. `isCounted`: INFO has counted the error. */
export function errorTable(text: string, isCounted = false): LuaTable {
  const table = new LuaTable();
  if (isCounted) table.set(COUNTED, true);
  table.set('err', text);
  return table;
}

/** The text for an error object: it begins with a code (`ERR` if there is only one word) and has no line ends around it. */
export function normalizedError(text: string): string {
  const trimmed = text.replace(/^[\r\n]+|[\r\n]+$/g, '');
  return trimmed.includes(' ') ? trimmed : `ERR ${trimmed}`;
}

/** Raises an error as Redis's own functions do: an object, without a position in its text. */
export function raiseText(text: string): never {
  throw new LuaError(errorTable(`ERR ${text}`));
}

/** Ends a script: SCRIPT KILL, the time limit, or out of memory. `pcall` does not catch it. */
export class ScriptEnded extends Error {
  /** The error for the client, with the position in the script. */
  readonly error: LuaError;

  constructor(text: string, code = 'ERR') {
    super(text);
    this.name = 'ScriptEnded';
    this.error = LuaError.ofHost(errorTable(`${code} ${text}`));
  }
}

/** The error text for the client whose script failed. */
export function scriptFailure(error: LuaError, name: string): { text: string; isCounted: boolean } {
  const { value, place } = error;
  const text = value instanceof LuaTable ? messageOf(value) : `ERR ${shown(value)}`;
  const isCounted = value instanceof LuaTable && value.getString(COUNTED) === true;
  const where = place === undefined ? '' : ` script: ${name}, on ${place.chunkName}:${place.line}.`;
  return { text: text + where, isCounted };
}

/** The text of an error without its position, for errors while a library is loaded. */
export function errorMessage({ value }: LuaError): string {
  return value instanceof LuaTable ? messageOf(value) : `ERR ${shown(value)}`;
}

function messageOf(table: LuaTable): string {
  const text = table.getString('err');
  return typeof text === 'string' || typeof text === 'number' ? String(text) : 'ERR unknown error';
}

function shown(value: LuaValue): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return value === undefined ? 'nil' : typeof value === 'boolean' ? String(value) : 'execution failure';
}

/** The field of an error object that says that INFO has counted the error. */
export const COUNTED = 'ignore_error_stats_update';
