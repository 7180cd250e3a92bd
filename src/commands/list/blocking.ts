import type { Bytes } from '../../bytes/bytes.js';
import { Type } from '../../keyspace/kinds.js';
import type { Reply } from '../../resp/reply.js';
import type { Call } from '../call.js';
import type { Wait } from '../engine-port.js';
import { CommandError } from '../errors.js';
import { blockingMultiplePop, blockingPop } from '../pops.js';
import { deadlineArgument } from '../timeout.js';
import { move } from './move.js';
import { listPops } from './pop.js';
import { parseSide, type Side } from './side.js';

export function blpop(call: Call): void {
  blockingPop(call, listPops, 'left');
}

export function brpop(call: Call): void {
  blockingPop(call, listPops, 'right');
}

export function blmpop(call: Call): void {
  blockingMultiplePop(call, listPops);
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
