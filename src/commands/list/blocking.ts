import type { Bytes } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import type { Reply } from '../../resp/reply.js';
import type { Call } from '../call.js';
import type { Wait } from '../engine-port.js';
import { CommandError } from '../errors.js';
import { parseMultiplePop } from '../multiple-pop.js';
import { deadlineArgument } from '../timeout.js';
import { move } from './move.js';
import { popCommand, popOne, popSome, popSomeWithKey } from './pop.js';
import { parseSide, type Side } from './side.js';

/*
 * A blocking command first tries the non-blocking command and is recorded as that. If none of the keys
 * holds a list, it blocks, and is served when one of them is created. That is recorded after the creating command.
 */

export function blpop(call: Call): void {
  popOrWait(call, 'left');
}

export function brpop(call: Call): void {
  popOrWait(call, 'right');
}

function popOrWait(call: Call, side: Side): void {
  const timeoutAt = call.argc - 1;
  const deadline = deadlineArgument(call, timeoutAt);
  for (let i = 1; i < timeoutAt; i++) {
    const entry = call.write(i, Type.list);
    if (entry === 0) continue;
    popOneWithKey(call, call.arg(i), entry, side);
    call.effects.rewrite(call.db, popCommand(side), call.arg(i));
    return;
  }
  call.block(new PopWait(call.copyArgs(1, timeoutAt), deadline, side, undefined));
}

export function blmpop(call: Call): void {
  const { keyCount, where, count } = parseMultiplePop(call, 2, parseSide);
  const deadline = deadlineArgument(call, 1);
  for (let i = 3; i < 3 + keyCount; i++) {
    const entry = call.write(i, Type.list);
    if (entry === 0) continue;
    popSomeWithKey(call, call.arg(i), entry, where, count);
    return;
  }
  call.block(new PopWait(call.copyArgs(3, 3 + keyCount), deadline, where, count));
}

export function blmove(call: Call): void {
  const from = parseSide(call.arg(3));
  const to = parseSide(call.arg(4));
  const deadline = deadlineArgument(call, 5);
  if (moveOrWait(call, from, to, deadline, 'LMOVE')) {
    call.effects.rewrite(call.db, 'LMOVE', call.arg(1), call.arg(2), call.arg(3), call.arg(4));
  }
}

export function brpoplpush(call: Call): void {
  const deadline = deadlineArgument(call, 3);
  if (moveOrWait(call, 'right', 'left', deadline, 'RPOPLPUSH')) {
    call.effects.rewrite(call.db, 'RPOPLPUSH', call.arg(1), call.arg(2));
  }
}

type MoveCommand = 'LMOVE' | 'RPOPLPUSH';

/** Returns whether an element was moved. */
function moveOrWait(call: Call, from: Side, to: Side, deadline: number, recordedAs: MoveCommand): boolean {
  const source = call.write(1, Type.list);
  if (source !== 0) {
    move(call, call.arg(1), source, from, call.arg(2), to);
    return true;
  }
  // As in Redis: a null array after a timeout, but a plain null where blocking is not allowed.
  if (!call.mayBlock) call.reply.null();
  else call.block(new MoveWait([call.arg(1).copy()], deadline, call.arg(2).copy(), from, to, recordedAs));
  return false;
}

function popOneWithKey(call: Call, key: Bytes, entry: Entry, side: Side): void {
  call.reply.array(2);
  call.reply.bulk(key);
  popOne(call, key, entry, side);
}

/** BLPOP, BRPOP and, with a count, BLMPOP. */
class PopWait implements Wait {
  readonly keys: readonly Bytes[];
  readonly type = Type.list;
  readonly deadline: number;
  readonly #side: Side;
  readonly #count: number | undefined;

  constructor(keys: readonly Bytes[], deadline: number, side: Side, count: number | undefined) {
    this.keys = keys;
    this.deadline = deadline;
    this.#side = side;
    this.#count = count;
  }

  serve(call: Call, key: Bytes): boolean {
    const entry = call.keyspace.write(call.db, key);
    if (this.#count === undefined) {
      popOneWithKey(call, key, entry, this.#side);
      call.effects.aside(call.db, popCommand(this.#side), key);
      return true;
    }
    call.reply.array(2);
    call.reply.bulk(key);
    const popped = popSome(call, key, entry, this.#side, this.#count);
    call.effects.aside(call.db, popCommand(this.#side), key, popped);
    return true;
  }

  timedOut(reply: Reply): void {
    reply.nullArray();
  }
}

/** BLMOVE and BRPOPLPUSH. */
class MoveWait implements Wait {
  readonly keys: readonly Bytes[];
  readonly type = Type.list;
  readonly deadline: number;
  readonly #destination: Bytes;
  readonly #from: Side;
  readonly #to: Side;
  readonly #recordedAs: MoveCommand;

  constructor(
    keys: readonly Bytes[],
    deadline: number,
    destination: Bytes,
    from: Side,
    to: Side,
    recordedAs: MoveCommand,
  ) {
    this.keys = keys;
    this.deadline = deadline;
    this.#destination = destination;
    this.#from = from;
    this.#to = to;
    this.#recordedAs = recordedAs;
  }

  /** A destination of another type ends the wait with an error; the element is left for the next client. */
  serve(call: Call, key: Bytes): boolean {
    try {
      move(call, key, call.keyspace.write(call.db, key), this.#from, this.#destination, this.#to);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      call.reply.error(error.text);
      return true;
    }
    const { db, effects } = call;
    if (this.#recordedAs === 'RPOPLPUSH') effects.aside(db, 'RPOPLPUSH', key, this.#destination);
    else effects.aside(db, 'LMOVE', key, this.#destination, this.#from, this.#to);
    return true;
  }

  timedOut(reply: Reply): void {
    reply.nullArray();
  }
}
