import { charCodeAt } from '../../bytes/text.js';
import { chargeBytes, chargeSteps } from '../runtime/budget.js';
import { failInCall } from '../runtime/errors.js';
import type { LuaValue } from '../runtime/value.js';
import { isInClass } from './character-classes.js';
import { failInside, raisingNestedFailures } from './nested-failure.js';

const MAXIMUM_CAPTURES = 32;
/** Deeper than Lua's C stack allows. */
const MAXIMUM_DEPTH = 4000;
const ATTEMPTS_CHARGED = 256;
const UNCLOSED = -1;
const POSITION = -2;

const PERCENT = 37;
const OPEN = 40;
const CLOSE = 41;
const STAR = 42;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const QUESTION = 63;
const BRACKET = 91;
const BRACKET_END = 93;
const CARET = 94;
const DOLLAR = 36;
const LETTER_B = 98;
const LETTER_F = 102;

/** Lua's patterns: one subject and one pattern, matched at positions that the caller chooses. */
export class PatternMatch {
  readonly #subject: string;
  readonly #pattern: string;
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  #depth = 0;
  #attempts = 0;

  constructor(subject: string, pattern: string) {
    this.#subject = subject;
    this.#pattern = pattern;
  }

  /** Returns the end of the match that begins at `start`, or -1. The pattern is read from `patternStart`. */
  matchAt(start: number, patternStart: number): number {
    this.#starts.length = 0;
    this.#lengths.length = 0;
    this.#depth = 0;
    return raisingNestedFailures(() => this.#match(start, patternStart));
  }

  get hasCaptures(): boolean {
    return this.#starts.length > 0;
  }

  /** Capture number `index` from 0; without captures, the whole match is the first. */
  capture(index: number, start: number, end: number): LuaValue {
    if (index >= this.#starts.length) {
      if (index === 0) return this.#subject.slice(start, end);
      return failInCall('invalid capture index');
    }
    const from = this.#starts[index] as number;
    const length = this.#lengths[index] as number;
    if (length === UNCLOSED) failInCall('unfinished capture');
    return length === POSITION ? from + 1 : this.#subject.slice(from, from + length);
  }

  /** All captures, or the whole match when there are none. */
  captures(start: number, end: number): LuaValue[] {
    const count = this.#starts.length === 0 ? 1 : this.#starts.length;
    const list: LuaValue[] = [];
    for (let i = 0; i < count; i++) list.push(this.capture(i, start, end));
    return list;
  }

  wholeText(start: number, end: number): string {
    return this.#subject.slice(start, end);
  }

  /** The captures only: an empty list when the pattern has none. */
  explicitCaptures(): LuaValue[] {
    return this.#starts.map((_, i) => this.capture(i, 0, 0));
  }

  #match(at: number, patternAt: number): number {
    if (++this.#depth > MAXIMUM_DEPTH) failInside('pattern too complex');
    // The time of a match can grow exponentially with the length of the pattern.
    if ((++this.#attempts & (ATTEMPTS_CHARGED - 1)) === 0) chargeSteps(ATTEMPTS_CHARGED);
    const end = this.#matchRest(at, patternAt);
    this.#depth--;
    return end;
  }

  #matchRest(at: number, patternAt: number): number {
    const pattern = this.#pattern;
    const subject = this.#subject;
    for (;;) {
      if (patternAt >= pattern.length) return at;
      switch (charCodeAt(pattern, patternAt)) {
        case OPEN:
          return charCodeAt(pattern, patternAt + 1) === CLOSE
            ? this.#startCapture(at, patternAt + 2, POSITION)
            : this.#startCapture(at, patternAt + 1, UNCLOSED);
        case CLOSE:
          return this.#endCapture(at, patternAt + 1);
        case PERCENT: {
          const letter = charCodeAt(pattern, patternAt + 1);
          if (letter === LETTER_B) {
            at = this.#matchBalance(at, patternAt + 2);
            if (at < 0) return -1;
            patternAt += 4;
            continue;
          }
          if (letter === LETTER_F) {
            const afterSet = this.#checkFrontier(at, patternAt + 2);
            if (afterSet < 0) return -1;
            patternAt = afterSet;
            continue;
          }
          if (letter >= 48 && letter <= 57) {
            at = this.#matchCapture(at, letter);
            if (at < 0) return -1;
            patternAt += 2;
            continue;
          }
          break;
        }
        case DOLLAR:
          if (patternAt + 1 === pattern.length) return at === subject.length ? at : -1;
          break;
      }
      const itemEnd = this.#itemEnd(patternAt);
      const suffix = charCodeAt(pattern, itemEnd);
      switch (suffix) {
        case QUESTION: {
          if (this.#matchesOne(at, patternAt, itemEnd)) {
            const end = this.#match(at + 1, itemEnd + 1);
            if (end >= 0) return end;
          }
          patternAt = itemEnd + 1;
          continue;
        }
        case STAR:
          return this.#expand(at, at, patternAt, itemEnd);
        case PLUS:
          return this.#matchesOne(at, patternAt, itemEnd)
            ? this.#expand(at + 1, at + 1, patternAt, itemEnd)
            : -1;
        case MINUS:
          return this.#expandLittle(at, patternAt, itemEnd);
        default:
          if (!this.#matchesOne(at, patternAt, itemEnd)) return -1;
          at++;
          patternAt = itemEnd;
      }
    }
  }

  /** As many repetitions as possible, then fewer. */
  #expand(from: number, at: number, patternAt: number, itemEnd: number): number {
    while (this.#matchesOne(at, patternAt, itemEnd)) at++;
    for (; at >= from; at--) {
      const end = this.#match(at, itemEnd + 1);
      if (end >= 0) return end;
    }
    return -1;
  }

  /** As few repetitions as possible, then more. */
  #expandLittle(at: number, patternAt: number, itemEnd: number): number {
    for (;;) {
      const end = this.#match(at, itemEnd + 1);
      if (end >= 0) return end;
      if (!this.#matchesOne(at, patternAt, itemEnd)) return -1;
      at++;
    }
  }

  #startCapture(at: number, patternAt: number, kind: number): number {
    const level = this.#starts.length;
    if (level >= MAXIMUM_CAPTURES) failInCall('too many captures');
    this.#starts.push(at);
    this.#lengths.push(kind);
    const end = this.#match(at, patternAt);
    if (end < 0) {
      this.#starts.length = level;
      this.#lengths.length = level;
    }
    return end;
  }

  #endCapture(at: number, patternAt: number): number {
    const level = this.#lengths.lastIndexOf(UNCLOSED);
    if (level < 0) failInCall('invalid pattern capture');
    this.#lengths[level] = at - (this.#starts[level] as number);
    const end = this.#match(at, patternAt);
    if (end < 0) this.#lengths[level] = UNCLOSED;
    return end;
  }

  #matchBalance(at: number, patternAt: number): number {
    const pattern = this.#pattern;
    const subject = this.#subject;
    if (patternAt >= pattern.length || patternAt + 1 >= pattern.length) failInCall('unbalanced pattern');
    const opening = charCodeAt(pattern, patternAt);
    const closing = charCodeAt(pattern, patternAt + 1);
    if (at >= subject.length || charCodeAt(subject, at) !== opening) return -1;
    chargeBytes(subject.length - at);
    let depth = 1;
    for (let i = at + 1; i < subject.length; i++) {
      const code = charCodeAt(subject, i);
      if (code === closing) {
        if (--depth === 0) return i + 1;
      } else if (code === opening) depth++;
    }
    return -1;
  }

