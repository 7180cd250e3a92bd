import { Bytes } from '../../bytes/bytes.js';
import { parseInteger, parseInteger64, writeInteger, writeInteger64 } from '../../bytes/numbers/integer.js';
import {
  addLongDouble,
  formatLongDouble,
  isFiniteLongDouble,
  type LongDouble,
  longDoubleOf,
  parseLongDouble,
} from '../../bytes/numbers/long-double.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const hash = new HashValue();
const held = new Element();
const digits = Buffer.alloc(24);
const sumBytes = new Bytes();

const valueNotInteger = new CommandError('ERR hash value is not an integer');
const valueNotFloat = new CommandError('ERR hash value is not a float');
const incrementNotFinite = new CommandError('ERR value is NaN or Infinity');

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export function hincrby(call: Call): void {
  const { db, keyspace } = call;
  const { buf, start, end } = call.arg(3);
  const increment = parseInteger(buf, start, end);
  const wideIncrement = Number.isNaN(increment) ? call.integer64(3) : undefined;
  const key = call.arg(1);
  const field = call.arg(2);
  const entry = call.write(1, Type.hash);
  let current = 0;
  if (entry !== 0 && hash.open(keyspace, db, entry).get(field, held)) current = heldInteger();
  const sum = current + increment;
  let exact: bigint | undefined;
  if (Number.isSafeInteger(sum)) {
    sumBytes.set(digits, 0, writeInteger(digits, 0, sum));
  } else {
    exact = wideSum(
      Number.isNaN(current) ? heldInteger64() : BigInt(current),
      wideIncrement ?? BigInt(increment),
    );
    sumBytes.set(digits, 0, writeInteger64(digits, 0, exact));
  }
  if (entry === 0) hash.create(keyspace, db, key);
  hash.set(field, sumBytes);
  if (exact === undefined) call.reply.integer(sum);
  else call.reply.integer64(exact);
  call.effects.changed(db, key, EventClass.hash, 'hincrby');
}

/** The held value as a safe integer; NaN if it needs 64 bits. */
function heldInteger(): number {
  if (held.isInteger) return held.isWide ? Number.NaN : held.integer;
  const { buf, start, end } = held.bytes;
  const value = parseInteger(buf, start, end);
  if (Number.isNaN(value) && parseInteger64(buf, start, end) === undefined) throw valueNotInteger;
  return value;
}

function heldInteger64(): bigint {
  const { buf, start, end } = held.toBytes();
  return parseInteger64(buf, start, end) as bigint;
}

function wideSum(current: bigint, increment: bigint): bigint {
  const sum = current + increment;
  if (sum > INT64_MAX || sum < INT64_MIN) throw errors.overflow;
  return sum;
}

export function hincrbyfloat(call: Call): void {
  const { db, keyspace } = call;
  const increment = parseLongDouble(call.text(3));
  if (increment === undefined) throw errors.notFloat;
  if (!isFiniteLongDouble(increment)) throw incrementNotFinite;
  const key = call.arg(1);
  const field = call.arg(2);
  const entry = call.write(1, Type.hash);
  let current: LongDouble = longDoubleOf(0);
  if (entry !== 0 && hash.open(keyspace, db, entry).get(field, held)) current = heldFloat();
  const sum = addLongDouble(current, increment);
  if (!isFiniteLongDouble(sum)) throw errors.nanOrInfinity;
  const text = formatLongDouble(sum);
  const value = Bytes.of(text);
  if (entry === 0) hash.create(keyspace, db, key);
  hash.set(field, value);
  call.reply.bulk(value);
  call.effects.changed(db, key, EventClass.hash, 'hincrbyfloat');
  // Record the sum, so that replicas and files do not depend on floating-point arithmetic.
  call.effects.rewrite(db, 'HSET', key, field, value);
}

function heldFloat(): LongDouble {
  const value = parseLongDouble(held.toString());
  if (value === undefined) throw valueNotFloat;
  return value;
}
