import { Bytes } from '../../bytes/bytes.js';
import { parseUnsigned64 } from '../../bytes/numbers/integer.js';
import type { Reply } from '../../resp/reply.js';
import { LONGEST_ID, type StreamId } from '../../structures/stream/stream-id.js';
import { CommandError } from '../errors.js';

const INVALID_ID = new CommandError('ERR Invalid stream ID specified as stream command argument');

const DASH = 0x2d;
const PLUS = 0x2b;
const PARENTHESIS = 0x28;
const STAR = 0x2a;
/** Numbers with up to this many digits are exact. */
const SAFE_DIGITS = 15;
/** Redis refuses longer texts. */
const LONGEST_ARGUMENT = 127;

/** The sequence number if only a time is given. */
export type MissingSeq = 'least' | 'greatest';

/** Reads an id: `ms-seq`, or `ms` alone. */
export function parseId(argument: Bytes, id: StreamId, missing: MissingSeq = 'least'): StreamId {
  if (!parseInto(argument, argument.start, id, missing)) throw INVALID_ID;
  return id;
}

/** Reads an id whose sequence number may be left open: `ms-*`. Returns whether it was given. */
export function parseIdToAdd(argument: Bytes, id: StreamId): boolean {
  const { buf, end, start } = argument;
  if (end - start > 2 && buf[end - 1] === STAR && buf[end - 2] === DASH && isFirstDash(argument, end - 2)) {
    if (!parseInto(timeView.set(buf, start, end - 2), start, id, 'least')) throw INVALID_ID;
    return false;
  }
  parseId(argument, id);
  return true;
}

const timeView = new Bytes();

function isFirstDash({ buf, start }: Bytes, at: number): boolean {
  return buf.indexOf(DASH, start) === at;
}

/** Reads a bound of a range: an id, `-`, `+`, or an id after a parenthesis, which excludes that id. */
export function parseBound(argument: Bytes, id: StreamId, which: 'first' | 'last'): void {
  const { buf, start, end } = argument;
  const missing = which === 'first' ? 'least' : 'greatest';
  if (end - start > 1 && buf[start] === PARENTHESIS) {
    if (!parseInto(argument, start + 1, id, missing)) throw INVALID_ID;
    if (which === 'first' ? !id.increment() : !id.decrement()) {
      throw which === 'first' ? INVALID_FIRST : INVALID_LAST;
    }
    return;
  }
  parseIdOrExtreme(argument, id, missing);
}

/** Reads an id, `-` (the smallest id) or `+` (the greatest). */
export function parseIdOrExtreme(argument: Bytes, id: StreamId, missing: MissingSeq = 'least'): StreamId {
  const { buf, start, end } = argument;
  if (end - start === 1 && buf[start] === DASH) return id.setLeast();
  if (end - start === 1 && buf[start] === PLUS) return id.setGreatest();
  return parseId(argument, id, missing);
}

const INVALID_FIRST = new CommandError('ERR invalid start ID for the interval');
const INVALID_LAST = new CommandError('ERR invalid end ID for the interval');

/** Reads the common form directly, anything else by Redis's rules. */
function parseInto({ buf, end }: Bytes, start: number, id: StreamId, missing: MissingSeq): boolean {
  const dash = parseDigits(buf, start, end);
  if (dash < 0) return parseText(buf.latin1Slice(start, end), id, missing);
  const ms = digits;
  if (dash === end) {
    id.setMs(ms);
    setMissing(id, missing);
    return true;
  }
  if (buf[dash] !== DASH || parseDigits(buf, dash + 1, end) !== end) {
    return parseText(buf.latin1Slice(start, end), id, missing);
  }
  id.setMs(ms).setSeq(digits);
  return true;
}

let digits = 0;

/** Reads digits without a leading zero into `digits`; returns where they end, or -1 if there are none or too many. */
function parseDigits(buf: Buffer, start: number, end: number): number {
  let value = 0;
  let at = start;
  for (; at < end; at++) {
    const digit = (buf[at] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const count = at - start;
  if (count === 0 || count > SAFE_DIGITS || (count > 1 && buf[start] === 0x30)) return -1;
  digits = value;
  return at;
}

function parseText(argument: string, id: StreamId, missing: MissingSeq): boolean {
  if (argument.length > LONGEST_ARGUMENT) return false;
  const terminator = argument.indexOf('\0');
  const text = terminator < 0 ? argument : argument.slice(0, terminator);
  if (text === '-' || text === '+') return false;
  const dash = text.indexOf('-');
  const ms = parseUnsigned64(dash < 0 ? text : text.slice(0, dash));
  if (ms === undefined) return false;
  if (dash < 0) {
    id.setMs(ms);
    setMissing(id, missing);
    return true;
  }
  const seq = parseUnsigned64(text.slice(dash + 1));
  if (seq === undefined) return false;
  id.setMs(ms).setSeq(seq);
  return true;
}

function setMissing(id: StreamId, missing: MissingSeq): void {
  id.seqHigh = id.seqLow = missing === 'least' ? 0 : 0xffff_ffff;
}

/** Replies with an id. */
export function replyId(reply: Reply, id: StreamId): void {
  reply.bulkBuffer(idText, 0, id.writeText(idText, 0));
}

const idText = Buffer.alloc(LONGEST_ID);