  /** `%f[set]`: returns the position in the pattern after the set if the frontier is here, else -1. */
  #checkFrontier(at: number, setAt: number): number {
    if (charCodeAt(this.#pattern, setAt) !== BRACKET) failInCall("missing '[' after '%f' in pattern");
    const setEnd = this.#itemEnd(setAt);
    const before = at === 0 ? 0 : charCodeAt(this.#subject, at - 1);
    const here = at < this.#subject.length ? charCodeAt(this.#subject, at) : 0;
    const begins = !this.#isInSet(before, setAt, setEnd - 1) && this.#isInSet(here, setAt, setEnd - 1);
    return begins ? setEnd : -1;
  }

  #matchCapture(at: number, digit: number): number {
    const index = digit - 49;
    const length = this.#lengths[index];
    if (index < 0 || length === undefined || length === UNCLOSED) failInCall('invalid capture index');
    // A position capture has no text; Lua compares with a length that never matches.
    if (length < 0) return -1;
    const from = this.#starts[index] as number;
    const text = this.#subject.slice(from, from + length);
    return this.#subject.startsWith(text, at) ? at + length : -1;
  }

  /** The end of the single-character item that begins here. */
  #itemEnd(patternAt: number): number {
    const pattern = this.#pattern;
    const code = charCodeAt(pattern, patternAt);
    if (code === PERCENT) {
      if (patternAt + 1 >= pattern.length) failInCall("malformed pattern (ends with '%')");
      return patternAt + 2;
    }
    if (code !== BRACKET) return patternAt + 1;
    let at = patternAt + 1;
    if (charCodeAt(pattern, at) === CARET) at++;
    do {
      if (at >= pattern.length) failInCall("malformed pattern (missing ']')");
      if (charCodeAt(pattern, at++) === PERCENT) {
        if (at >= pattern.length) failInCall("malformed pattern (missing ']')");
        at++;
      }
    } while (at >= pattern.length || charCodeAt(pattern, at) !== BRACKET_END);
    return at + 1;
  }

  #matchesOne(at: number, patternAt: number, itemEnd: number): boolean {
    if (at >= this.#subject.length) return false;
    const code = charCodeAt(this.#subject, at);
    const item = charCodeAt(this.#pattern, patternAt);
    switch (item) {
      case DOT:
        return true;
      case PERCENT:
        return isInClass(code, charCodeAt(this.#pattern, patternAt + 1));
      case BRACKET:
        return this.#isInSet(code, patternAt, itemEnd - 1);
      default:
        return code === item;
    }
  }

  /** Whether a character is in the set from `[` at `setAt` to `]` at `setEnd`. */
  #isInSet(code: number, setAt: number, setEnd: number): boolean {
    const pattern = this.#pattern;
    let at = setAt + 1;
    let found = true;
    if (charCodeAt(pattern, at) === CARET) {
      found = false;
      at++;
    }
    for (; at < setEnd; at++) {
      const item = charCodeAt(pattern, at);
      if (item === PERCENT) {
        at++;
        if (isInClass(code, charCodeAt(pattern, at))) return found;
      } else if (charCodeAt(pattern, at + 1) === MINUS && at + 2 < setEnd) {
        if (item <= code && code <= charCodeAt(pattern, at + 2)) return found;
        at += 2;
      } else if (item === code) return found;
    }
    return !found;
  }
}
