import { AddMode } from '../../keyspace/values/sorted-set-value.js';
import { exactScoreOf, scoreOf } from '../../structures/geo/geohash.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { addMembers, CHANGED, scores } from '../sorted-set/add.js';
import { positionAt } from './arguments.js';

/** Arguments per member: longitude, latitude, name. */
const WORDS = 3;
const BOTH_CONDITIONS = AddMode.onlyNew | AddMode.onlyExisting;

/** A ZADD whose scores are positions; recorded as ZADD. */
export function geoadd(call: Call): void {
  let first = 2;
  let mode = 0;
  for (let option = optionAt(call, first); option !== 0; option = optionAt(call, first)) {
    mode |= option;
    first++;
  }
  const words = call.argc - first;
  if (words % WORDS !== 0 || (mode & BOTH_CONDITIONS) === BOTH_CONDITIONS) throw errors.syntax;
  for (let i = first; i < call.argc; i += WORDS) {
    const { longitude, latitude } = positionAt(call, i);
    scores[i] = scoreOf(longitude, latitude);
  }
  if (words === 0) throw errors.syntax;
  const { dirty } = call.effects;
  addMembers(call, mode, first, WORDS);
  if (call.effects.recording && call.effects.dirty !== dirty) recordAdding(call, first);
}

/** The option in argument `index`, or 0. */
function optionAt(call: Call, index: number): number {
  if (index >= call.argc) return 0;
  const word = call.arg(index);
  if (word.is('nx')) return AddMode.onlyNew;
  if (word.is('xx')) return AddMode.onlyExisting;
  return word.is('ch') ? CHANGED : 0;
}

function recordAdding(call: Call, first: number): void {
  const words = [];
  for (let i = 1; i < first; i++) words.push(call.arg(i));
  for (let i = first; i < call.argc; i += WORDS) {
    const { longitude, latitude } = positionAt(call, i);
    words.push(String(exactScoreOf(longitude, latitude)), call.arg(i + 2));
  }
  call.effects.rewrite(call.db, 'zadd', ...words);
}
