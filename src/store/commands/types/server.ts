/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape, Value } from '../../value.js';
import type { AtMostOne, ExactlyOne, OneOrMore, Pairs } from '../options.js';
import type {
  KeyAccess,
  LatencyEvent,
  LatencyHistogram,
  LatencySample,
  MemoryStats,
  ServerTime,
  SlowLogEntry,
} from '../server-replies.js';

export type BgsaveOptions = { readonly schedule?: boolean | undefined };
export type CommandListOptions = {
  readonly filterBy?: ExactlyOne<{ module: Argument; aclCat: Argument; pattern: Argument }> | undefined;
};
export type FlushallOptions = AtMostOne<{ async: boolean; sync: boolean }>;
export type FlushdbOptions = AtMostOne<{ async: boolean; sync: boolean }>;
export type LolwutOptions = { readonly version?: number | bigint | undefined };
export type MemoryUsageOptions = { readonly samples?: number | bigint | undefined };

/** Commands of the group server. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface ServerCommands<S extends Shape> {
  /**
   * Asynchronously rewrite the append-only file.
   *
   * Sends BGREWRITEAOF. O(1).
   *
   * @example
   * await store.bgrewriteaof(); // 'Background append only file rewriting started'
   */
  bgrewriteaof(): Outcome<S, string>;

  /**
   * Asynchronously save the dataset to disk.
   *
   * Sends BGSAVE. O(1).
   *
   * @example
   * await store.bgsave({ schedule: true }); // 'Background saving started'
   */
  bgsave(options?: BgsaveOptions): Outcome<S, string>;

  /**
   * Get total number of Redis commands.
   *
   * Sends COMMAND COUNT. O(1).
   *
   * @example
   * await store.commandCount();
   */
  commandCount(): Outcome<S, S['integer']>;

  /**
   * Get array of specific Redis command documentation.
   *
   * Sends COMMAND DOCS. O(N) where N is the number of commands to look up.
   *
   * @example
   * await store.commandDocs('get');
   */
  commandDocs(commandNames?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, Record<string, Value<S>>>;

  /**
   * Extract keys given a full Redis command.
   *
   * Sends COMMAND GETKEYS. O(N) where N is the number of arguments to the command.
   *
   * @example
   * await store.commandGetkeys('MSET', 'a', 1, 'b', 2); // ['a', 'b']
   */
  commandGetkeys(
    command: Argument,
    values: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, S['text'][]>;

  /**
   * Extract keys and access flags given a full Redis command.
   *
   * Sends COMMAND GETKEYSANDFLAGS. O(N) where N is the number of arguments to the command.
   *
   * @example
   * await store.commandGetkeysandflags('SET', 'a', 1); // [{ key: 'a', flags: ['OW', 'update'] }]
   */
  commandGetkeysandflags(
    command: Argument,
    values: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, KeyAccess<S>[]>;

  /**
   * Get array of specific Redis command details, or all when no argument is given.
   *
   * Sends COMMAND INFO. O(N) where N is the number of commands to look up.
   *
   * @example
   * await store.commandInfo('none'); // [null]
   */
  commandInfo(commandNames?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, Value<S>>;

  /**
   * Get an array of Redis command names.
   *
   * Sends COMMAND LIST. O(N) where N is the total number of Redis commands.
   *
   * @example
   * await store.commandList({ filterBy: { pattern: 'xre*group' } }); // ['xreadgroup']
   */
  commandList(options?: CommandListOptions): Outcome<S, string[]>;

  /**
   * Get the values of configuration parameters.
   *
   * Sends CONFIG GET. O(N) when N is the number of configuration parameters provided.
   *
   * @example
   * await store.configSet('maxmemory', 0);
   * await store.configGet('maxmemory'); // { maxmemory: '0' }
   */
  configGet(parameters: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, Record<string, string>>;

  /**
   * Reset the stats returned by INFO.
   *
   * Sends CONFIG RESETSTAT. O(1).
   *
   * @example
   * await store.configResetstat(); // 'OK'
   */
  configResetstat(): Outcome<S, 'OK'>;

  /**
   * Rewrite the configuration file with the in memory configuration.
   *
   * Sends CONFIG REWRITE. O(1).
   *
   * @example
   * await store.configRewrite(); // 'OK'
   */
  configRewrite(): Outcome<S, 'OK'>;

  /**
   * Set configuration parameters to the given values.
   *
   * Sends CONFIG SET. O(N) when N is the number of configuration parameters provided.
   *
   * @example
   * await store.configSet({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' }); // 'OK'
   */
  configSet(parameter: Argument, value: Argument): Outcome<S, 'OK'>;
  /** Set configuration parameters to the given values. */
  configSet(parameters: Pairs): Outcome<S, 'OK'>;

  /**
   * Return the number of keys in the selected database.
   *
   * Sends DBSIZE. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.dbsize(); // 1
   */
  dbsize(): Outcome<S, S['integer']>;

  /**
   * Remove all keys from all databases.
   *
   * Sends FLUSHALL. O(N) where N is the total number of keys in all databases.
   *
   * @example
   * await store.flushall({ async: true }); // 'OK'
   */
  flushall(options?: FlushallOptions): Outcome<S, 'OK'>;

  /**
   * Remove all keys from the current database.
   *
   * Sends FLUSHDB. O(N) where N is the number of keys in the selected database.
   *
   * @example
   * await store.flushdb(); // 'OK'
   */
  flushdb(options?: FlushdbOptions): Outcome<S, 'OK'>;

  /**
   * Get information and statistics about the server.
   *
   * Sends INFO. O(1).
   *
   * @example
   * await store.info('server');
   */
  info(sections?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, Record<string, string>>;

  /**
   * Get the UNIX time stamp of the last successful save to disk.
   *
   * Sends LASTSAVE. O(1).
   *
   * @example
   * await store.lastsave();
   */
  lastsave(): Outcome<S, S['integer']>;

  /**
   * Return a human readable latency analysis report.
   *
   * Sends LATENCY DOCTOR. O(1).
   *
   * @example
   * await store.latencyDoctor();
   */
  latencyDoctor(): Outcome<S, string>;

  /**
   * Return a latency graph for the event.
   *
   * Sends LATENCY GRAPH. O(1).
   *
   * @example
   * await store.latencyGraph('command');
   */
  latencyGraph(event: Argument): Outcome<S, string>;

  /**
   * Return the cumulative distribution of latencies of a subset of commands or all.
   *
   * Sends LATENCY HISTOGRAM. O(N) where N is the number of commands with latency information being retrieved.
   *
   * @example
   * await store.configResetstat();
   * await store.get('greeting');
   * await store.latencyHistogram('get');
   */
  latencyHistogram(
    commands?: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, Record<string, LatencyHistogram>>;

  /**
   * Return timestamp-latency samples for the event.
   *
   * Sends LATENCY HISTORY. O(1).
   *
   * @example
   * await store.latencyHistory('command'); // []
   */
  latencyHistory(event: Argument): Outcome<S, LatencySample<S>[]>;

  /**
   * Return the latest latency samples for all events.
   *
   * Sends LATENCY LATEST. O(1).
   *
   * @example
   * await store.latencyLatest(); // []
   */
  latencyLatest(): Outcome<S, LatencyEvent<S>[]>;

  /**
   * Reset latency data for one or more events.
   *
   * Sends LATENCY RESET. O(1).
   *
   * @example
   * await store.latencyReset('command'); // 0
   */
  latencyReset(events?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Display some computer art and the Redis version.
   *
   * Sends LOLWUT.
   *
   * @example
   * await store.lolwut();
   */
  lolwut(options?: LolwutOptions): Outcome<S, string>;

  /**
   * Outputs memory problems report.
   *
   * Sends MEMORY DOCTOR. O(1).
   *
   * @example
   * await store.memoryDoctor();
   */
  memoryDoctor(): Outcome<S, string>;

  /**
   * Show allocator internal stats.
   *
   * Sends MEMORY MALLOC-STATS. Depends on how much memory is allocated, could be slow.
   *
   * @example
   * await store.memoryMallocStats();
   */
  memoryMallocStats(): Outcome<S, string>;

  /**
   * Ask the allocator to release memory.
   *
   * Sends MEMORY PURGE. Depends on how much memory is allocated, could be slow.
   *
   * @example
   * await store.memoryPurge(); // 'OK'
   */
  memoryPurge(): Outcome<S, 'OK'>;

  /**
   * Show memory usage details.
   *
   * Sends MEMORY STATS. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.memoryStats();
   */
  memoryStats(): Outcome<S, MemoryStats>;

  /**
   * Estimate the memory usage of a key.
   *
   * Sends MEMORY USAGE. O(N) where N is the number of samples.
   *
   * @example
   * await store.memoryUsage('none', { samples: 5 }); // null
   */
  memoryUsage(key: Argument, options?: MemoryUsageOptions): Outcome<S, S['integer'] | null>;

  /**
   * Return the role of the instance in the context of replication.
   *
   * Sends ROLE. O(1).
   *
   * @example
   * await store.role(); // ['master', 0, []]
   */
  role(): Outcome<S, Value<S>>;

  /**
   * Synchronously save the dataset to disk.
   *
   * Sends SAVE. O(N) where N is the total number of keys in all databases.
   *
   * @example
   * await store.save(); // 'OK'
   */
  save(): Outcome<S, 'OK'>;

  /**
   * Get the slow log's entries.
   *
   * Sends SLOWLOG GET. O(N) where N is the number of entries returned.
   *
   * @example
   * await store.configSet('slowlog-log-slower-than', -1);
   * await store.slowlogReset();
   * await store.slowlogGet(5); // []
   */
  slowlogGet(count?: number | bigint): Outcome<S, SlowLogEntry<S>[]>;

  /**
   * Get the slow log's length.
   *
   * Sends SLOWLOG LEN. O(1).
   *
   * @example
   * await store.configSet('slowlog-log-slower-than', -1);
   * await store.slowlogReset();
   * await store.slowlogLen(); // 0
   */
  slowlogLen(): Outcome<S, S['integer']>;

  /**
   * Clear all entries from the slow log.
   *
   * Sends SLOWLOG RESET. O(N) where N is the number of entries in the slowlog.
   *
   * @example
   * await store.slowlogReset(); // 'OK'
   */
  slowlogReset(): Outcome<S, 'OK'>;

  /**
   * Swaps two Redis databases.
   *
   * Sends SWAPDB. O(N) where N is the count of clients watching or blocking on keys from both databases.
   *
   * @example
   * await store.swapdb(0, 1); // 'OK'
   */
  swapdb(index1: number | bigint, index2: number | bigint): Outcome<S, 'OK'>;

  /**
   * Return the current server time.
   *
   * Sends TIME. O(1).
   *
   * @example
   * await store.serverTime(); // { date: new Date(1_700_000_000_123), microseconds: 1_700_000_000_123_000 }
   */
  serverTime(): Outcome<S, ServerTime>;
}
