import { EventClass } from '../../keyspace/effects.js';
import { MAX_TIME } from '../../keyspace/expiry-queue.js';
import type { Call } from '../call.js';
import { CommandError, invalidExpire, shownText } from '../errors.js';

const NX_AND_OTHERS = new CommandError('ERR NX and XX, GT or LT options at the same time are not compatible');
const GT_AND_LT = new CommandError('ERR GT and LT options at the same time are not compatible');

const SECONDS = 1000;
const MILLISECONDS = 1;

export function expire(call: Call): void {
  setExpiry(call, SECONDS, call.now);
}

export function pexpire(call: Call): void {
  setExpiry(call, MILLISECONDS, call.now);
}

export function expireat(call: Call): void {
  setExpiry(call, SECONDS, 0);
}

export function pexpireat(call: Call): void {
  setExpiry(call, MILLISECONDS, 0);
}

/** The time in argument 2 is counted in `unit` milliseconds from `base` on. */
function setExpiry(call: Call, unit: number, base: number): void {
  const { db, keyspace, effects } = call;
  const condition = expiryCondition(call);
  const at = expiryTime(call, unit, base);
  const key = call.arg(1);
  const entry = keyspace.write(db, key);
  if (entry === 0 || !isMet(condition, db.expiries.timeOf(entry), at)) {
    call.reply.integer(0);
    return;
  }
  if (at <= call.now && keyspace.deletesExpired) {
    keyspace.remove(db, entry);
    effects.rewrite(db, keyspace.lazyExpire ? 'UNLINK' : 'DEL', key);
    effects.changed(db, key, EventClass.generic, 'del');
    call.reply.integer(1);
  } else {
    // A replica keeps expired keys until its master deletes them, but stores no negative times.
    db.expiries.set(entry, Math.max(at, 0));
    const isAsRecorded = unit === MILLISECONDS && base === 0;
    if (effects.recording && !isAsRecorded) {
      effects.rewrite(db, 'PEXPIREAT', key, at, ...call.args.slice(3, call.argc));
    }
    call.reply.integer(1);
    effects.changed(db, key, EventClass.generic, 'expire');
  }
}

const Condition = { nx: 1, xx: 2, gt: 4, lt: 8 } as const;

function expiryCondition(call: Call): number {
  let condition = 0;
  for (let i = 3; i < call.argc; i++) {
    const word = call.arg(i);
    if (word.is('nx')) condition |= Condition.nx;
    else if (word.is('xx')) condition |= Condition.xx;
    else if (word.is('gt')) condition |= Condition.gt;
    else if (word.is('lt')) condition |= Condition.lt;
    else throw new CommandError(`ERR Unsupported option ${shownText(String(word))}`);
  }
  if ((condition & Condition.nx) !== 0 && condition !== Condition.nx) throw NX_AND_OTHERS;
  if ((condition & Condition.gt) !== 0 && (condition & Condition.lt) !== 0) throw GT_AND_LT;
  return condition;
}

/** `current` is -1 for a key that never expires: later than any time. */
function isMet(condition: number, current: number, at: number): boolean {
  if (condition === 0) return true;
  if ((condition & Condition.nx) !== 0 && current >= 0) return false;
  if ((condition & Condition.xx) !== 0 && current < 0) return false;
  if ((condition & Condition.gt) !== 0 && (current < 0 || at <= current)) return false;
  return (condition & Condition.lt) === 0 || current < 0 || at < current;
}

/** Unix ms; in the past or even negative if the argument says so, but within 64 bits. */
function expiryTime(call: Call, unit: number, base: number): number {
  const written = call.integer(2);
  if (Math.abs(written) <= MAX_FAST) return written * unit + base;
  const exact = call.integer64(2) * BigInt(unit);
  if (exact < MIN_INT64 || exact > MAX_INT64 - BigInt(base)) throw invalidExpire(call.command.fullName);
  return Math.min(Number(exact) + base, MAX_TIME);
}

/** Up to this value nothing overflows or loses precision. */
const MAX_FAST = 4_000_000_000_000;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

export function ttl(call: Call): void {
  const at = timeOfKey(call);
  call.reply.integer(at < 0 ? at : inSeconds(Math.max(at - call.now, 0)));
}

export function pttl(call: Call): void {
  const at = timeOfKey(call);
  call.reply.integer(at < 0 ? at : Math.max(at - call.now, 0));
}

export function expiretime(call: Call): void {
  const at = timeOfKey(call);
  call.reply.integer(at < 0 ? at : inSeconds(at));
}

export function pexpiretime(call: Call): void {
  call.reply.integer(timeOfKey(call));
}

/** When the key expires, in Unix ms; -1 if never, -2 if there is no such key. */
function timeOfKey(call: Call): number {
  const entry = call.keyspace.readUntouched(call.db, call.arg(1));
  if (entry === 0) return -2;
  const at = call.db.expiries.timeOf(entry);
  // Replied as 2^63 - 1, the largest integer.
  return at >= MAX_TIME ? 2 ** 63 : at;
}

function inSeconds(milliseconds: number): number {
  return Math.floor((milliseconds + 500) / 1000);
}

export function persist(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  const entry = keyspace.write(db, key);
  if (entry === 0 || !db.expiries.remove(entry)) {
    call.reply.integer(0);
    return;
  }
  call.effects.changed(db, key, EventClass.generic, 'persist');
  call.reply.integer(1);
}
