import type { Bytes } from '../../bytes/bytes.js';
import { Type } from '../../keyspace/kinds.js';
import type { Reply } from '../../resp/reply.js';
import type { Call } from '../call.js';
import type { Wait } from '../engine-port.js';
import { parseMultiplePop } from '../multiple-pop.js';
import { deadlineArgument } from '../timeout.js';
import { type End, parseEnd, popCommand, popOneWithKey, popSomeWithKey } from './pop.js';

/*
 * A blocking command first tries the non-blocking command and is recorded as that. If none of the keys
 * holds a sorted set, it blocks, and is served when one of them is created. That is recorded after the creating
 * command.
 */

export function bzpopmin(call: Call): void {
  popOrWait(call, 'min');
}

export function bzpopmax(call: Call): void {
  popOrWait(call, 'max');
}

function popOrWait(call: Call, end: End): void {
  const timeoutAt = call.argc - 1;
  const deadline = deadlineArgument(call, timeoutAt);
  for (let i = 1; i < timeoutAt; i++) {
    const entry = call.write(i, Type.sortedSet);
    if (entry === 0) continue;
    popOneWithKey(call, call.arg(i), entry, end);
    call.effects.rewrite(call.db, popCommand(end), call.arg(i));
    return;
  }
  call.block(new PopWait(call.copyArgs(1, timeoutAt), deadline, end, undefined));
}

export function bzmpop(call: Call): void {
  const { keyCount, where, count } = parseMultiplePop(call, 2, parseEnd);
  const deadline = deadlineArgument(call, 1);
  for (let i = 3; i < 3 + keyCount; i++) {
    const entry = call.write(i, Type.sortedSet);
    if (entry === 0) continue;
    const popped = popSomeWithKey(call, call.arg(i), entry, where, count);
    call.effects.rewrite(call.db, popCommand(where), call.arg(i), popped);
    return;
  }
  call.block(new PopWait(call.copyArgs(3, 3 + keyCount), deadline, where, count));
}

/** BZPOPMIN, BZPOPMAX and, with a count, BZMPOP. */
class PopWait implements Wait {
  readonly keys: readonly Bytes[];
  readonly type = Type.sortedSet;
  readonly deadline: number;
  readonly #end: End;
  readonly #count: number | undefined;

  constructor(keys: readonly Bytes[], deadline: number, end: End, count: number | undefined) {
    this.keys = keys;
    this.deadline = deadline;
    this.#end = end;
    this.#count = count;
  }

  serve(call: Call, key: Bytes): boolean {
    const entry = call.keyspace.write(call.db, key);
    if (this.#count === undefined) {
      popOneWithKey(call, key, entry, this.#end);
      call.effects.aside(call.db, popCommand(this.#end), key);
    } else {
      const popped = popSomeWithKey(call, key, entry, this.#end, this.#count);
      call.effects.aside(call.db, popCommand(this.#end), key, popped);
    }
    return true;
  }

  timedOut(reply: Reply): void {
    reply.nullArray();
  }
}
