import { type Case, type Command, type Plain, plain, type Reply, type Tolerance } from './support/index.js';

/**
 * Whatever tells a time, or how long ago something was, differs a little between two servers. Tests set no idle times but
 * multiples of 20 seconds, so that so much may pass before two that began alike are told apart.
 */
export const timesDiffer: Tolerance = { normalise: (reply: Reply) => roughly(plain(reply)) };

/** The reply is compared but for the milliseconds in it. */
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
