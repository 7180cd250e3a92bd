import { latin1Text } from '../../bytes/short-text.js';
import type { Call } from '../../commands/call.js';
import { CommandError } from '../../commands/errors.js';
import { LuaTable } from '../../lua/index.js';

/** How many of the arguments from the third on are keys. */
export function countedKeys(call: Call, count: number): number {
  if (count > call.argc - 3)
    throw new CommandError("ERR Number of keys can't be greater than number of args");
  if (count < 0) throw new CommandError("ERR Number of keys can't be negative");
  return count;
}

/** Arguments as a Lua table. */
export function textsOf(call: Call, start: number, end: number): LuaTable {
  const texts: string[] = [];
  for (let i = start; i < end; i++) {
    const { buf, start: from, end: to } = call.arg(i);
    texts.push(latin1Text(buf, from, to));
  }
  return new LuaTable(texts);
}
