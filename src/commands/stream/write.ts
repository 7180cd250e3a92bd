import { counter } from '../../keyspace/counter.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { LONGEST_ENTRY, StreamValue } from '../../keyspace/values/stream-value.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { CommandError, errors, wrongArity } from '../errors.js';
import { parseId, replyId } from './id-argument.js';
import {
  exactTrimming,
  givenId,
  parseTrimArguments,
  recordWith,
  type TrimArguments,
} from './trim-arguments.js';

const ID_TOO_SMALL = new CommandError(
  'ERR The ID specified in XADD is equal or smaller than the target stream top item',
);
const ID_ZERO = new CommandError('ERR The ID specified in XADD must be greater than 0-0');
const EXHAUSTED = new CommandError(
  'ERR The stream has exhausted the last possible ID, unable to add more items',
);
const TOO_LARGE = new CommandError('ERR Elements are too large to be stored');

export function xadd(call: Call): void {
  const parsed = parseTrimArguments(call, true);
  const from = parsed.idAt + 1;
  const fieldCount = (call.argc - from) / 2;
  if (fieldCount < 1 || !Number.isInteger(fieldCount)) throw wrongArity('xadd');
  if (parsed.id === 'given' && givenId.isLeast) throw ID_ZERO;
  const entry = call.write(1, Type.stream);
  if (entry === 0 && parsed.mustExist) {
    call.reply.null();
    return;
  }
  const { db, keyspace, effects } = call;
  const key = call.arg(1);
  const existing = entry === 0 ? undefined : StreamValue.open(db, entry);
  if (existing?.lastId.isGreatest) throw EXHAUSTED;
  chooseId(parsed.id, existing?.lastId ?? NO_ID, call.now);
  checkLength(call, from);
  const stream = existing ?? StreamValue.create(keyspace, db, key);
  stream.append(newId, call.args, from, fieldCount, keyspace.limits);
  replyId(call.reply, newId);
  effects.appended(db, key, EventClass.stream, 'xadd');
  recordAdd(call, parsed, parsed.trimming === undefined ? undefined : trimAdded(call, parsed, stream));
}

/** Sets `newId` to the id of the new entry: the one given, or the next after `last`. */
function chooseId(kind: TrimArguments['id'], last: StreamId, now: number): void {
  if (kind === 'auto') {
    newId.setMs(now).setSeq(0);
    if (newId.msHigh < last.msHigh || (newId.msHigh === last.msHigh && newId.msLow <= last.msLow)) {
      newId.set(last).increment();
    }
  } else if (kind === 'auto-seq' && givenId.hasSameMs(last)) {
    // The text does not fit the error, but it is Redis's.
    if (last.seqHigh === LARGEST_WORD && last.seqLow === LARGEST_WORD) throw TOO_LARGE;
    newId.set(last).increment();
  } else {
    newId.set(givenId);
  }
  if (newId.compare(last) <= 0) throw ID_TOO_SMALL;
}

function checkLength(call: Call, from: number): void {
  let bytes = 0;
  for (let i = from; i < call.argc; i++) bytes += call.arg(i).length;
  if (bytes > LONGEST_ENTRY) throw TOO_LARGE;
}

/** Returns the arguments that must be recorded differently. */
function trimAdded(
  call: Call,
  { trimming }: TrimArguments,
  stream: StreamValue,
): Map<number, string> | undefined {
  if (trimming === undefined) return undefined;
  const { bound, isApproximate, limit } = trimming;
  if (stream.trim(bound, isApproximate, limit) > 0) {
    call.effects.event(call.db, call.arg(1), EventClass.stream, 'xtrim');
  }
  return isApproximate ? exactTrimming(trimming, stream) : undefined;
}

/** Recorded with the generated id. */
function recordAdd(call: Call, { id, idAt }: TrimArguments, trimmed: Map<number, string> | undefined): void {
  if (!call.effects.recording) return;
  const replaced = trimmed ?? new Map<number, string>();
  if (id !== 'given') replaced.set(idAt, newId.toString());
  recordWith(call, replaced);
}

export function xtrim(call: Call): void {
  const { trimming } = parseTrimArguments(call, false);
  const entry = call.write(1, Type.stream);
  if (entry === 0 || trimming === undefined) {
    call.reply.integer(0);
    return;
  }
  const stream = StreamValue.open(call.db, entry);
  const deleted = stream.trim(trimming.bound, trimming.isApproximate, trimming.limit);
  if (deleted > 0) {
    if (trimming.isApproximate) recordWith(call, exactTrimming(trimming, stream));
    call.effects.changed(call.db, call.arg(1), EventClass.stream, 'xtrim', deleted);
  }
  call.reply.integer(deleted);
}

export function xdel(call: Call): void {
  const entry = call.write(1, Type.stream);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const ids = idArguments(call, 2);
  const stream = StreamValue.open(call.db, entry);
  const first = new StreamId().set(stream.firstId);
  let firstWasDeleted = false;
  let deleted = 0;
  for (const id of ids) {
    if (!stream.delete(id)) continue;
    deleted++;
    if (id.equals(first)) firstWasDeleted = true;
    stream.noteDeleted(id, false);
  }
  if (deleted > 0) {
    if (firstWasDeleted) stream.findFirstId();
    call.effects.changed(call.db, call.arg(1), EventClass.stream, 'xdel', deleted);
  }
  call.reply.integer(deleted);
}

/** All arguments from `from` on, which must be ids. */
export function idArguments(call: Call, from: number): StreamId[] {
  const ids: StreamId[] = [];
  for (let i = from; i < call.argc; i++) ids.push(parseId(call.arg(i), new StreamId()));
  return ids;
}

const BELOW_GIVEN_DELETED = new CommandError(
  'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
);
const BELOW_TOP = new CommandError(
  'ERR The ID specified in XSETID is smaller than the target stream top item',
);
const FEWER_ADDED = new CommandError(
  'ERR The entries_added specified in XSETID is smaller than the target stream length',
);
const NEGATIVE_ADDED = new CommandError('ERR entries_added must be positive');

export function xsetid(call: Call): void {
  const id = parseId(call.arg(2), new StreamId());
  let added: bigint | undefined;
  let deletedId: StreamId | undefined;
  for (let i = 3; i < call.argc; i += 2) {
    const option = call.arg(i);
    if (i + 1 < call.argc && option.is('entriesadded')) {
      added = call.integer64(i + 1);
      if (added < 0n) throw NEGATIVE_ADDED;
    } else if (i + 1 < call.argc && option.is('maxdeletedid')) {
      deletedId = parseId(call.arg(i + 1), new StreamId());
      if (id.compare(deletedId) < 0) throw BELOW_GIVEN_DELETED;
    } else {
      throw errors.syntax;
    }
  }
  const entry = call.write(1, Type.stream);
  if (entry === 0) throw errors.noSuchKey;
  const stream = StreamValue.open(call.db, entry);
  if (stream.length > 0) {
    if (id.compare(stream.lastEntryId(newId)) < 0) throw BELOW_TOP;
    if (added !== undefined && stream.length > added) throw FEWER_ADDED;
  }
  stream.lastId.set(id);
  if (added !== undefined) stream.entriesAdded = counter(added);
  if (deletedId !== undefined && !deletedId.isLeast) stream.maxDeletedId.set(deletedId);
  call.reply.ok();
  call.effects.detailChanged(call.db, call.arg(1), EventClass.stream, 'xsetid');
}

const LARGEST_WORD = 0xffff_ffff;
const NO_ID = new StreamId();
const newId = new StreamId();
