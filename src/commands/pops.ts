import type { Bytes } from '../bytes/bytes.js';
import type { Entry } from '../keyspace/entry.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { Call } from './call.js';
import type { Wait } from './engine-port.js';
import { CommandError, errors } from './errors.js';
import { deadlineArgument } from './timeout.js';

/*
 * Pops from the first of several keys that exists, for lists and sorted sets. A blocking command first tries to pop and is
 * recorded as the non-blocking command. If none of the keys exists, it blocks, and is served when one of them is created. That
 * is recorded after the creating command.
 */

/** The pops of one type. `Where` is the end that elements are removed from. */
export interface Pops<Where> {
  readonly type: Type;
  parseWhere(word: Bytes): Where;
  /** The command that pops elements from that end; the pops are recorded as this command. */
  command(where: Where): string;
  /** Removes one element and replies with the key and the element. */
  one(call: Call, key: Bytes, entry: Entry, where: Where): void;
  /** Removes up to `count` elements and replies with the key and an array of them. Returns the number removed. */
  some(call: Call, key: Bytes, entry: Entry, where: Where, count: number): number;
}

/** LMPOP and ZMPOP. */
export function multiplePop<Where>(call: Call, pops: Pops<Where>): void {
  const { keyCount, where, count } = parseMultiplePop(call, 1, pops);
  if (!popSomeOfFirst(call, pops, 2, keyCount, where, count)) call.reply.nullArray();
}

/** BLPOP, BRPOP, BZPOPMIN and BZPOPMAX. */
export function blockingPop<Where>(call: Call, pops: Pops<Where>, where: Where): void {
  const timeoutAt = call.argc - 1;
  const deadline = deadlineArgument(call, timeoutAt);
  for (let i = 1; i < timeoutAt; i++) {
    const entry = call.write(i, pops.type);
    if (entry === 0) continue;
    pops.one(call, call.arg(i), entry, where);
    call.effects.rewrite(call.db, pops.command(where), call.arg(i));
    return;
  }
  call.block(new PopWait(call.copyArgs(1, timeoutAt), deadline, pops, where, undefined));
}

/** BLMPOP and BZMPOP. */
export function blockingMultiplePop<Where>(call: Call, pops: Pops<Where>): void {
  const { keyCount, where, count } = parseMultiplePop(call, 2, pops);
  const deadline = deadlineArgument(call, 1);
  if (popSomeOfFirst(call, pops, 3, keyCount, where, count)) return;
  call.block(new PopWait(call.copyArgs(3, 3 + keyCount), deadline, pops, where, count));
}

/** Pops from the first key that exists, of `keyCount` keys from the argument `first` on. False if none exists. */
function popSomeOfFirst<Where>(
  call: Call,
  pops: Pops<Where>,
  first: number,
  keyCount: number,
  where: Where,
  count: number,
): boolean {
  for (let i = first; i < first + keyCount; i++) {
    const entry = call.write(i, pops.type);
    if (entry === 0) continue;
    const popped = pops.some(call, call.arg(i), entry, where, count);
    call.effects.rewrite(call.db, pops.command(where), call.arg(i), popped);
    return true;
  }
  return false;
}

/** Waits for one element or, with a count, for several. */
class PopWait<Where> implements Wait {
  readonly keys: readonly Bytes[];
  readonly type: Type;
  readonly deadline: number;
  readonly #pops: Pops<Where>;
  readonly #where: Where;
  readonly #count: number | undefined;

  constructor(
    keys: readonly Bytes[],
    deadline: number,
    pops: Pops<Where>,
    where: Where,
    count: number | undefined,
  ) {
    this.keys = keys;
    this.type = pops.type;
    this.deadline = deadline;
    this.#pops = pops;
    this.#where = where;
    this.#count = count;
  }

  serve(call: Call, key: Bytes): boolean {
    const pops = this.#pops;
    const where = this.#where;
    const entry = call.keyspace.write(call.db, key);
    if (this.#count === undefined) {
      pops.one(call, key, entry, where);
      call.effects.aside(call.db, pops.command(where), key);
    } else {
      const popped = pops.some(call, key, entry, where, this.#count);
      call.effects.aside(call.db, pops.command(where), key, popped);
    }
    return true;
  }

  timedOut(reply: Reply): void {
    reply.nullArray();
  }
}

interface MultiplePop<Where> {
  readonly keyCount: number;
  readonly where: Where;
  readonly count: number;
}

/** Parses `numkeys key … where [COUNT count]`; `numkeys` is the argument at `keyCountAt`. */
function parseMultiplePop<Where>(call: Call, keyCountAt: number, pops: Pops<Where>): MultiplePop<Where> {
  const keyCount = atLeastOne(call, keyCountAt, keyCountTooSmall);
  const whereAt = keyCountAt + keyCount + 1;
  if (whereAt >= call.argc) throw errors.syntax;
  const where = pops.parseWhere(call.arg(whereAt));
  if (call.argc === whereAt + 1) return { keyCount, where, count: 1 };
  if (!call.arg(whereAt + 1).is('count') || call.argc === whereAt + 2) throw errors.syntax;
  const count = atLeastOne(call, whereAt + 2, countTooSmall);
  if (call.argc > whereAt + 3) throw errors.syntax;
  return { keyCount, where, count };
}

function atLeastOne(call: Call, index: number, otherwise: CommandError): number {
  const value = call.integer(index, otherwise);
  if (value < 1) throw otherwise;
  return value;
}

const keyCountTooSmall = new CommandError('ERR numkeys should be greater than 0');
const countTooSmall = new CommandError('ERR count should be greater than 0');
