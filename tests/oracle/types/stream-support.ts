import { type Case, type Command, type Plain, plain, type Reply, type Tolerance } from '../support/index.js';

/**
 * Times and idle times differ a little between two servers. Tests set only idle times that are
 * multiples of 20 seconds, so that up to 20 seconds may pass before equal ones differ.
 */
export const timesDiffer: Tolerance = { normalise: (reply: Reply) => roughly(plain(reply)) };

/** The reply is compared except for the milliseconds in it. */
export function milliseconds(send: Command): Case {
  return { send, ...timesDiffer };
}

function roughly(value: Plain): unknown {
  if (value instanceof Map) return roughly([...value.entries()].flat());
  if (!Array.isArray(value)) return typeof value === 'number' && value > YEAR_2020 ? 'now' : value;
  return value.map((item, index) => {
    const isIdle = value[index - 1] === 'idle' || (value.length === 4 && index === 2);
    return isIdle && typeof item === 'number' && item < YEAR_2020 ? Math.floor(item / 20_000) : roughly(item);
  });
}

const YEAR_2020 = 1_577_836_800_000;
