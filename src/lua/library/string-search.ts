import { callForOne } from '../runtime/calls.js';
import { failArgument, failInCall } from '../runtime/errors.js';
import { index } from '../runtime/indexing.js';
import { numberToString } from '../runtime/number.js';
import { LuaTable } from '../runtime/table.js';
import { type LuaResult, type LuaValue, typeName } from '../runtime/value.js';
import { checkInt, checkString, isAbsent, optionalInteger } from './arguments.js';
import type { Library } from './base.js';
import { isDigit } from './character-classes.js';
import { PatternMatch } from './pattern.js';

const SPECIALS = /[\^$*+?.([%-]/;

/** The functions of `string` that search with patterns. */
export const searchFunctions: Library = {
  find: (...args) => search(args, true),
  match: (...args) => search(args, false),
  gmatch,
  gfind: gmatch,
  gsub,
};

/** Converts a position, which may count from the end, to an offset; -1 means before the first character. */
export function startOffset(position: number, length: number): number {
  const fromStart = position < 0 ? position + length + 1 : position;
  return fromStart <= 0 ? 0 : fromStart - 1;
}

function search(args: LuaValue[], wantsPlace: boolean): LuaResult {
  const subject = checkString(args, 1);
  const pattern = checkString(args, 2);
  const start = Math.min(startOffset(optionalInteger(args, 3, 1), subject.length), subject.length);
  const isPlain = wantsPlace && args[3] !== undefined && args[3] !== false;
  if (wantsPlace && (isPlain || !SPECIALS.test(pattern))) {
    const found = subject.indexOf(pattern, start);
    return found < 0 ? undefined : [found + 1, found + pattern.length];
  }
  const match = new PatternMatch(subject, pattern);
  const anchored = pattern.charCodeAt(0) === 94;
  let at = start;
  do {
    const end = match.matchAt(at, anchored ? 1 : 0);
    if (end >= 0) {
      if (!match.hasCaptures) return wantsPlace ? [at + 1, end] : match.wholeText(at, end);
      return wantsPlace ? [at + 1, end, ...match.explicitCaptures()] : match.captures(at, end);
    }
  } while (++at <= subject.length && !anchored);
  return undefined;
}

function gmatch(...args: LuaValue[]): LuaResult {
  const subject = checkString(args, 1);
  const pattern = checkString(args, 2);
  const match = new PatternMatch(subject, pattern);
  let next = 0;
  // Marked as built in by its name: `markNative` would take longer than the search.
  const iterator = {
    '=native gmatch'(): LuaResult {
      for (let at = next; at <= subject.length; at++) {
        const end = match.matchAt(at, 0);
        if (end < 0) continue;
        next = end === at ? end + 1 : end;
        return match.hasCaptures ? match.captures(at, end) : match.wholeText(at, end);
      }
      next = subject.length + 1;
      return undefined;
    },
  };
  return iterator['=native gmatch'];
}

function gsub(...args: LuaValue[]): LuaResult {
  const subject = checkString(args, 1);
  const pattern = checkString(args, 2);
  const replacement = args[2];
  const isUsable =
    typeof replacement === 'string' ||
    typeof replacement === 'number' ||
    typeof replacement === 'function' ||
    replacement instanceof LuaTable;
  const anchored = pattern.charCodeAt(0) === 94;
  const limit = isAbsent(args, 4) ? subject.length + 1 : checkInt(args, 4);
  if (!isUsable) failArgument(3, 'string/function/table expected');
  const match = new PatternMatch(subject, pattern);
  const parts: string[] = [];
  let at = 0;
  let count = 0;
  while (count < limit) {
    const end = match.matchAt(at, anchored ? 1 : 0);
    if (end >= 0) {
      count++;
      parts.push(substitute(match, replacement, subject, at, end));
    }
    if (end >= 0 && end > at) at = end;
    else if (at < subject.length) parts.push(subject.charAt(at++));
    else break;
    if (anchored) break;
  }
  parts.push(subject.slice(at));
  return [parts.join(''), count];
}

function substitute(
  match: PatternMatch,
  replacement: LuaValue,
  subject: string,
  start: number,
  end: number,
): string {
  let value: LuaValue;
  if (typeof replacement === 'function') value = callForOne(replacement, ...match.captures(start, end));
  else if (replacement instanceof LuaTable) value = index(replacement, match.capture(0, start, end));
  else {
    const template = typeof replacement === 'number' ? numberToString(replacement) : (replacement as string);
    return expandTemplate(match, template, start, end);
  }
  if (value === undefined || value === false) return subject.slice(start, end);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberToString(value);
  return failInCall(`invalid replacement value (a ${typeName(value)})`);
}

/** Replaces %0 with the match, %1 … %9 with captures, and % before any other character with that character. */
function expandTemplate(match: PatternMatch, template: string, start: number, end: number): string {
  let text = '';
  let from = 0;
  for (;;) {
    const percent = template.indexOf('%', from);
    if (percent < 0) return from === 0 ? template : text + template.slice(from);
    text += template.slice(from, percent);
    const code = template.charCodeAt(percent + 1);
    // After the last character, C reads the terminator.
    if (!isDigit(code)) text += template.charAt(percent + 1) || '\0';
    else if (code === 48) text += match.wholeText(start, end);
    else text += captureText(match.capture(code - 49, start, end));
    from = percent + 2;
  }
}

function captureText(capture: LuaValue): string {
  return typeof capture === 'number' ? numberToString(capture) : (capture as string);
}
