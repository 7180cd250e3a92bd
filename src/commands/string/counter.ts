import { Bytes } from '../../bytes/bytes.js';
import { parseInteger } from '../../bytes/numbers/integer.js';
import {
  addLongDouble,
  formatLongDouble,
  isFiniteLongDouble,
  type LongDouble,
  parseLongDouble,
} from '../../bytes/numbers/long-double.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import {
  integer64Of,
  integerOf,
  setInteger,
  setInteger64,
  setText,
  stringBytes,
} from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

/** Counters: strings that hold a 64-bit integer or a float. */

export function incr(call: Call): void {
  add(call, 1);
}

export function decr(call: Call): void {
  add(call, -1);
}

export function incrby(call: Call): void {
  const { buf, start, end } = call.arg(2);
  const delta = parseInteger(buf, start, end);
  if (Number.isNaN(delta)) add64(call, call.integer64(2));
  else add(call, delta);
}

const decrementOverflow = new CommandError('ERR decrement would overflow');

export function decrby(call: Call): void {
  const { buf, start, end } = call.arg(2);
  const delta = parseInteger(buf, start, end);
  if (!Number.isNaN(delta)) {
    add(call, -delta);
    return;
  }
  const exact = call.integer64(2);
  if (exact === MIN_INT64) throw decrementOverflow;
  add64(call, -exact);
}

/** The fast path: the value, the increment and the sum are all safe integers. */
function add(call: Call, delta: number): void {
  const { db } = call;
  const entry = call.write(1, Type.string);
  const sum = (entry === 0 ? 0 : integerOf(db, entry)) + delta;
  if (!Number.isSafeInteger(sum)) {
    addExactly(call, entry, BigInt(delta));
    return;
  }
  const key = call.arg(1);
  setInteger(call.keyspace, db, entry, key, sum);
  call.effects.changed(db, key, EventClass.string, 'incrby');
  call.reply.integer(sum);
}

function add64(call: Call, delta: bigint): void {
  addExactly(call, call.write(1, Type.string), delta);
}

function addExactly(call: Call, entry: Entry, delta: bigint): void {
  const { db } = call;
  const value = entry === 0 ? 0n : integer64Of(db, entry);
  if (value === undefined) throw errors.notInteger;
  const sum = value + delta;
  if (sum < MIN_INT64 || sum > MAX_INT64) throw errors.overflow;
  const key = call.arg(1);
  setInteger64(call.keyspace, db, entry, key, sum);
  call.effects.changed(db, key, EventClass.string, 'incrby');
  call.reply.integer64(sum);
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

export function incrbyfloat(call: Call): void {
  const { db } = call;
  const entry = call.write(1, Type.string);
  const value = entry === 0 ? ZERO : parseLongDouble(stringBytes(db, entry, view).toString());
  const delta = parseLongDouble(call.text(2));
  if (value === undefined || delta === undefined) throw errors.notFloat;
  const sum = addLongDouble(value, delta);
  if (!isFiniteLongDouble(sum)) throw errors.nanOrInfinity;
  const key = call.arg(1);
  const text = Bytes.of(formatLongDouble(sum));
  setText(call.keyspace, db, entry, key, text);
  call.effects.changed(db, key, EventClass.string, 'incrbyfloat');
  // Record the result, because another machine may add floats differently.
  if (call.effects.recording) call.effects.rewrite(db, 'SET', key, text, 'KEEPTTL');
  call.reply.bulk(text);
}

const ZERO: LongDouble = { negative: false, mantissa: 0n, exponent: 0 };
const view = new Bytes();
