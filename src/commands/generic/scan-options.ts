import type { Bytes } from '../../bytes/bytes.js';
import { globMatch } from '../../bytes/glob.js';
import { parseCursor } from '../../bytes/numbers/integer.js';
import type { Reply } from '../../resp/reply.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';

/**
 * What SCAN, HSCAN, SSCAN and ZSCAN have in common. They check their arguments in Redis's order: the cursor, then
 * (except SCAN) the key and its type, then, only if the key exists, the options.
 *
 *     const cursor = scanCursor(call, 2);
 *     const entry = call.read(1, Type.set);
 *     if (entry === 0) return replyEmptyScan(call.reply);
 *     options.read(call, 3, false);
 *     …                                                  // at least about `options.count` elements from the cursor on
 *     const mark = beginScanReply(reply, nextCursor);
 *     …                                                  // each element that `options.accepts`
 *     reply.finishArray(mark, replied);
 */

/** The cursor in argument `index`. */
export function scanCursor(call: Call, index: number): number {
  const { buf, start, end } = call.arg(index);
  const cursor = parseCursor(buf, start, end);
  if (Number.isNaN(cursor)) throw errors.invalidCursor;
  return cursor;
}

/** MATCH, COUNT and TYPE. Made once and read from one call after another; the views are the call's own arguments. */
export class ScanOptions {
  /** About how many elements are wanted: at least 1. */
  count = DEFAULT_COUNT;
  /** Undefined when everything matches. */
  pattern: Bytes | undefined;
  /** The type's name as given, known or not. */
  typeName: Bytes | undefined;

  /** Reads the arguments from `from` on; only SCAN itself takes TYPE. */
  read(call: Call, from: number, takesType: boolean): this {
    this.count = DEFAULT_COUNT;
    this.pattern = undefined;
    this.typeName = undefined;
    for (let i = from; i < call.argc; i += 2) {
      const name = call.arg(i);
      if (i + 1 >= call.argc) throw errors.syntax;
      if (name.is('count')) {
        this.count = call.integer(i + 1);
        if (this.count < 1) throw errors.syntax;
      } else if (name.is('match')) {
        this.pattern = isStar(call.arg(i + 1)) ? undefined : call.arg(i + 1);
      } else if (takesType && name.is('type')) {
        this.typeName = call.arg(i + 1);
      } else {
        throw errors.syntax;
      }
    }
    return this;
  }

  /** Whether the pattern, if any, matches. */
  accepts(subject: Bytes): boolean {
    const { pattern } = this;
    if (pattern === undefined) return true;
    return globMatch(pattern.buf, pattern.start, pattern.end, subject.buf, subject.start, subject.end, false);
  }
}

/** The reply for a key that does not exist: no elements, and cursor 0. */
export function replyEmptyScan(reply: Reply): void {
  reply.array(2);
  reply.bulkInteger(0);
  reply.array(0);
}

/** Begins the reply; the elements follow, then `reply.finishArray` with what this returns. */
export function beginScanReply(reply: Reply, nextCursor: number): number {
  reply.array(2);
  reply.bulkInteger(nextCursor);
  return reply.defer();
}

const DEFAULT_COUNT = 10;
const STAR = 42;

function isStar(pattern: Bytes): boolean {
  return pattern.length === 1 && pattern.at(0) === STAR;
}
