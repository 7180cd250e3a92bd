import type { Commands } from '../../store/commands/index.js';
import { commandMethods } from '../../store/commands/index.js';
import type {
  Argument,
  CommandRunner,
  DefaultShape,
  ReplyTransformer,
  WireCommand,
} from '../../store/index.js';

/** The commands with one key, which comes first. */
const SINGLE_KEY = [
  ...(['bitcount', 'bitfield', 'bitpos', 'getbit', 'setbit'] as const),
  ...(['expire', 'expiretime', 'persist', 'pexpire', 'pexpiretime', 'pttl', 'ttl', 'type'] as const),
  ...(['geoadd', 'geodist', 'geohash', 'geopos', 'geosearch', 'pfadd'] as const),
  ...(['hdel', 'hexists', 'hget', 'hgetall', 'hincrby', 'hincrbyfloat', 'hkeys', 'hlen', 'hmget'] as const),
  ...(['hrandfield', 'hset', 'hsetnx', 'hstrlen', 'hvals'] as const),
  ...([
    'lindex',
    'linsert',
    'llen',
    'lpop',
    'lpos',
    'lpush',
    'lpushx',
    'lrange',
    'lrem',
    'lset',
    'ltrim',
  ] as const),
  ...(['rpop', 'rpush', 'rpushx'] as const),
  ...(['sadd', 'scard', 'sismember', 'smembers', 'smismember', 'spop', 'srandmember', 'srem'] as const),
  ...([
    'zadd',
    'zcard',
    'zcount',
    'zincrby',
    'zlexcount',
    'zmscore',
    'zpopmax',
    'zpopmin',
    'zrandmember',
  ] as const),
  ...([
    'zrange',
    'zrank',
    'zrem',
    'zremrangebylex',
    'zremrangebyrank',
    'zremrangebyscore',
    'zrevrank',
  ] as const),
  ...(['zscore', 'xadd', 'xdel', 'xlen', 'xrange', 'xrevrange', 'xtrim'] as const),
  ...([
    'append',
    'decr',
    'decrby',
    'get',
    'getdel',
    'getex',
    'getrange',
    'getset',
    'incr',
    'incrby',
  ] as const),
  ...(['incrbyfloat', 'set', 'setrange', 'strlen'] as const),
] as const satisfies readonly (keyof Commands<DefaultShape>)[];

export type SingleKeyCommand = (typeof SINGLE_KEY)[number];

/** The typed commands of a store that use one key, with the same arguments and results. */
export interface ShardedStore extends Pick<Commands<DefaultShape>, SingleKeyCommand> {
  /**
   * Sends one of these commands by its name. The first argument is its key.
   *
   * @example
   * await shards.store.send('STRLEN', 'key'); // 0
   */
  send(name: string, key: Argument, ...args: Argument[]): Promise<unknown>;
  /** Deletes a key. False if it does not exist. */
  del(key: Argument): Promise<boolean>;
  exists(key: Argument): Promise<boolean>;
}

/** Runs the commands of a sharded store. */
export type RunSharded = (
  command: WireCommand,
  args: readonly Argument[],
  transform: ReplyTransformer | undefined,
) => Promise<unknown>;

const DEL: WireCommand = { words: ['DEL'] };
const EXISTS: WireCommand = { words: ['EXISTS'] };

const NAMES: ReadonlySet<string> = new Set(SINGLE_KEY.map((name) => name.toUpperCase()));

/** Whether the first argument of a command is its only key. */
export function hasSingleKey(name: string): boolean {
  return NAMES.has(name);
}

/** A sharded store whose commands are run by this function. */
export function shardedCommands(run: RunSharded, send: ShardedStore['send']): ShardedStore {
  const runner: CommandRunner & { refuse(error: unknown): Promise<never> } = {
    run: (command, args, transform) => run(command, args, transform),
    refuse: (error) => Promise.reject(error),
  };
  const methods = commandMethods as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  const made: Record<string, unknown> = {
    send,
    del: async (key: Argument) => (await run(DEL, [key], undefined)) === 1,
    exists: async (key: Argument) => (await run(EXISTS, [key], undefined)) === 1,
  };
  for (const name of SINGLE_KEY) made[name] = methods[name]?.bind(runner);
  return made as unknown as ShardedStore;
}
