import type { Bytes } from '../bytes/bytes.js';
import type { Call } from './call.js';
import { CommandError, errors } from './errors.js';

/** The arguments of LMPOP, BLMPOP, ZMPOP and BZMPOP from `numkeys` on. */
export interface MultiplePop<Where> {
  readonly keyCount: number;
  /** The end that elements are taken from. */
  readonly where: Where;
  readonly count: number;
}

/** Parses `numkeys key … where [COUNT count]`; `numkeys` is the argument at `keyCountAt`. */
export function parseMultiplePop<Where>(
  call: Call,
  keyCountAt: number,
  parseWhere: (word: Bytes) => Where,
): MultiplePop<Where> {
  const keyCount = atLeastOne(call, keyCountAt, keyCountTooSmall);
  const whereAt = keyCountAt + keyCount + 1;
  if (whereAt >= call.argc) throw errors.syntax;
  const where = parseWhere(call.arg(whereAt));
  if (call.argc === whereAt + 1) return { keyCount, where, count: 1 };
  if (!call.arg(whereAt + 1).is('count') || call.argc === whereAt + 2) throw errors.syntax;
  const count = atLeastOne(call, whereAt + 2, countTooSmall);
  if (call.argc > whereAt + 3) throw errors.syntax;
  return { keyCount, where, count };
}

function atLeastOne(call: Call, index: number, otherwise: CommandError): number {
  const value = call.integer(index, otherwise);
  if (value < 1) throw otherwise;
  return value;
}

const keyCountTooSmall = new CommandError('ERR numkeys should be greater than 0');
const countTooSmall = new CommandError('ERR count should be greater than 0');
