/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Pairs, Runner } from '../options.js';
import { append, appendPairs, isInvalid, isList, refuse } from '../options.js';
import { info, list, ok, record, word, wordRecord, words } from '../replies.js';
import {
  keyAccesses,
  latencyEvents,
  latencyHistograms,
  latencyHistory,
  memoryStats,
  serverTime,
  slowLog,
} from '../server-replies.js';
import type {
  BgsaveOptions,
  CommandListOptions,
  FlushallOptions,
  FlushdbOptions,
  LolwutOptions,
  MemoryUsageOptions,
  ServerCommands,
} from '../types/server.js';

const BGREWRITEAOF: WireCommand = { words: ['BGREWRITEAOF'], blocks: false };
const BGSAVE: WireCommand = { words: ['BGSAVE'], blocks: false };
const BGSAVE_OPTIONS = ['schedule'];
const COMMAND_COUNT: WireCommand = { words: ['COMMAND', 'COUNT'], blocks: false };
const COMMAND_DOCS: WireCommand = { words: ['COMMAND', 'DOCS'], blocks: false };
const COMMAND_GETKEYS: WireCommand = { words: ['COMMAND', 'GETKEYS'], blocks: false };
const COMMAND_GETKEYSANDFLAGS: WireCommand = { words: ['COMMAND', 'GETKEYSANDFLAGS'], blocks: false };
const COMMAND_INFO: WireCommand = { words: ['COMMAND', 'INFO'], blocks: false };
const COMMAND_LIST: WireCommand = { words: ['COMMAND', 'LIST'], blocks: false };
const COMMAND_LIST_OPTIONS = ['filterBy'];
const CONFIG_GET: WireCommand = { words: ['CONFIG', 'GET'], blocks: false };
const CONFIG_RESETSTAT: WireCommand = { words: ['CONFIG', 'RESETSTAT'], blocks: false };
const CONFIG_REWRITE: WireCommand = { words: ['CONFIG', 'REWRITE'], blocks: false };
const CONFIG_SET: WireCommand = { words: ['CONFIG', 'SET'], blocks: false };
const DBSIZE: WireCommand = { words: ['DBSIZE'], blocks: false };
const FLUSHALL: WireCommand = { words: ['FLUSHALL'], blocks: false };
const FLUSHALL_OPTIONS = ['async', 'sync'];
const FLUSHDB: WireCommand = { words: ['FLUSHDB'], blocks: false };
const FLUSHDB_OPTIONS = ['async', 'sync'];
const INFO: WireCommand = { words: ['INFO'], blocks: false };
const LASTSAVE: WireCommand = { words: ['LASTSAVE'], blocks: false };
const LATENCY_DOCTOR: WireCommand = { words: ['LATENCY', 'DOCTOR'], blocks: false };
const LATENCY_GRAPH: WireCommand = { words: ['LATENCY', 'GRAPH'], blocks: false };
const LATENCY_HISTOGRAM: WireCommand = { words: ['LATENCY', 'HISTOGRAM'], blocks: false };
const LATENCY_HISTORY: WireCommand = { words: ['LATENCY', 'HISTORY'], blocks: false };
const LATENCY_LATEST: WireCommand = { words: ['LATENCY', 'LATEST'], blocks: false };
const LATENCY_RESET: WireCommand = { words: ['LATENCY', 'RESET'], blocks: false };
const LOLWUT: WireCommand = { words: ['LOLWUT'], blocks: false };
const LOLWUT_OPTIONS = ['version'];
const MEMORY_DOCTOR: WireCommand = { words: ['MEMORY', 'DOCTOR'], blocks: false };
const MEMORY_MALLOC_STATS: WireCommand = { words: ['MEMORY', 'MALLOC-STATS'], blocks: false };
const MEMORY_PURGE: WireCommand = { words: ['MEMORY', 'PURGE'], blocks: false };
const MEMORY_STATS: WireCommand = { words: ['MEMORY', 'STATS'], blocks: false };
const MEMORY_USAGE: WireCommand = { words: ['MEMORY', 'USAGE'], blocks: false };
const MEMORY_USAGE_OPTIONS = ['samples'];
const ROLE: WireCommand = { words: ['ROLE'], blocks: false };
const SAVE: WireCommand = { words: ['SAVE'], blocks: false };
const SLOWLOG_GET: WireCommand = { words: ['SLOWLOG', 'GET'], blocks: false };
const SLOWLOG_LEN: WireCommand = { words: ['SLOWLOG', 'LEN'], blocks: false };
const SLOWLOG_RESET: WireCommand = { words: ['SLOWLOG', 'RESET'], blocks: false };
const SWAPDB: WireCommand = { words: ['SWAPDB'], blocks: false };
const TIME: WireCommand = { words: ['TIME'], blocks: false };

