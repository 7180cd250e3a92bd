import { add, type Counter, counter } from '../../keyspace/counter.js';
import { Type } from '../../keyspace/kinds.js';
import type { Consumer } from '../../keyspace/values/stream-group.js';
import { advance } from '../../keyspace/values/stream-progress.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { replyOne } from './deliver.js';
import {
  createConsumer,
  type GroupAt,
  groupToChange,
  noKeyOrGroup,
  recordClaim,
  recordGroupId,
  shown,
} from './group-lookup.js';
import { parseBound, parseId, replyId } from './id-argument.js';

const INVALID_IDLE = new CommandError('ERR Invalid IDLE option argument for XCLAIM');
const INVALID_TIME = new CommandError('ERR Invalid TIME option argument for XCLAIM');
const INVALID_RETRY_COUNT = new CommandError('ERR Invalid RETRYCOUNT option argument for XCLAIM');
const COUNT_NOT_POSITIVE = new CommandError('ERR COUNT must be > 0');

function invalidLeastIdle(command: string): CommandError {
  return new CommandError(`ERR Invalid min-idle-time argument for ${command}`);
}

interface ClaimOptions {
  readonly force: boolean;
  readonly justId: boolean;
  readonly deliveryTime: number;
  /** RETRYCOUNT: the new delivery counter; undefined: one more than before. */
  readonly retryCount: Counter | undefined;
  readonly lastId: StreamId;
}

export function xclaim(call: Call): void {
  const at = groupToChange(call, call.read(1, Type.stream), call.arg(1), call.arg(2));
  if (at === undefined) throw noKeyOrGroup(call.arg(1), call.arg(2));
  const minIdle = Math.max(call.integer(4, invalidLeastIdle('XCLAIM')), 0);
  const ids = leadingIds(call);
  const options = parseOptions(call, 5 + ids.length);
  const { effects } = call;
  effects.replaceByNothing();
  const isRecorded = call.session.kind === 'master';
  let mustRecordGroup = readUpTo(at, options.lastId, isRecorded ? ids : NO_IDS);
  const claimed: StreamId[] = [];
  for (const id of ids) {
    const claim = claimOne(call, at, id, minIdle, options);
    if (claim === 'claimed') claimed.push(id);
    if (claim !== 'left' && isRecorded) mustRecordGroup = false;
  }
  if (mustRecordGroup) {
    recordGroupId(call, 'rewrite', at);
    effects.counted();
  }
  replyClaimed(call, at, claimed, options.justId);
}

/**
 * LASTID: the group has read up to this id. Returns whether it had not before. XREADGROUP is recorded as one claim of each entry, whose
 * LASTID is that entry: such a claim also counts the entry as read. `recorded` are the ids of a recorded command.
 */
function readUpTo({ stream, group }: GroupAt, lastId: StreamId, recorded: readonly StreamId[]): boolean {
  if (lastId.compare(group.lastId) <= 0) return false;
  const [id] = recorded;
  if (recorded.length === 1 && id?.compare(lastId) === 0) advance(stream, group, lastId);
  else group.lastId.set(lastId);
  return true;
}

