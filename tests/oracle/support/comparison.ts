import { isDeepStrictEqual } from 'node:util';
import { type Command, nameOf } from './command.js';
import { itemsOf, printable, type Reply } from './reply.js';

/** The ways in which two replies may differ. Without any, they must be equal byte for byte. */
export interface Tolerance {
  /**
   * `true`: the elements of the reply may be in any order. `'pairs'`: the same for a flat list of pairs (HGETALL
   * in RESP2); maps are always compared by entry. `'nested'`: the elements of each nested array may (SCAN).
   */
  readonly unordered?: true | 'pairs' | 'nested';
  /** Replies are read but not compared, for the given reason. */
  readonly ignore?: string;
  /** Only type and number of elements must agree, for the given reason. */
  readonly typeOnly?: string;
  /** Applied to both replies; the results must be deeply equal. */
  readonly normalise?: (reply: Reply) => unknown;
  /** Decides whether the two replies agree. */
  readonly equal?: (sorrel: Reply, redis: Reply) => boolean;
}

/** The outcome of one server: a reply, a closed connection, or no reply in time (which is always a failure). */
export type Outcome = Reply | { readonly type: 'closed' | 'nothing'; readonly reason: string };

export function agree(sorrel: Outcome, redis: Outcome, tolerance: Tolerance): boolean {
  if ('reason' in sorrel || 'reason' in redis) return sorrel.type === 'closed' && redis.type === 'closed';
  if (sorrel.raw.equals(redis.raw)) return true;
  if (tolerance.ignore !== undefined) return true;
  if (tolerance.typeOnly !== undefined) return outline(sorrel) === outline(redis);
  if (tolerance.equal !== undefined) return tolerance.equal(sorrel, redis);
  if (tolerance.normalise !== undefined) {
    return isDeepStrictEqual(tolerance.normalise(sorrel), tolerance.normalise(redis));
  }
  if (tolerance.unordered !== undefined) {
    return canonical(sorrel, tolerance.unordered) === canonical(redis, tolerance.unordered);
  }
  return false;
}

export function showOutcome(outcome: Outcome): string {
  return 'reason' in outcome ? `(${outcome.reason})` : printable(outcome.raw);
}

/** Whether two integers differ by at most `tolerance`. */
export function integersWithin(tolerance: number): (sorrel: Reply, redis: Reply) => boolean {
  return (sorrel, redis) => {
    if (sorrel.type !== 'integer' || redis.type !== 'integer') return false;
    // TTL's -1 and -2 are not times, so they are never near one.
    if (sorrel.value < 0n || redis.value < 0n) return false;
    const distance = sorrel.value - redis.value;
    return (distance < 0n ? -distance : distance) <= BigInt(tolerance);
  };
}

/** The default tolerance in generated tests for commands whose reply has no fixed order or depends on the clock. */
export function usualTolerance(command: Command): Tolerance {
  return USUAL_TOLERANCES.get(nameOf(command).name) ?? {};
}

const USUAL_TOLERANCES: ReadonlyMap<string, Tolerance> = new Map<string, Tolerance>([
  ...['SMEMBERS', 'SUNION', 'SINTER', 'SDIFF', 'KEYS', 'HKEYS', 'HVALS'].map((name): [string, Tolerance] => [
    name,
    { unordered: true },
  ]),
  ['HGETALL', { unordered: 'pairs' }],
  ...['SCAN', 'SSCAN', 'HSCAN', 'ZSCAN'].map((name): [string, Tolerance] => [name, { unordered: 'nested' }]),
  ['TTL', { equal: integersWithin(10) }],
  ['EXPIRETIME', { equal: integersWithin(10) }],
  ['PTTL', { equal: integersWithin(10_000) }],
  ['PEXPIRETIME', { equal: integersWithin(10_000) }],
]);

function canonical(reply: Reply, unordered: true | 'pairs' | 'nested'): string {
  if (reply.type === 'map') {
    return sorted(
      'map',
      reply.entries.map(([key, value]) => joined([key, value])),
    );
  }
  if (reply.type !== 'array' && reply.type !== 'set' && reply.type !== 'push') return raw(reply);
  switch (unordered) {
    case true:
      return sorted(reply.type, reply.items.map(raw));
    case 'pairs':
      return sorted(reply.type, pairsOf(reply.items).map(joined));
    case 'nested':
      return [reply.type, ...reply.items.map((item) => canonical(item, true))].join('\n');
  }
}

function pairsOf(items: readonly Reply[]): Reply[][] {
  const pairs: Reply[][] = [];
  for (let i = 0; i < items.length; i += 2) pairs.push(items.slice(i, i + 2));
  return pairs;
}

function sorted(type: string, elements: string[]): string {
  return [type, ...elements.sort()].join('\n');
}

function raw(reply: Reply): string {
  return reply.raw.toString('latin1');
}

function joined(replies: readonly Reply[]): string {
  return replies.map(raw).join('');
}

function outline(reply: Reply): string {
  if (reply.type === 'map') return `map ${reply.entries.length}`;
  if (reply.type === 'array' || reply.type === 'set' || reply.type === 'push') {
    return `${reply.type} ${itemsOf(reply).length}`;
  }
  return reply.type;
}
