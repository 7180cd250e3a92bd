/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Pairs, Runner } from '../options.js';
import {
  append,
  appendPairs,
  appendTrim,
  appendUnzipped,
  hasBlockOption,
  isInvalid,
  isList,
  refuse,
} from '../options.js';
import { boolean, nullableWord, ok, word, words } from '../replies.js';
import {
  claimed,
  claimedIds,
  consumerInfos,
  fullStreamInfo,
  groupInfos,
  groupStreamsRead,
  pendingDeliveries,
  pendingSummary,
  streamEntries,
  streamInfo,
  streamsRead,
} from '../stream-replies.js';
import type {
  StreamCommands,
  XaddOptions,
  XautoclaimOptions,
  XclaimOptions,
  XgroupCreateOptions,
  XgroupSetidOptions,
  XinfoStreamOptions,
  XpendingOptions,
  XrangeOptions,
  XreadgroupOptions,
  XreadOptions,
  XrevrangeOptions,
  XsetidOptions,
  XtrimOptions,
} from '../types/stream.js';

const XACK: WireCommand = { words: ['XACK'], blocks: false };
const XADD: WireCommand = { words: ['XADD'], blocks: false };
const XADD_OPTIONS = ['noMkStream', 'maxLen', 'minId', 'approximate', 'limit'];
const XAUTOCLAIM: WireCommand = { words: ['XAUTOCLAIM'], blocks: false };
const XAUTOCLAIM_OPTIONS = ['count', 'justId'];
const XCLAIM: WireCommand = { words: ['XCLAIM'], blocks: false };
const XCLAIM_OPTIONS = ['idle', 'time', 'retryCount', 'force', 'justId', 'lastId'];
const XDEL: WireCommand = { words: ['XDEL'], blocks: false };
const XGROUP_CREATE: WireCommand = { words: ['XGROUP', 'CREATE'], blocks: false };
const XGROUP_CREATE_OPTIONS = ['mkStream', 'entriesRead'];
const XGROUP_CREATECONSUMER: WireCommand = { words: ['XGROUP', 'CREATECONSUMER'], blocks: false };
const XGROUP_DELCONSUMER: WireCommand = { words: ['XGROUP', 'DELCONSUMER'], blocks: false };
const XGROUP_DESTROY: WireCommand = { words: ['XGROUP', 'DESTROY'], blocks: false };
const XGROUP_SETID: WireCommand = { words: ['XGROUP', 'SETID'], blocks: false };
const XGROUP_SETID_OPTIONS = ['entriesRead'];
const XINFO_CONSUMERS: WireCommand = { words: ['XINFO', 'CONSUMERS'], blocks: false };
const XINFO_GROUPS: WireCommand = { words: ['XINFO', 'GROUPS'], blocks: false };
const XINFO_STREAM: WireCommand = { words: ['XINFO', 'STREAM'], blocks: false };
const XINFO_STREAM_OPTIONS = ['full'];
const XLEN: WireCommand = { words: ['XLEN'], blocks: false };
const XPENDING: WireCommand = { words: ['XPENDING'], blocks: false };
const XPENDING_OPTIONS = ['idle', 'start', 'end', 'count', 'consumer'];
const XRANGE: WireCommand = { words: ['XRANGE'], blocks: false };
const XRANGE_OPTIONS = ['count'];
const XREAD: WireCommand = { words: ['XREAD'], blocks: hasBlockOption };
const XREAD_OPTIONS = ['count', 'block'];
const XREADGROUP: WireCommand = { words: ['XREADGROUP'], blocks: hasBlockOption };
const XREADGROUP_OPTIONS = ['count', 'block', 'noAck'];
const XREVRANGE: WireCommand = { words: ['XREVRANGE'], blocks: false };
const XREVRANGE_OPTIONS = ['count'];
const XSETID: WireCommand = { words: ['XSETID'], blocks: false };
const XSETID_OPTIONS = ['entriesAdded', 'maxDeletedId'];
const XTRIM: WireCommand = { words: ['XTRIM'], blocks: false };
const XTRIM_OPTIONS = ['maxLen', 'minId', 'approximate', 'limit'];

