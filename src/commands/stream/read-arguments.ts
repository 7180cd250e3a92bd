import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const GROUP_OF_READ = new CommandError(
  'ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
);
const NOACK_OF_READ = new CommandError(
  'ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
);
const UNBALANCED = new CommandError(
  "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
);
const NO_GROUP = new CommandError('ERR Missing GROUP option for XREADGROUP');
const TIMEOUT_NOT_INTEGER = new CommandError('ERR timeout is not an integer or out of range');

/** The group and consumer of XREADGROUP. */
export interface GroupReader {
  readonly name: Bytes;
  readonly consumer: Bytes;
}

export interface ReadArguments {
  readonly group: GroupReader | undefined;
  readonly noAck: boolean;
  /** 0 is all. */
  readonly count: number;
  /** BLOCK: when the wait ends, in Unix ms, 0 for never; undefined without BLOCK. */
  readonly deadline: number | undefined;
  /** The index of the first key; the ids, one per key, follow the keys. */
  readonly firstKey: number;
  readonly keyCount: number;
}

export function parseRead(call: Call, isGroup: boolean): ReadArguments {
  let group: GroupReader | undefined;
  let noAck = false;
  let count = 0;
  let deadline: number | undefined;
  for (let i = 1; i < call.argc; i++) {
    const option = call.arg(i);
    const more = call.argc - 1 - i;
    if (more > 0 && option.is('block')) {
      if (call.isScript) throw blockInScript(call);
      deadline = deadlineInMilliseconds(call, ++i);
    } else if (more > 0 && option.is('count')) {
      count = Math.max(call.integer(++i), 0);
    } else if (more > 0 && option.is('streams')) {
      if (more % 2 !== 0) throw UNBALANCED;
      if (isGroup && group === undefined) throw NO_GROUP;
      return { group, noAck, count, deadline, firstKey: i + 1, keyCount: more / 2 };
    } else if (more > 1 && option.is('group')) {
      if (!isGroup) throw GROUP_OF_READ;
      group = { name: call.arg(i + 1), consumer: call.arg(i + 2) };
      i += 2;
    } else if (option.is('noack')) {
      if (!isGroup) throw NOACK_OF_READ;
      noAck = true;
    } else {
      throw errors.syntax;
    }
  }
  throw errors.syntax;
}

function blockInScript(call: Call): CommandError {
  return new CommandError(`ERR ${call.text(0)} command is not allowed with BLOCK option from scripts`);
}

function deadlineInMilliseconds(call: Call, index: number): number {
  const wait = call.integer64(index, TIMEOUT_NOT_INTEGER);
  if (wait < 0n) throw errors.timeoutNegative;
  // Beyond 64 bits the time wraps around in Redis, and the wait never ends.
  return wait === 0n || wait > LARGEST_TIME - BigInt(call.now) ? 0 : Number(wait) + call.now;
}

const LARGEST_TIME = 2n ** 63n - 1n;
