import { Bytes } from '../../bytes/bytes.js';
import { parseScoreBound } from '../../bytes/numbers/double.js';
import {
  HIGHEST,
  type LexBound,
  type LexRange,
  LOWEST,
  type ScoreRange,
} from '../../keyspace/values/sorted-set-range.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const OPEN_PARENTHESIS = 0x28;
const OPEN_BRACKET = 0x5b;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** An interval of scores from two arguments: `1.5`, `(1.5`, `-inf`. */
export function scoreRange(call: Call, minAt: number, maxAt: number): ScoreRange {
  const min = call.arg(minAt);
  const max = call.arg(maxAt);
  const minExclusive = isExclusive(min);
  const maxExclusive = isExclusive(max);
  return {
    min: scoreBound(min, minExclusive),
    minExclusive,
    max: scoreBound(max, maxExclusive),
    maxExclusive,
  };
}

function isExclusive(argument: Bytes): boolean {
  return argument.length > 0 && argument.at(0) === OPEN_PARENTHESIS;
}

function scoreBound({ buf, start, end }: Bytes, exclusive: boolean): number {
  const value = parseScoreBound(buf, exclusive ? start + 1 : start, end);
  if (Number.isNaN(value)) throw notFloats;
  return value;
}

/** An interval of members from two arguments: `[a`, `(a`, `-`, `+`. */
export function lexRange(call: Call, minAt: number, maxAt: number): LexRange {
  return { min: lexBound(call.arg(minAt)), max: lexBound(call.arg(maxAt)) };
}

function lexBound(argument: Bytes): LexBound {
  if (argument.length === 0) throw notLexItems;
  const first = argument.at(0);
  if (first === OPEN_PARENTHESIS || first === OPEN_BRACKET) {
    const member = new Bytes(argument.buf, argument.start + 1, argument.end);
    return { kind: 'member', member, exclusive: first === OPEN_PARENTHESIS };
  }
  // Redis reads a C string here, which ends at a NUL.
  const isAlone = argument.length === 1 || argument.at(1) === 0;
  if (isAlone && first === PLUS) return HIGHEST;
  if (isAlone && first === MINUS) return LOWEST;
  throw notLexItems;
}

const notFloats = new CommandError('ERR min or max is not a float');
const notLexItems = new CommandError('ERR min or max not valid string range item');
