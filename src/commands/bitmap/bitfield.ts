import { Bytes, EMPTY_BUFFER } from '../../bytes/bytes.js';
import { parseInteger } from '../../bytes/numbers/integer.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { stringBytes } from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { bitOffset } from './bit-offset.js';
import { readField, readField64, WIDEST_NUMBER, writeField, writeField64 } from './bitfield-access.js';
import { openBits } from './bits.js';

/** BITFIELD: a string as an array of small integers. */

type Overflow = 'wrap' | 'sat' | 'fail';

interface Field {
  readonly isSigned: boolean;
  readonly width: number;
  readonly offset: number;
}

type FieldOperation =
  | (Field & { readonly kind: 'get' })
  | (Field & {
      readonly kind: 'set' | 'incrby';
      readonly overflow: Overflow;
      /** The operand, if it is a safe integer; else NaN, and `exact` has it. */
      readonly operand: number;
      readonly exact: bigint | undefined;
    });

type FieldChange = Extract<FieldOperation, { kind: 'set' | 'incrby' }>;

const invalidOverflow = new CommandError('ERR Invalid OVERFLOW type specified');
const invalidType = new CommandError(
  'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.',
);
const onlyGet = new CommandError('ERR BITFIELD_RO only supports the GET subcommand');

export function bitfield(call: Call): void {
  runAll(call, operations(call));
}

export function bitfieldRo(call: Call): void {
  const all = operations(call);
  if (all.some((operation) => operation.kind !== 'get')) throw onlyGet;
  runAll(call, all);
}

// ---- arguments ----

function operations(call: Call): FieldOperation[] {
  const found: FieldOperation[] = [];
  let overflow: Overflow = 'wrap';
  for (let i = 2; i < call.argc; ) {
    const word = call.arg(i);
    const following = call.argc - i - 1;
    if (word.is('overflow') && following >= 1) {
      overflow = overflowOf(call.arg(i + 1));
      i += 2;
    } else if (word.is('get') && following >= 2) {
      found.push({ kind: 'get', ...fieldAt(call, i + 1) });
      i += 3;
    } else {
      const kind = word.is('set') ? 'set' : word.is('incrby') ? 'incrby' : undefined;
      if (kind === undefined || following < 3) throw errors.syntax;
      const field = fieldAt(call, i + 1);
      const { buf, start, end } = call.arg(i + 3);
      const operand = parseInteger(buf, start, end);
      const exact = Number.isNaN(operand) ? call.integer64(i + 3) : undefined;
      found.push({ kind, ...field, overflow, operand, exact });
      i += 4;
    }
  }
  return found;
}

function overflowOf(word: Bytes): Overflow {
  if (word.is('wrap')) return 'wrap';
  if (word.is('sat')) return 'sat';
  if (word.is('fail')) return 'fail';
  throw invalidOverflow;
}

/** A type such as `i16` or `u8` in argument `index`, and the offset behind it. */
function fieldAt(call: Call, index: number): Field {
  const { buf, start, end } = call.arg(index);
  const isSigned = buf[start] === LETTER_I;
  if (end === start || (!isSigned && buf[start] !== LETTER_U)) throw invalidType;
  const width = parseInteger(buf, start + 1, end);
  if (!(width >= 1 && width <= (isSigned ? 64 : 63))) throw invalidType;
  return { isSigned, width, offset: bitOffset(call, index + 1, width) };
}

// ---- running ----

function runAll(call: Call, all: FieldOperation[]): void {
  let firstBit = Number.POSITIVE_INFINITY;
  let endBit = 0;
  for (const { kind, offset, width } of all) {
    if (kind === 'get') continue;
    firstBit = Math.min(firstBit, offset);
    endBit = Math.max(endBit, offset + width);
  }
  const grew =
    endBit > 0 ? openBits(call, Math.floor(firstBit / 8), Math.ceil(endBit / 8), view) : readBits(call);
  let changes = 0;
  call.reply.array(all.length);
  for (const operation of all) {
    if (operation.kind === 'get') {
      replyField(call, operation);
    } else if (runChange(call, operation, grew)) {
      changes++;
    }
  }
  if (changes > 0) call.effects.changed(call.db, call.arg(1), EventClass.string, 'setbit', changes);
}

