import { Bytes, EMPTY_BUFFER } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { ownStringBytes } from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

/** LCS: the longest subsequence two strings have in common, by dynamic programming. */

const notStrings = new CommandError('ERR The specified keys must contain string values');
const lengthAndIndexes = new CommandError(
  'ERR If you want both the length and indexes, please just use IDX.',
);
const tooMuchMemory = new CommandError(
  'ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len',
);

interface LcsOptions {
  readonly wants: 'text' | 'length' | 'indexes';
  readonly shortestMatch: number;
  readonly withMatchLength: boolean;
}

export function lcs(call: Call): void {
  const firstEntry = call.keyspace.read(call.db, call.arg(1));
  const secondEntry = call.keyspace.read(call.db, call.arg(2));
  const a = stringOrEmpty(call, firstEntry, firstView);
  const b = stringOrEmpty(call, secondEntry, secondView);
  const options = lcsOptions(call);
  const cells = (a.length + 1) * (b.length + 1);
  if (cells * 4 > call.keyspace.limits.protoMaxBulkLen) throw tooMuchMemory;
  if (options.wants === 'length') {
    call.reply.integer(commonLength(a, b));
    return;
  }
  const table = commonLengths(a, b, cells);
  if (options.wants === 'text') call.reply.bulk(commonText(a, b, table));
  else replyMatches(call, a, b, table, options);
}

function stringOrEmpty(call: Call, entry: Entry, view: Bytes): Bytes {
  if (entry === 0) return view.set(EMPTY_BUFFER, 0, 0);
  if (call.db.type(entry) !== Type.string) throw notStrings;
  return ownStringBytes(call.db, entry, view);
}

function lcsOptions(call: Call): LcsOptions {
  let wantsLength = false;
  let wantsIndexes = false;
  let withMatchLength = false;
  let shortestMatch = 0;
  for (let i = 3; i < call.argc; i++) {
    const word = call.arg(i);
    if (word.is('idx')) wantsIndexes = true;
    else if (word.is('len')) wantsLength = true;
    else if (word.is('withmatchlen')) withMatchLength = true;
    else if (word.is('minmatchlen') && i + 1 < call.argc) shortestMatch = call.integer(++i);
    else throw errors.syntax;
  }
  if (wantsIndexes && wantsLength) throw lengthAndIndexes;
  const wants = wantsIndexes ? 'indexes' : wantsLength ? 'length' : 'text';
  return { wants, shortestMatch, withMatchLength };
}

/** Only the length of the longest common subsequence: two rows of the table suffice. */
function commonLength(a: Bytes, b: Bytes): number {
  const width = b.length;
  let previous = new Uint32Array(width + 1);
  let current = new Uint32Array(width + 1);
  for (let i = 0; i < a.length; i++) {
    const byte = a.at(i);
    for (let j = 0; j < width; j++) {
      current[j + 1] =
        byte === b.at(j)
          ? (previous[j] as number) + 1
          : Math.max(previous[j + 1] as number, current[j] as number);
    }
    [previous, current] = [current, previous];
  }
  return previous[width] as number;
}

/** Cell `i * (b.length + 1) + j` is the length for the first `i` bytes of `a` and the first `j` of `b`. */
function commonLengths(a: Bytes, b: Bytes, cells: number): Uint32Array {
  const width = b.length + 1;
  const table = new Uint32Array(cells);
  for (let i = 1; i <= a.length; i++) {
    const byte = a.at(i - 1);
    const row = i * width;
    for (let j = 1; j < width; j++) {
      const above = row + j - width;
      table[row + j] =
        byte === b.at(j - 1)
          ? (table[above - 1] as number) + 1
          : Math.max(table[above] as number, table[row + j - 1] as number);
    }
  }
  return table;
}

/** Walks from the end of both strings to their beginning; calls `matched(i, j)` for each byte in common. */
function walkBack(a: Bytes, b: Bytes, table: Uint32Array, matched: (i: number, j: number) => void): void {
  const width = b.length + 1;
  let i = a.length;
  let j = b.length;
  while (i > 0 && j > 0) {
    if (a.at(i - 1) === b.at(j - 1)) {
      i--;
      j--;
      matched(i, j);
    } else if ((table[(i - 1) * width + j] as number) > (table[i * width + j - 1] as number)) {
      i--;
    } else {
      j--;
    }
  }
}

function commonText(a: Bytes, b: Bytes, table: Uint32Array): Bytes {
  const text = new Bytes(Buffer.allocUnsafeSlow(table[table.length - 1] as number));
  let at = text.end;
  walkBack(a, b, table, (i) => {
    text.buf[--at] = a.at(i);
  });
  return text;
}

/** The matching ranges, last first, each with its position in both strings. */
function replyMatches(call: Call, a: Bytes, b: Bytes, table: Uint32Array, options: LcsOptions): void {
  const { reply } = call;
  let aStart = 0;
  let bStart = 0;
  let length = 0;
  let count = 0;
  const emit = (): void => {
    if (length === 0 || length < options.shortestMatch) return;
    count++;
    reply.array(options.withMatchLength ? 3 : 2);
    replyRange(call, aStart, length);
    replyRange(call, bStart, length);
    if (options.withMatchLength) reply.integer(length);
  };
  reply.map(2);
  reply.bulkText('matches');
  const mark = reply.defer();
  walkBack(a, b, table, (i, j) => {
    if (aStart !== i + 1 || bStart !== j + 1) {
      emit();
      length = 0;
    }
    aStart = i;
    bStart = j;
    length++;
  });
  emit();
  reply.finishArray(mark, count);
  reply.bulkText('len');
  reply.integer(table[table.length - 1] as number);
}

function replyRange(call: Call, start: number, length: number): void {
  call.reply.array(2);
  call.reply.integer(start);
  call.reply.integer(start + length - 1);
}

const firstView = new Bytes();
const secondView = new Bytes();
