import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { AddMode, AddResult, SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const sortedSet = new SortedSetValue();

/** CH, a bit beside those of `AddMode`: reply with the number of changed members, not of new ones. */
export const CHANGED = 32;

export function zadd(call: Call): void {
  addPairs(call, 0);
}

/** As in Redis, accepts the options of ZADD if a pair is left. */
export function zincrby(call: Call): void {
  addPairs(call, AddMode.increment);
}

function addPairs(call: Call, fixedMode: number): void {
  let first = 2;
  let mode = fixedMode;
  for (let option = optionAt(call, first); option !== 0; option = optionAt(call, first)) {
    mode |= option;
    first++;
  }
  checkOptions(mode, call.argc - first);
  for (let i = first; i < call.argc; i += 2) scores[i] = call.double(i);
  addMembers(call, mode, first, 2);
}

/**
 * Adds the members in the arguments from `first` on and replies as ZADD does. Each takes `words` arguments: the member is
 * the last of them, and `scores` has its score at the index of the first.
 */
export function addMembers(call: Call, mode: number, first: number, words: number): void {
  const { argc, db, keyspace, reply } = call;
  const key = call.arg(1);
  const entry = call.write(1, Type.sortedSet);
  if (entry !== 0) {
    sortedSet.open(keyspace, db, entry);
  } else if ((mode & AddMode.onlyExisting) !== 0) {
    if ((mode & AddMode.increment) !== 0) reply.null();
    else reply.integer(0);
    return;
  } else {
    sortedSet.create(keyspace, db, key, call.arg(first + words - 1).length);
  }
  let added = 0;
  let updated = 0;
  let result: AddResult = AddResult.refused;
  for (let i = first; i < argc; i += words) {
    result = sortedSet.add(call.arg(i + words - 1), scores[i] as number, mode);
    if (result === AddResult.added) added++;
    else if (result === AddResult.updated) updated++;
    else if (result === AddResult.notANumber) throw notANumber;
  }
  const isIncrement = (mode & AddMode.increment) !== 0;
  if (!isIncrement) reply.integer((mode & CHANGED) !== 0 ? added + updated : added);
  else if (result === AddResult.refused) reply.null();
  else reply.double(sortedSet.newScore);
  if (added + updated > 0) {
    call.effects.changed(db, key, EventClass.sortedSet, isIncrement ? 'zincr' : 'zadd', added + updated);
  }
}

/** The scores by argument, parsed before anything is changed. */
export const scores: number[] = [];

/** The option in argument `index`, or 0. */
function optionAt(call: Call, index: number): number {
  if (index >= call.argc) return 0;
  const word = call.arg(index);
  // Most arguments here are numbers; options begin with a letter.
  if (word.length > 4 || word.length < 2 || word.at(0) < LETTERS) return 0;
  if (word.is('nx')) return AddMode.onlyNew;
  if (word.is('xx')) return AddMode.onlyExisting;
  if (word.is('gt')) return AddMode.onlyGreater;
  if (word.is('lt')) return AddMode.onlyLess;
  if (word.is('ch')) return CHANGED;
  return word.is('incr') ? AddMode.increment : 0;
}

const LETTERS = 65;

function checkOptions(mode: number, words: number): void {
  if (words === 0 || (words & 1) !== 0) throw errors.syntax;
  const isNew = (mode & AddMode.onlyNew) !== 0;
  if (isNew && (mode & AddMode.onlyExisting) !== 0) throw newAndExisting;
  const isGreater = (mode & AddMode.onlyGreater) !== 0;
  const isLess = (mode & AddMode.onlyLess) !== 0;
  if ((isGreater && isNew) || (isLess && isNew) || (isGreater && isLess)) throw greaterLessNew;
  if ((mode & AddMode.increment) !== 0 && words > 2) throw oneIncrement;
}

const newAndExisting = new CommandError('ERR XX and NX options at the same time are not compatible');
const greaterLessNew = new CommandError('ERR GT, LT, and/or NX options at the same time are not compatible');
const oneIncrement = new CommandError('ERR INCR option supports a single increment-element pair');
const notANumber = new CommandError('ERR resulting score is not a number (NaN)');
