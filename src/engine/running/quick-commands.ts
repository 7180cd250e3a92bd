import { FLAG } from '../../commands/flag.js';
import type { Command, CommandTable } from '../../commands/table.js';

/** Any number of arguments. */
const ANY_NUMBER = 0xffff;

/** 1 for each command id that is in `COUNTING_COMMANDS`. */
export function countingCommandsOf(table: CommandTable): Uint8Array {
  const counting = new Uint8Array(table.idLimit);
  for (const { id, fullName } of table) if (COUNTING_COMMANDS.has(fullName)) counting[id] = 1;
  return counting;
}

/**
 * The maximum number of arguments with which a command is quick, by command id; 0 means never. Timing a quick command would
 * cost as much as running it. Computed once for all engines with the same table.
 */
export function quickArgumentsOf(table: CommandTable): Uint16Array {
  let quickArguments = known.get(table);
  if (quickArguments !== undefined) return quickArguments;
  quickArguments = new Uint16Array(table.idLimit);
  for (const command of table) {
    quickArguments[command.id] = maxQuickArguments(command);
    for (const subcommand of command.subcommands ?? []) {
      quickArguments[subcommand.id] = maxQuickArguments(subcommand);
    }
  }
  known.set(table, quickArguments);
  return quickArguments;
}

const known = new WeakMap<CommandTable, Uint16Array>();

function maxQuickArguments({ flagBits, fullName, arity }: Command): number {
  if ((flagBits & (FLAG.blocking | FLAG.admin)) !== 0) return 0;
  if (QUICK_COMMANDS.has(fullName)) return ANY_NUMBER;
  // If the time depends on the number of arguments, or on a count argument, the command is quick without optional arguments.
  return (flagBits & FLAG.fast) !== 0 ? Math.abs(arity) : 0;
}

/**
 * Their time is proportional to the number of elements they visit, which they declare (`Call.visits`): they are timed only if it
 * is large. With short collections, timing would cost as much as running them.
 */
export const COUNTING_COMMANDS: ReadonlySet<string> = new Set([
  'hgetall',
  'hkeys',
  'hvals',
  'lrange',
  'smembers',
  'zrange',
  'zrangebylex',
  'zrangebyscore',
  'zrevrange',
  'zrevrangebylex',
  'zrevrangebyscore',
]);

/** Their time is constant, logarithmic, or proportional to the number of arguments. */
export const QUICK_COMMANDS: ReadonlySet<string> = new Set([
  // acl
  'acl|cat',
  'acl|genpass',
  'acl|help',
  'acl|whoami',
  // bitmap
  'bitfield',
  'bitfield_ro',
  'getbit',
  'setbit',
  // cluster
  'asking',
  'cluster|countkeysinslot',
  'cluster|getkeysinslot',
  'cluster|help',
  'cluster|info',
  'cluster|myid',
  'readonly',
  'readwrite',
  // connection
  'client|caching',
  'client|getname',
  'client|getredir',
  'client|help',
  'client|id',
  'client|info',
  'client|reply',
  'client|setname',
  'client|tracking',
  'client|trackinginfo',
  'echo',
  'hello',
  'ping',
  'quit',
  'reset',
  'select',
  // generic
  'del',
  'dump',
  'exists',
  'expire',
  'expireat',
  'expiretime',
  'move',
  'object|encoding',
  'object|freq',
  'object|help',
  'object|idletime',
  'object|refcount',
  'persist',
  'pexpire',
  'pexpireat',
  'pexpiretime',
  'pttl',
  'randomkey',
  'rename',
  'renamenx',
  'restore',
  'scan',
  'touch',
  'ttl',
  'type',
  'unlink',
  'wait',
  // geo
  'geoadd',
  'geodist',
  'geohash',
  // hash
  'hexists',
  'hget',
  'hincrby',
  'hincrbyfloat',
  'hlen',
  'hscan',
  'hset',
  'hsetnx',
  'hstrlen',
  // hyperloglog
  'pfadd',
  'pfcount',
  // list
  'llen',
  'lmove',
  'lpush',
  'lpushx',
  'rpoplpush',
  'rpush',
  'rpushx',
  // pubsub
  'pubsub|help',
  'pubsub|numpat',
  // scripting
  'function|delete',
  'function|help',
  'function|kill',
  'function|load',
  'function|stats',
  'script|debug',
  'script|help',
  'script|kill',
  // server
  'command|count',
  'command|help',
  'config|help',
  'dbsize',
  'flushdb',
  'info',
  'lastsave',
  'latency|help',
  'memory|doctor',
  'memory|help',
  'memory|stats',
  'module|help',
  'restore-asking',
  'role',
  'slowlog|help',
  'time',
  // set
  'sadd',
  'scard',
  'sismember',
  'smove',
  'sscan',
  // sorted-set
  'zadd',
  'zcard',
  'zcount',
  'zincrby',
  'zlexcount',
  'zrank',
  'zrevrank',
  'zscan',
  'zscore',
  // stream
  'xack',
  'xadd',
  'xautoclaim',
  'xdel',
  'xgroup|create',
  'xgroup|createconsumer',
  'xgroup|delconsumer',
  'xgroup|help',
  'xgroup|setid',
  'xinfo|consumers',
  'xinfo|groups',
  'xinfo|help',
  'xinfo|stream',
  'xlen',
  'xsetid',
  // string
  'append',
  'decr',
  'decrby',
  'get',
  'getdel',
  'getex',
  'getset',
  'incr',
  'incrby',
  'incrbyfloat',
  'mget',
  'mset',
  'msetnx',
  'psetex',
  'set',
  'setex',
  'setnx',
  'setrange',
  'strlen',
  // transactions
  'multi',
  'unwatch',
  'watch',
]);
