import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';

/** Which servers of a Cluster a command without keys is sent to: all masters, or all servers including replicas. */
export type Audience = 'masters' | 'all';

/** Combines the replies of several servers into one. Errors have been removed. */
type Combination = (replies: readonly Reply[]) => Reply;

export interface ClusterPolicy {
  readonly audience: Audience;
  readonly combine: Combination;
  /** One server that succeeded is enough: errors of the others are ignored. */
  readonly isLenient?: true;
}

/** To which servers of a Cluster a command is sent; undefined if one server answers it. Throws `MISUSE` for SCAN. */
export function clusterPolicy(request: Request): ClusterPolicy | undefined {
  const [name, subcommand] = wordsOf(request);
  const policy = POLICIES[name] ?? (subcommand === undefined ? undefined : POLICIES[`${name} ${subcommand}`]);
  if (policy !== 'refused') return policy;
  throw new StoreError('MISUSE', 'each server of a Cluster has its own cursors: use scan()');
}

/** `CONFIG SET` may be given as one name, or as a name and an argument. */
function wordsOf({ command: { words }, args }: Request): readonly [string, string | undefined] {
  const [first = '', second] = words;
  return [first, second ?? (typeof args[0] === 'string' ? args[0].toUpperCase() : undefined)];
}

const first: Combination = (replies) => replies[0] ?? null;

const sum: Combination = (replies) =>
  typeof replies[0] === 'bigint'
    ? replies.reduce<bigint>((total, reply) => total + BigInt(reply as bigint), 0n)
    : replies.reduce<number>((total, reply) => total + Number(reply), 0);

const minimum: Combination = (replies) =>
  (replies as readonly (number | bigint)[]).reduce((lowest, reply) => (reply < lowest ? reply : lowest));

const joined: Combination = (replies) => (replies as readonly (readonly Reply[])[]).flat();

/** At each index: 1 if all servers replied 1. */
const agreed: Combination = (replies) => {
  const [head = [], ...others] = replies as readonly (readonly (number | bigint)[])[];
  return head.map((_, i) => minimum([head[i] as number, ...others.map((other) => other[i] as number)]));
};

const any: Combination = (replies) => {
  const found = replies.filter((reply) => reply !== null);
  return found[Math.floor(Math.random() * found.length)] ?? null;
};

const ON_MASTERS: ClusterPolicy = { audience: 'masters', combine: first };
const ON_ALL: ClusterPolicy = { audience: 'all', combine: first };
const ON_ANY: ClusterPolicy = { audience: 'masters', combine: first, isLenient: true };

/**
 * Taken from Redis's command tips (`request_policy`, `response_policy`) where they say how to combine replies. Some
 * subcommands of ACL and CONFIG have these tips only since Redis 7.2.
 */
export const POLICIES: Readonly<Record<string, ClusterPolicy | 'refused'>> = {
  'ACL DELUSER': ON_ALL,
  'ACL LOAD': ON_ALL,
  'ACL SAVE': ON_ALL,
  'ACL SETUSER': ON_ALL,
  'CONFIG RESETSTAT': ON_ALL,
  'CONFIG REWRITE': ON_ALL,
  'CONFIG SET': ON_ALL,
  DBSIZE: { audience: 'masters', combine: sum },
  FLUSHALL: ON_MASTERS,
  FLUSHDB: ON_MASTERS,
  'FUNCTION DELETE': ON_MASTERS,
  'FUNCTION FLUSH': ON_MASTERS,
  'FUNCTION KILL': ON_ANY,
  'FUNCTION LOAD': ON_MASTERS,
  'FUNCTION RESTORE': ON_MASTERS,
  KEYS: { audience: 'masters', combine: joined },
  'LATENCY RESET': { audience: 'all', combine: sum },
  'MEMORY PURGE': ON_MASTERS,
  PING: ON_MASTERS,
  RANDOMKEY: { audience: 'masters', combine: any },
  SCAN: 'refused',
  'SCRIPT EXISTS': { audience: 'masters', combine: agreed },
  'SCRIPT FLUSH': ON_ALL,
  'SCRIPT KILL': ON_ANY,
  'SCRIPT LOAD': ON_ALL,
  'SLOWLOG GET': { audience: 'all', combine: joined },
  'SLOWLOG LEN': { audience: 'all', combine: sum },
  'SLOWLOG RESET': ON_ALL,
  WAIT: { audience: 'masters', combine: minimum },
};