export const serverMethods = {
  bgrewriteaof(this: Runner): unknown {
    return this.run(BGREWRITEAOF, [], word);
  },

  bgsave(this: Runner, options?: BgsaveOptions): unknown {
    if (options === undefined) return this.run(BGSAVE, [], word);
    if (isInvalid(options, BGSAVE_OPTIONS)) return refuse(this, 'bgsave', options, BGSAVE_OPTIONS);
    const args: Argument[] = [];
    if (options.schedule) args.push('SCHEDULE');
    return this.run(BGSAVE, args, word);
  },

  commandCount(this: Runner): unknown {
    return this.run(COMMAND_COUNT, []);
  },

  commandDocs(this: Runner, commandNames?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (commandNames === undefined) return this.run(COMMAND_DOCS, [], record);
    const args: Argument[] = [];
    if (commandNames !== undefined) append(args, commandNames, more);
    return this.run(COMMAND_DOCS, args, record);
  },

  commandGetkeys(this: Runner, command: Argument, values: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(values)) return this.run(COMMAND_GETKEYS, [command, values], list);
    const args: Argument[] = [command];
    append(args, values, more);
    return this.run(COMMAND_GETKEYS, args, list);
  },

  commandGetkeysandflags(
    this: Runner,
    command: Argument,
    values: OneOrMore<Argument>,
    ...more: Argument[]
  ): unknown {
    if (more.length === 0 && !isList(values))
      return this.run(COMMAND_GETKEYSANDFLAGS, [command, values], keyAccesses);
    const args: Argument[] = [command];
    append(args, values, more);
    return this.run(COMMAND_GETKEYSANDFLAGS, args, keyAccesses);
  },

  commandInfo(this: Runner, commandNames?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (commandNames === undefined) return this.run(COMMAND_INFO, []);
    const args: Argument[] = [];
    if (commandNames !== undefined) append(args, commandNames, more);
    return this.run(COMMAND_INFO, args);
  },

  commandList(this: Runner, options?: CommandListOptions): unknown {
    if (options === undefined) return this.run(COMMAND_LIST, [], words);
    if (isInvalid(options, COMMAND_LIST_OPTIONS))
      return refuse(this, 'commandList', options, COMMAND_LIST_OPTIONS);
    const args: Argument[] = [];
    if (options.filterBy !== undefined) {
      if (isInvalid(options.filterBy, ['module', 'aclCat', 'pattern']))
        return refuse(this, 'filterBy', options.filterBy, ['module', 'aclCat', 'pattern']);
      args.push('FILTERBY');
      if (options.filterBy.module !== undefined) args.push('MODULE', options.filterBy.module);
      if (options.filterBy.aclCat !== undefined) args.push('ACLCAT', options.filterBy.aclCat);
      if (options.filterBy.pattern !== undefined) args.push('PATTERN', options.filterBy.pattern);
    }
    return this.run(COMMAND_LIST, args, words);
  },

  configGet(this: Runner, parameters: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(parameters)) return this.run(CONFIG_GET, [parameters], wordRecord);
    const args: Argument[] = [];
    append(args, parameters, more);
    return this.run(CONFIG_GET, args, wordRecord);
  },

  configResetstat(this: Runner): unknown {
    return this.run(CONFIG_RESETSTAT, [], ok);
  },

  configRewrite(this: Runner): unknown {
    return this.run(CONFIG_REWRITE, [], ok);
  },

  configSet(this: Runner, parameter: Argument | Pairs, value?: Argument): unknown {
    if (value !== undefined) return this.run(CONFIG_SET, [parameter as Argument, value], ok);
    const args: Argument[] = [];
    appendPairs(args, parameter as Pairs);
    return this.run(CONFIG_SET, args, ok);
  },

  dbsize(this: Runner): unknown {
    return this.run(DBSIZE, []);
  },

  flushall(this: Runner, options?: FlushallOptions): unknown {
    if (options === undefined) return this.run(FLUSHALL, [], ok);
    if (isInvalid(options, FLUSHALL_OPTIONS)) return refuse(this, 'flushall', options, FLUSHALL_OPTIONS);
    const args: Argument[] = [];
    if (options.async) args.push('ASYNC');
    if (options.sync) args.push('SYNC');
    return this.run(FLUSHALL, args, ok);
  },

  flushdb(this: Runner, options?: FlushdbOptions): unknown {
    if (options === undefined) return this.run(FLUSHDB, [], ok);
    if (isInvalid(options, FLUSHDB_OPTIONS)) return refuse(this, 'flushdb', options, FLUSHDB_OPTIONS);
    const args: Argument[] = [];
    if (options.async) args.push('ASYNC');
    if (options.sync) args.push('SYNC');
    return this.run(FLUSHDB, args, ok);
  },

  info(this: Runner, sections?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (sections === undefined) return this.run(INFO, [], info);
    const args: Argument[] = [];
    if (sections !== undefined) append(args, sections, more);
    return this.run(INFO, args, info);
  },

  lastsave(this: Runner): unknown {
    return this.run(LASTSAVE, []);
  },

  latencyDoctor(this: Runner): unknown {
    return this.run(LATENCY_DOCTOR, [], word);
  },

  latencyGraph(this: Runner, event: Argument): unknown {
    return this.run(LATENCY_GRAPH, [event], word);
  },

  latencyHistogram(this: Runner, commands?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (commands === undefined) return this.run(LATENCY_HISTOGRAM, [], latencyHistograms);
    const args: Argument[] = [];
    if (commands !== undefined) append(args, commands, more);
    return this.run(LATENCY_HISTOGRAM, args, latencyHistograms);
  },

  latencyHistory(this: Runner, event: Argument): unknown {
    return this.run(LATENCY_HISTORY, [event], latencyHistory);
  },

  latencyLatest(this: Runner): unknown {
    return this.run(LATENCY_LATEST, [], latencyEvents);
  },

  latencyReset(this: Runner, events?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (events === undefined) return this.run(LATENCY_RESET, []);
    const args: Argument[] = [];
    if (events !== undefined) append(args, events, more);
    return this.run(LATENCY_RESET, args);
  },

  lolwut(this: Runner, options?: LolwutOptions): unknown {
    if (options === undefined) return this.run(LOLWUT, [], word);
    if (isInvalid(options, LOLWUT_OPTIONS)) return refuse(this, 'lolwut', options, LOLWUT_OPTIONS);
    const args: Argument[] = [];
    if (options.version !== undefined) args.push('VERSION', options.version);
    return this.run(LOLWUT, args, word);
  },

  memoryDoctor(this: Runner): unknown {
    return this.run(MEMORY_DOCTOR, [], word);
  },

  memoryMallocStats(this: Runner): unknown {
    return this.run(MEMORY_MALLOC_STATS, [], word);
  },

  memoryPurge(this: Runner): unknown {
    return this.run(MEMORY_PURGE, [], ok);
  },

  memoryStats(this: Runner): unknown {
    return this.run(MEMORY_STATS, [], memoryStats);
  },

  memoryUsage(this: Runner, key: Argument, options?: MemoryUsageOptions): unknown {
    if (options === undefined) return this.run(MEMORY_USAGE, [key]);
    if (isInvalid(options, MEMORY_USAGE_OPTIONS))
      return refuse(this, 'memoryUsage', options, MEMORY_USAGE_OPTIONS);
    const args: Argument[] = [key];
    if (options.samples !== undefined) args.push('SAMPLES', options.samples);
    return this.run(MEMORY_USAGE, args);
  },

  role(this: Runner): unknown {
    return this.run(ROLE, []);
  },

  save(this: Runner): unknown {
    return this.run(SAVE, [], ok);
  },

  slowlogGet(this: Runner, count?: number | bigint): unknown {
    if (count === undefined) return this.run(SLOWLOG_GET, [], slowLog);
    return this.run(SLOWLOG_GET, [count], slowLog);
  },

  slowlogLen(this: Runner): unknown {
    return this.run(SLOWLOG_LEN, []);
  },

  slowlogReset(this: Runner): unknown {
    return this.run(SLOWLOG_RESET, [], ok);
  },

  swapdb(this: Runner, index1: number | bigint, index2: number | bigint): unknown {
    return this.run(SWAPDB, [index1, index2], ok);
  },

  serverTime(this: Runner): unknown {
    return this.run(TIME, [], serverTime);
  },
} satisfies Methods<ServerCommands<Shape>>;