/** The ids end at the first argument that is not an id; options follow. */
function leadingIds(call: Call): StreamId[] {
  const ids: StreamId[] = [];
  try {
    for (let i = 5; i < call.argc; i++) ids.push(parseId(call.arg(i), new StreamId()));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  return ids;
}

function parseOptions(call: Call, from: number): ClaimOptions {
  let force = false;
  let justId = false;
  let time = -1;
  let retryCount: Counter | undefined;
  const lastId = new StreamId();
  for (let i = from; i < call.argc; i++) {
    const option = call.arg(i);
    const more = i + 1 < call.argc;
    if (option.is('force')) force = true;
    else if (option.is('justid')) justId = true;
    else if (more && option.is('idle')) time = call.now - call.integer(++i, INVALID_IDLE);
    else if (more && option.is('time')) time = call.integer(++i, INVALID_TIME);
    else if (more && option.is('retrycount')) retryCount = counter(call.integer64(++i, INVALID_RETRY_COUNT));
    else if (more && option.is('lastid')) parseId(call.arg(++i), lastId);
    else throw new CommandError(`ERR Unrecognized XCLAIM option '${shown(option)}'`);
  }
  // A time in the future (clocks differ) or a negative one becomes the present time.
  const deliveryTime = time < 0 || time > call.now ? call.now : time;
  if (retryCount !== undefined && retryCount < 0) retryCount = undefined;
  return { force, justId, deliveryTime, retryCount, lastId };
}

function consumerOf(call: Call, at: GroupAt): Consumer {
  const name = call.text(3);
  return at.group.consumer(name, call.now) ?? createConsumer(call, at, name);
}

/** Makes the consumer the owner of an entry that is idle long enough. A deleted entry is removed from the pending ones. */
function claimOne(
  call: Call,
  at: GroupAt,
  id: StreamId,
  minIdle: number,
  options: ClaimOptions,
): 'claimed' | 'dropped' | 'left' {
  const { stream, group } = at;
  const isPending = group.pending.find(id);
  if (!stream.has(id)) {
    if (!isPending) return 'left';
    drop(call, at, id);
    return 'dropped';
  }
  if (!isPending && !options.force) return 'left';
  if (isPending && minIdle > 0 && call.now - group.deliveryTime < minIdle) return 'left';
  const before = isPending ? group.deliveryCount : 1;
  const count = options.retryCount ?? (options.justId ? before : add(before, 1));
  claim(call, at, id, options.deliveryTime, count);
  return 'claimed';
}

/** Creates the consumer if needed, and updates the time it was last seen. */
function claim(call: Call, at: GroupAt, id: StreamId, time: number, count: Counter): void {
  at.group.assign(id, consumerOf(call, at), time, count);
  recordClaim(call, 'rewrite', at, id);
  call.effects.counted();
}

/** The pending entry at the place was deleted from the stream. Replicas drop it when they repeat the claim. */
function drop(call: Call, at: GroupAt, id: StreamId): void {
  recordClaim(call, 'rewrite', at, id);
  at.group.acknowledge(id);
  call.effects.counted();
}

function replyClaimed({ reply }: Call, { stream }: GroupAt, ids: readonly StreamId[], justId: boolean): void {
  reply.array(ids.length);
  for (const id of ids) {
    if (justId) replyId(reply, id);
    else replyOne(reply, stream, id);
  }
}

/** The number of pending entries that are examined for each requested entry. */
const ATTEMPTS = 10;
const USUAL_COUNT = 100;
const LARGEST_COUNT = (2n ** 63n - 1n) / 16n;

export function xautoclaim(call: Call): void {
  const entry = call.keyspace.read(call.db, call.arg(1));
  const minIdle = Math.max(call.integer(4, invalidLeastIdle('XAUTOCLAIM')), 0);
  parseBound(call.arg(5), from, 'first');
  const { count, justId } = parseAutoOptions(call);
  if (entry !== 0 && call.db.type(entry) !== Type.stream) throw errors.wrongType;
  const at = groupToChange(call, entry, call.arg(1), call.arg(2));
  if (at === undefined) throw noKeyOrGroup(call.arg(1), call.arg(2));
  call.effects.replaceByNothing();
  const { claimed, dropped } = claimIdle(call, at, minIdle, count, justId);
  const { reply } = call;
  reply.array(3);
  replyId(reply, from);
  replyClaimed(call, at, claimed, justId);
  reply.array(dropped.length);
  for (const id of dropped) replyId(reply, id);
}

function parseAutoOptions(call: Call): { readonly count: number; readonly justId: boolean } {
  let count = USUAL_COUNT;
  let justId = false;
  for (let i = 6; i < call.argc; i++) {
    const option = call.arg(i);
    if (i + 1 < call.argc && option.is('count')) {
      const given = call.integer64(++i, COUNT_NOT_POSITIVE);
      if (given < 1n || given > LARGEST_COUNT) throw COUNT_NOT_POSITIVE;
      count = Number(given);
    } else if (option.is('justid')) {
      justId = true;
    } else {
      throw errors.syntax;
    }
  }
  return { count, justId };
}

/** Walks through the pending entries from `from` on. Sets `from` to the id to continue with, or to 0-0 at the end. */
function claimIdle(
  call: Call,
  at: GroupAt,
  minIdle: number,
  count: number,
  justId: boolean,
): { readonly claimed: readonly StreamId[]; readonly dropped: readonly StreamId[] } {
  const { stream, group } = at;
  const claimed: StreamId[] = [];
  const dropped: StreamId[] = [];
  let attempts = count * ATTEMPTS;
  while (attempts-- > 0 && claimed.length + dropped.length < count && group.pending.ceiling(from)) {
    const id = group.pending.readId(new StreamId());
    if (!stream.has(id)) {
      drop(call, at, id);
      dropped.push(id);
    } else if (minIdle === 0 || call.now - group.deliveryTime >= minIdle) {
      const before = group.deliveryCount;
      claim(call, at, id, call.now, justId ? before : add(before, 1));
      claimed.push(id);
    }
    from.set(id);
    // No id is greater than the greatest one.
    if (!from.increment()) return { claimed, dropped };
  }
  if (group.pending.ceiling(from)) group.pending.readId(from);
  else from.setLeast();
  return { claimed, dropped };
}

const from = new StreamId();
const NO_IDS: readonly StreamId[] = [];
