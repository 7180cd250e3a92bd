import { charCodeAt } from '../../bytes/text.js';
import { chargeBytes, charged } from '../runtime/budget.js';
import { fail, failArgument, failInCall } from '../runtime/errors.js';
import type { LuaResult, LuaValue } from '../runtime/value.js';
import {
  checkFunction,
  checkInt,
  checkInteger,
  checkString,
  isAbsent,
  optionalInteger,
  STACK_SLOTS,
} from './arguments.js';
import type { Library } from './base.js';
import { format } from './string-format.js';
import { searchFunctions } from './string-search.js';

/** The longest string V8 can hold. */
const MAXIMUM_LENGTH = 536_870_888;

/** The header of compiled Lua. Redis refuses to load it, so `string.dump` returns only this header. */
const BINARY_CHUNK = '\x1bLuaQ\0\x01\x04\x08\x04\x08\0';

export const stringLibrary: Library = {
  byte,
  char(...args) {
    let text = '';
    for (let i = 1; i <= args.length; i++) {
      const code = checkInt(args, i);
      if (code < 0 || code > 255) failArgument(i, 'invalid value');
      text += String.fromCharCode(code);
    }
    return text;
  },
  dump(...args) {
    checkFunction(args, 1);
    return BINARY_CHUNK;
  },
  format,
  len: (...args) => checkString(args, 1).length,
  lower: (...args) => charged(checkString(args, 1)).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  rep,
  reverse(...args) {
    const text = charged(checkString(args, 1));
    let reversed = '';
    for (let i = text.length - 1; i >= 0; i--) reversed += text.charAt(i);
    return reversed;
  },
  sub,
  upper: (...args) => charged(checkString(args, 1)).replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ...searchFunctions,
};

/** `string.sub`: positions count from 1, or from the end if negative; both ends are included. */
function sub(...args: LuaValue[]): LuaResult {
  const text = checkString(args, 1);
  const from = checkInteger(args, 2);
  const to = optionalInteger(args, 3, -1);
  const start = from < 0 ? Math.max(from + text.length, 0) : Math.max(from - 1, 0);
  const end = to < 0 ? to + text.length + 1 : Math.min(to, text.length);
  return start < end ? text.slice(start, end) : '';
}

function byte(...args: LuaValue[]): LuaResult {
  const text = checkString(args, 1);
  const from = optionalInteger(args, 2, 1);
  const to = isAbsent(args, 3) ? from : checkInteger(args, 3);
  // A position before the first character: the start of a range becomes the first character, the end makes the range empty.
  const start = from < 0 ? Math.max(from + text.length + 1, 0) : from;
  const end = Math.min(to < 0 ? Math.max(to + text.length + 1, 0) : to, text.length);
  const first = Math.max(start, 1);
  if (first > end) return [];
  if (first === end) return charCodeAt(text, first - 1);
  const count = end - first + 1;
  if (count + args.length > STACK_SLOTS) failInCall('stack overflow (string slice too long)');
  const codes: LuaValue[] = [];
  for (let i = first; i <= end; i++) codes.push(charCodeAt(text, i - 1));
  return codes;
}

function rep(...args: LuaValue[]): LuaResult {
  const text = checkString(args, 1);
  const count = checkInt(args, 2);
  if (count <= 0 || text === '') return '';
  if (text.length * count > MAXIMUM_LENGTH) fail('not enough memory');
  chargeBytes(text.length * count);
  return text.repeat(count);
}