function readBits(call: Call): false {
  const entry = call.read(1, Type.string);
  if (entry === 0) view.set(EMPTY_BUFFER, 0, 0);
  else stringBytes(call.db, entry, view);
  return false;
}

function replyField(call: Call, { isSigned, width, offset }: Field): void {
  if (width > WIDEST_NUMBER) {
    const value = readField64(view, offset, width);
    call.reply.integer64(isSigned ? BigInt.asIntN(width, value) : value);
  } else {
    const value = readField(view, offset, width);
    call.reply.integer(isSigned && value >= 2 ** (width - 1) ? value - 2 ** width : value);
  }
}

/** Runs SET or INCRBY and replies. Returns whether the string was changed, which is always true if it `grew`. */
function runChange(call: Call, operation: FieldChange, grew: boolean): boolean {
  const isNarrow = operation.width <= WIDEST_NUMBER && Math.abs(operation.operand) <= MAX_FAST;
  return isNarrow ? changeNarrow(call, operation, grew) : changeWide(call, operation, grew);
}

/** For fields and operands whose sum is exact in a JavaScript number. */
function changeNarrow(call: Call, operation: FieldChange, grew: boolean): boolean {
  const { isSigned, width, offset, operand } = operation;
  const size = 2 ** width;
  const min = isSigned ? -size / 2 : 0;
  const max = isSigned ? size / 2 - 1 : size - 1;
  const stored = readField(view, offset, width);
  const old = stored > max ? stored - size : stored;
  const wanted = operation.kind === 'set' ? operand : old + operand;
  // As in Redis, a negative number becomes a very large one in an unsigned field.
  const isTooLarge = wanted > max || (wanted < 0 && !isSigned && operation.kind === 'set');
  let value = wanted;
  if (isTooLarge || wanted < min) {
    if (operation.overflow === 'fail') {
      call.reply.null();
      return false;
    }
    if (operation.overflow === 'sat') value = isTooLarge ? max : min;
    else value = wrapped(wanted, size, max);
  }
  writeField(view, offset, width, value < 0 ? value + size : value);
  call.reply.integer(operation.kind === 'set' ? old : value);
  return grew || old !== value;
}

function wrapped(wanted: number, size: number, max: number): number {
  const low = ((wanted % size) + size) % size;
  return low > max ? low - size : low;
}

/** The same in 64-bit arithmetic. */
function changeWide(call: Call, operation: FieldChange, grew: boolean): boolean {
  const { isSigned, width, offset } = operation;
  const operand = operation.exact ?? BigInt(operation.operand);
  const half = 1n << BigInt(width - 1);
  const min = isSigned ? -half : 0n;
  const max = isSigned ? half - 1n : half * 2n - 1n;
  const cut = isSigned ? BigInt.asIntN : BigInt.asUintN;
  const old = cut(width, readField64(view, offset, width));
  const wanted = operation.kind === 'set' ? cut(64, operand) : old + operand;
  // Redis compares `most - wanted` in 64 bits: the lowest numbers to be set overflow it and count as too large.
  const wrapsAround = operation.kind === 'set' && isSigned && BigInt.asIntN(64, max - wanted) < 0n;
  const isTooLarge = wanted > max || (wrapsAround && width < 64);
  let value = wanted;
  if (isTooLarge || wanted < min) {
    if (operation.overflow === 'fail') {
      call.reply.null();
      return false;
    }
    if (operation.overflow === 'sat') value = isTooLarge ? max : min;
    else value = cut(width, wanted);
  }
  writeField64(view, offset, width, value);
  call.reply.integer64(operation.kind === 'set' ? old : value);
  return grew || old !== value;
}

const view = new Bytes();
const MAX_FAST = 2 ** 52;
const LETTER_I = 105;
const LETTER_U = 117;