export const streamMethods = {
  xack(this: Runner, key: Argument, group: Argument, ids: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(ids)) return this.run(XACK, [key, group, ids]);
    const args: Argument[] = [key, group];
    append(args, ids, more);
    return this.run(XACK, args);
  },

  xadd(this: Runner, key: Argument, id: Argument, fields: Pairs, options?: XaddOptions): unknown {
    if (options !== undefined && isInvalid(options, XADD_OPTIONS))
      return refuse(this, 'xadd', options, XADD_OPTIONS);
    const args: Argument[] = [key];
    if (options !== undefined) {
      if (options.noMkStream) args.push('NOMKSTREAM');
      appendTrim(args, options);
    }
    args.push(id);
    appendPairs(args, fields);
    return this.run(XADD, args, options?.noMkStream ? nullableWord : word);
  },

  xautoclaim(
    this: Runner,
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    start: Argument,
    options?: XautoclaimOptions,
  ): unknown {
    if (options === undefined)
      return this.run(XAUTOCLAIM, [key, group, consumer, minIdleTime, start], claimed);
    if (isInvalid(options, XAUTOCLAIM_OPTIONS))
      return refuse(this, 'xautoclaim', options, XAUTOCLAIM_OPTIONS);
    const args: Argument[] = [key, group, consumer, minIdleTime, start];
    if (options.count !== undefined) args.push('COUNT', options.count);
    if (options.justId) args.push('JUSTID');
    return this.run(XAUTOCLAIM, args, options.justId ? claimedIds : claimed);
  },

  xclaim(
    this: Runner,
    key: Argument,
    group: Argument,
    consumer: Argument,
    minIdleTime: Argument,
    ids: OneOrMore<Argument>,
    options?: XclaimOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, XCLAIM_OPTIONS))
      return refuse(this, 'xclaim', options, XCLAIM_OPTIONS);
    const args: Argument[] = [key, group, consumer, minIdleTime];
    append(args, ids);
    if (options !== undefined) {
      if (options.idle !== undefined) args.push('IDLE', options.idle);
      if (options.time !== undefined) args.push('TIME', options.time);
      if (options.retryCount !== undefined) args.push('RETRYCOUNT', options.retryCount);
      if (options.force) args.push('FORCE');
      if (options.justId) args.push('JUSTID');
      if (options.lastId !== undefined) args.push('LASTID', options.lastId);
    }
    return this.run(XCLAIM, args, options?.justId ? words : streamEntries);
  },

  xdel(this: Runner, key: Argument, ids: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(ids)) return this.run(XDEL, [key, ids]);
    const args: Argument[] = [key];
    append(args, ids, more);
    return this.run(XDEL, args);
  },

  xgroupCreate(
    this: Runner,
    key: Argument,
    groupname: Argument,
    id: Argument,
    options?: XgroupCreateOptions,
  ): unknown {
    if (options === undefined) return this.run(XGROUP_CREATE, [key, groupname, id], ok);
    if (isInvalid(options, XGROUP_CREATE_OPTIONS))
      return refuse(this, 'xgroupCreate', options, XGROUP_CREATE_OPTIONS);
    const args: Argument[] = [key, groupname, id];
    if (options.mkStream) args.push('MKSTREAM');
    if (options.entriesRead !== undefined) args.push('ENTRIESREAD', options.entriesRead);
    return this.run(XGROUP_CREATE, args, ok);
  },

  xgroupCreateconsumer(this: Runner, key: Argument, groupname: Argument, consumername: Argument): unknown {
    return this.run(XGROUP_CREATECONSUMER, [key, groupname, consumername], boolean);
  },

  xgroupDelconsumer(this: Runner, key: Argument, groupname: Argument, consumername: Argument): unknown {
    return this.run(XGROUP_DELCONSUMER, [key, groupname, consumername]);
  },

  xgroupDestroy(this: Runner, key: Argument, groupname: Argument): unknown {
    return this.run(XGROUP_DESTROY, [key, groupname], boolean);
  },

  xgroupSetid(
    this: Runner,
    key: Argument,
    groupname: Argument,
    id: Argument,
    options?: XgroupSetidOptions,
  ): unknown {
    if (options === undefined) return this.run(XGROUP_SETID, [key, groupname, id], ok);
    if (isInvalid(options, XGROUP_SETID_OPTIONS))
      return refuse(this, 'xgroupSetid', options, XGROUP_SETID_OPTIONS);
    const args: Argument[] = [key, groupname, id];
    if (options.entriesRead !== undefined) args.push('ENTRIESREAD', options.entriesRead);
    return this.run(XGROUP_SETID, args, ok);
  },

  xinfoConsumers(this: Runner, key: Argument, groupname: Argument): unknown {
    return this.run(XINFO_CONSUMERS, [key, groupname], consumerInfos);
  },

  xinfoGroups(this: Runner, key: Argument): unknown {
    return this.run(XINFO_GROUPS, [key], groupInfos);
  },

  xinfoStream(this: Runner, key: Argument, options?: XinfoStreamOptions): unknown {
    if (options === undefined) return this.run(XINFO_STREAM, [key], streamInfo);
    if (isInvalid(options, XINFO_STREAM_OPTIONS))
      return refuse(this, 'xinfoStream', options, XINFO_STREAM_OPTIONS);
    const args: Argument[] = [key];
    if (options.full) {
      args.push('FULL');
      if (typeof options.full === 'object') {
        if (isInvalid(options.full, ['count'])) return refuse(this, 'full', options.full, ['count']);
        if (options.full.count !== undefined) args.push('COUNT', options.full.count);
      }
    }
    return this.run(XINFO_STREAM, args, options.full ? fullStreamInfo : streamInfo);
  },

  xlen(this: Runner, key: Argument): unknown {
    return this.run(XLEN, [key]);
  },

  xpending(this: Runner, key: Argument, group: Argument, options?: XpendingOptions): unknown {
    if (options === undefined) return this.run(XPENDING, [key, group], pendingSummary);
    if (isInvalid(options, XPENDING_OPTIONS)) return refuse(this, 'xpending', options, XPENDING_OPTIONS);
    const args: Argument[] = [key, group];
    if (options.idle !== undefined) args.push('IDLE', options.idle);
    args.push(options.start, options.end, options.count);
    if (options.consumer !== undefined) args.push(options.consumer);
    return this.run(XPENDING, args, options !== undefined ? pendingDeliveries : pendingSummary);
  },

  xrange(this: Runner, key: Argument, start: Argument, end: Argument, options?: XrangeOptions): unknown {
    if (options === undefined) return this.run(XRANGE, [key, start, end], streamEntries);
    if (isInvalid(options, XRANGE_OPTIONS)) return refuse(this, 'xrange', options, XRANGE_OPTIONS);
    const args: Argument[] = [key, start, end];
    if (options.count !== undefined) args.push('COUNT', options.count);
    return this.run(XRANGE, args, streamEntries);
  },

  xread(this: Runner, streams: Pairs, options?: XreadOptions): unknown {
    if (options !== undefined && isInvalid(options, XREAD_OPTIONS))
      return refuse(this, 'xread', options, XREAD_OPTIONS);
    const args: Argument[] = [];
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.block !== undefined) args.push('BLOCK', options.block);
    }
    args.push('STREAMS');
    appendUnzipped(args, streams);
    return this.run(XREAD, args, streamsRead);
  },

  xreadgroup(
    this: Runner,
    group: Argument,
    consumer: Argument,
    streams: Pairs,
    options?: XreadgroupOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, XREADGROUP_OPTIONS))
      return refuse(this, 'xreadgroup', options, XREADGROUP_OPTIONS);
    const args: Argument[] = ['GROUP', group, consumer];
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.block !== undefined) args.push('BLOCK', options.block);
      if (options.noAck) args.push('NOACK');
    }
    args.push('STREAMS');
    appendUnzipped(args, streams);
    return this.run(XREADGROUP, args, groupStreamsRead);
  },

  xrevrange(
    this: Runner,
    key: Argument,
    end: Argument,
    start: Argument,
    options?: XrevrangeOptions,
  ): unknown {
    if (options === undefined) return this.run(XREVRANGE, [key, end, start], streamEntries);
    if (isInvalid(options, XREVRANGE_OPTIONS)) return refuse(this, 'xrevrange', options, XREVRANGE_OPTIONS);
    const args: Argument[] = [key, end, start];
    if (options.count !== undefined) args.push('COUNT', options.count);
    return this.run(XREVRANGE, args, streamEntries);
  },

  xsetid(this: Runner, key: Argument, lastId: Argument, options?: XsetidOptions): unknown {
    if (options === undefined) return this.run(XSETID, [key, lastId], ok);
    if (isInvalid(options, XSETID_OPTIONS)) return refuse(this, 'xsetid', options, XSETID_OPTIONS);
    const args: Argument[] = [key, lastId];
    if (options.entriesAdded !== undefined) args.push('ENTRIESADDED', options.entriesAdded);
    if (options.maxDeletedId !== undefined) args.push('MAXDELETEDID', options.maxDeletedId);
    return this.run(XSETID, args, ok);
  },

  xtrim(this: Runner, key: Argument, options: XtrimOptions): unknown {
    if (isInvalid(options, XTRIM_OPTIONS)) return refuse(this, 'xtrim', options, XTRIM_OPTIONS);
    const args: Argument[] = [key];
    appendTrim(args, options);
    return this.run(XTRIM, args);
  },
} satisfies Methods<StreamCommands<Shape>>;
