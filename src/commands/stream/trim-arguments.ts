import type { StreamValue, TrimBound } from '../../keyspace/values/stream-value.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { parseId, parseIdToAdd } from './id-argument.js';

const BOTH_STRATEGIES = new CommandError(
  'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
);
const NEGATIVE_LENGTH = new CommandError('ERR The MAXLEN argument must be >= 0.');
const NEGATIVE_LIMIT = new CommandError('ERR The LIMIT argument must be >= 0.');
const LIMIT_WITHOUT_STRATEGY = new CommandError(
  'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
);
const NO_STRATEGY = new CommandError('ERR syntax error, XTRIM must be called with a trimming strategy');
const LIMIT_OF_EXACT = new CommandError(
  'ERR syntax error, LIMIT cannot be used without the special ~ option',
);

export interface Trimming {
  readonly bound: TrimBound;
  /** `~`: only whole blocks, and at most `limit` entries; 0 is no limit. */
  readonly isApproximate: boolean;
  readonly limit: number;
  /** The index of the bound among the arguments. */
  readonly at: number;
}

/** The options that XADD and XTRIM have in common, and the position and value of XADD's id: absent for `*`. */
export interface TrimArguments {
  readonly trimming: Trimming | undefined;
  readonly mustExist: boolean;
  readonly idAt: number;
  readonly id: 'auto' | 'given' | 'auto-seq';
}

/** The id of XADD, if one was given. */
export const givenId = new StreamId();

/** Reads the options, for XADD up to its id. */
export function parseTrimArguments(call: Call, isAdd: boolean): TrimArguments {
  let bound: TrimBound | undefined;
  let isApproximate = false;
  let at = 0;
  let limit = 0;
  let limitGiven = false;
  let mustExist = false;
  let id: TrimArguments['id'] = 'auto';
  let i = 2;
  for (; i < call.argc; i++) {
    const option = call.arg(i);
    const more = call.argc - 1 - i;
    if (isAdd && option.is('*')) break;
    if (more > 0 && (option.is('maxlen') || option.is('minid'))) {
      if (bound !== undefined) throw BOTH_STRATEGIES;
      const byLength = option.is('maxlen');
      isApproximate = more > 1 && call.arg(i + 1).is('~');
      if (isApproximate || (more > 1 && call.arg(i + 1).is('='))) i++;
      bound = byLength
        ? lengthBound(call, i + 1)
        : { kind: 'id', min: parseId(call.arg(i + 1), new StreamId()) };
      at = ++i;
    } else if (more > 0 && option.is('limit')) {
      limit = call.integer(++i);
      if (limit < 0) throw NEGATIVE_LIMIT;
      limitGiven = true;
    } else if (isAdd && option.is('nomkstream')) {
      mustExist = true;
    } else if (isAdd) {
      id = parseIdToAdd(option, givenId) ? 'given' : 'auto-seq';
      break;
    } else {
      throw errors.syntax;
    }
  }
  if (bound === undefined) {
    if (limit > 0) throw LIMIT_WITHOUT_STRATEGY;
    if (!isAdd) throw NO_STRATEGY;
  }
  if (call.session.kind === 'master') {
    // A recorded command says exactly what remains.
    limit = 0;
  } else if (limitGiven) {
    if (!isApproximate) throw LIMIT_OF_EXACT;
  } else if (isApproximate) {
    limit = defaultLimit(call);
  }
  const trimming = bound === undefined ? undefined : { bound, isApproximate, limit, at };
  return { trimming, mustExist, idAt: i, id };
}

function lengthBound(call: Call, index: number): TrimBound {
  const max = call.integer(index);
  if (max < 0) throw NEGATIVE_LENGTH;
  return { kind: 'length', max };
}

/** The default limit: a hundred full blocks, so that one command does not take too long. */
function defaultLimit(call: Call): number {
  const { streamNodeMaxEntries } = call.keyspace.limits;
  if (streamNodeMaxEntries <= 0) return 10_000;
  return Math.min(100 * streamNodeMaxEntries, 1_000_000);
}

/**
 * The arguments to record for an approximate trimming: exactly what is left, because a replica may divide
 * its blocks differently.
 */
export function exactTrimming({ bound, at }: Trimming, stream: StreamValue): Map<number, string> {
  const left = bound.kind === 'length' ? String(stream.length) : minLeft(stream).toString();
  return new Map([
    [at - 1, '='],
    [at, left],
  ]);
}

/** The id of the first entry; the greatest id if there is none. */
function minLeft(stream: StreamValue): StreamId {
  return stream.length > 0 ? stream.firstId : new StreamId().setGreatest();
}

/** Records the running command with some of its arguments replaced. */
export function recordWith(call: Call, replaced: ReadonlyMap<number, string>): void {
  if (!call.effects.recording || replaced.size === 0) return;
  const words = call.args.slice(0, call.argc).map((word, index) => replaced.get(index) ?? word);
  call.effects.rewrite(call.db, ...words);
}
