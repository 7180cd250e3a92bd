/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { AnyCase, Methods, OneOrMore, Runner } from '../options.js';
import { append, appendCounted, isInvalid, isList, refuse } from '../options.js';
import {
  double,
  list,
  nullableDouble,
  nullableDoubles,
  nullableScore,
  poppedMember,
  poppedMembers,
  scores,
} from '../replies.js';
import type {
  BzmpopOptions,
  SortedSetCommands,
  ZaddOptions,
  ZdiffOptions,
  ZintercardOptions,
  ZinterOptions,
  ZinterstoreOptions,
  ZmpopOptions,
  ZrandmemberOptions,
  ZrangebylexOptions,
  ZrangebyscoreOptions,
  ZrangeOptions,
  ZrangestoreOptions,
  ZrevrangebylexOptions,
  ZrevrangebyscoreOptions,
  ZrevrangeOptions,
  ZunionOptions,
  ZunionstoreOptions,
} from '../types/sorted-set.js';

const BZMPOP: WireCommand = { words: ['BZMPOP'], blocks: true };
const BZMPOP_OPTIONS = ['count'];
const BZPOPMAX: WireCommand = { words: ['BZPOPMAX'], blocks: true };
const BZPOPMIN: WireCommand = { words: ['BZPOPMIN'], blocks: true };
const ZADD: WireCommand = { words: ['ZADD'], blocks: false };
const ZADD_OPTIONS = ['nx', 'xx', 'gt', 'lt', 'ch', 'incr'];
const ZCARD: WireCommand = { words: ['ZCARD'], blocks: false };
const ZCOUNT: WireCommand = { words: ['ZCOUNT'], blocks: false };
const ZDIFF: WireCommand = { words: ['ZDIFF'], blocks: false };
const ZDIFF_OPTIONS = ['withScores'];
const ZDIFFSTORE: WireCommand = { words: ['ZDIFFSTORE'], blocks: false };
const ZINCRBY: WireCommand = { words: ['ZINCRBY'], blocks: false };
const ZINTER: WireCommand = { words: ['ZINTER'], blocks: false };
const ZINTER_OPTIONS = ['weights', 'aggregate', 'withScores'];
const ZINTERCARD: WireCommand = { words: ['ZINTERCARD'], blocks: false };
const ZINTERCARD_OPTIONS = ['limit'];
const ZINTERSTORE: WireCommand = { words: ['ZINTERSTORE'], blocks: false };
const ZINTERSTORE_OPTIONS = ['weights', 'aggregate'];
const ZLEXCOUNT: WireCommand = { words: ['ZLEXCOUNT'], blocks: false };
const ZMPOP: WireCommand = { words: ['ZMPOP'], blocks: false };
const ZMPOP_OPTIONS = ['count'];
const ZMSCORE: WireCommand = { words: ['ZMSCORE'], blocks: false };
const ZPOPMAX: WireCommand = { words: ['ZPOPMAX'], blocks: false };
const ZPOPMIN: WireCommand = { words: ['ZPOPMIN'], blocks: false };
const ZRANDMEMBER: WireCommand = { words: ['ZRANDMEMBER'], blocks: false };
const ZRANDMEMBER_OPTIONS = ['withScores'];
const ZRANGE: WireCommand = { words: ['ZRANGE'], blocks: false };
const ZRANGE_OPTIONS = ['byScore', 'byLex', 'rev', 'limit', 'withScores'];
const ZRANGEBYLEX: WireCommand = { words: ['ZRANGEBYLEX'], blocks: false };
const ZRANGEBYLEX_OPTIONS = ['limit'];
const ZRANGEBYSCORE: WireCommand = { words: ['ZRANGEBYSCORE'], blocks: false };
const ZRANGEBYSCORE_OPTIONS = ['withScores', 'limit'];
const ZRANGESTORE: WireCommand = { words: ['ZRANGESTORE'], blocks: false };
const ZRANGESTORE_OPTIONS = ['byScore', 'byLex', 'rev', 'limit'];
const ZRANK: WireCommand = { words: ['ZRANK'], blocks: false };
const ZREM: WireCommand = { words: ['ZREM'], blocks: false };
const ZREMRANGEBYLEX: WireCommand = { words: ['ZREMRANGEBYLEX'], blocks: false };
const ZREMRANGEBYRANK: WireCommand = { words: ['ZREMRANGEBYRANK'], blocks: false };
const ZREMRANGEBYSCORE: WireCommand = { words: ['ZREMRANGEBYSCORE'], blocks: false };
const ZREVRANGE: WireCommand = { words: ['ZREVRANGE'], blocks: false };
const ZREVRANGE_OPTIONS = ['withScores'];
const ZREVRANGEBYLEX: WireCommand = { words: ['ZREVRANGEBYLEX'], blocks: false };
const ZREVRANGEBYLEX_OPTIONS = ['limit'];
const ZREVRANGEBYSCORE: WireCommand = { words: ['ZREVRANGEBYSCORE'], blocks: false };
const ZREVRANGEBYSCORE_OPTIONS = ['withScores', 'limit'];
const ZREVRANK: WireCommand = { words: ['ZREVRANK'], blocks: false };
const ZSCORE: WireCommand = { words: ['ZSCORE'], blocks: false };
const ZUNION: WireCommand = { words: ['ZUNION'], blocks: false };
const ZUNION_OPTIONS = ['weights', 'aggregate', 'withScores'];
const ZUNIONSTORE: WireCommand = { words: ['ZUNIONSTORE'], blocks: false };
const ZUNIONSTORE_OPTIONS = ['weights', 'aggregate'];

export const sortedSetMethods = {
  bzmpop(
    this: Runner,
    timeout: number,
    keys: OneOrMore<Argument>,
    where: AnyCase<'min' | 'max'>,
    options?: BzmpopOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, BZMPOP_OPTIONS))
      return refuse(this, 'bzmpop', options, BZMPOP_OPTIONS);
    const args: Argument[] = [timeout];
    appendCounted(args, keys);
    args.push(where);
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
    }
    return this.run(BZMPOP, args, poppedMembers);
  },

  bzpopmax(this: Runner, keys: OneOrMore<Argument>, timeout: number): unknown {
    const args: Argument[] = [];
    append(args, keys);
    args.push(timeout);
    return this.run(BZPOPMAX, args, poppedMember);
  },

  bzpopmin(this: Runner, keys: OneOrMore<Argument>, timeout: number): unknown {
    const args: Argument[] = [];
    append(args, keys);
    args.push(timeout);
    return this.run(BZPOPMIN, args, poppedMember);
  },

  zadd(
    this: Runner,
    key: Argument,
    score: number | string | OneOrMore<{ readonly score: number | string; readonly member: Argument }>,
    member?: Argument | ZaddOptions,
    last?: ZaddOptions,
  ): unknown {
    if (last === undefined && typeof score !== 'object')
      return this.run(ZADD, [key, score, member as Argument]);
    const options = typeof score === 'object' ? (member as ZaddOptions | undefined) : last;
    if (options !== undefined && isInvalid(options, ZADD_OPTIONS))
      return refuse(this, 'zadd', options, ZADD_OPTIONS);
    const args: Argument[] = [key];
    if (options !== undefined) {
      if (options.nx) args.push('NX');
      if (options.xx) args.push('XX');
      if (options.gt) args.push('GT');
      if (options.lt) args.push('LT');
      if (options.ch) args.push('CH');
      if (options.incr) args.push('INCR');
    }
    if (typeof score !== 'object') args.push(score, member as Argument);
    else for (const item of isList(score) ? score : [score]) args.push(item.score, item.member);
    return this.run(ZADD, args, options?.incr ? nullableDouble : undefined);
  },

  zcard(this: Runner, key: Argument): unknown {
    return this.run(ZCARD, [key]);
  },

  zcount(this: Runner, key: Argument, min: Argument, max: Argument): unknown {
    return this.run(ZCOUNT, [key, min, max]);
  },

  zdiff(this: Runner, keys: OneOrMore<Argument>, options?: ZdiffOptions): unknown {
    if (options !== undefined && isInvalid(options, ZDIFF_OPTIONS))
      return refuse(this, 'zdiff', options, ZDIFF_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.withScores) args.push('WITHSCORES');
    }
    return this.run(ZDIFF, args, options?.withScores ? scores : list);
  },

  zdiffstore(this: Runner, destination: Argument, keys: OneOrMore<Argument>): unknown {
    const args: Argument[] = [destination];
    appendCounted(args, keys);
    return this.run(ZDIFFSTORE, args);
  },

  zincrby(this: Runner, key: Argument, increment: number | string, member: Argument): unknown {
    return this.run(ZINCRBY, [key, increment, member], double);
  },

  zinter(this: Runner, keys: OneOrMore<Argument>, options?: ZinterOptions): unknown {
    if (options !== undefined && isInvalid(options, ZINTER_OPTIONS))
      return refuse(this, 'zinter', options, ZINTER_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.weights !== undefined) {
        args.push('WEIGHTS');
        append(args, options.weights);
      }
      if (options.aggregate !== undefined) args.push('AGGREGATE', options.aggregate);
      if (options.withScores) args.push('WITHSCORES');
    }
    return this.run(ZINTER, args, options?.withScores ? scores : list);
  },

  zintercard(this: Runner, keys: OneOrMore<Argument>, options?: ZintercardOptions): unknown {
    if (options !== undefined && isInvalid(options, ZINTERCARD_OPTIONS))
      return refuse(this, 'zintercard', options, ZINTERCARD_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.limit !== undefined) args.push('LIMIT', options.limit);
    }
    return this.run(ZINTERCARD, args);
  },

  zinterstore(
    this: Runner,
    destination: Argument,
    keys: OneOrMore<Argument>,
    options?: ZinterstoreOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, ZINTERSTORE_OPTIONS))
      return refuse(this, 'zinterstore', options, ZINTERSTORE_OPTIONS);
    const args: Argument[] = [destination];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.weights !== undefined) {
        args.push('WEIGHTS');
        append(args, options.weights);
      }
      if (options.aggregate !== undefined) args.push('AGGREGATE', options.aggregate);
    }
    return this.run(ZINTERSTORE, args);
  },

  zlexcount(this: Runner, key: Argument, min: Argument, max: Argument): unknown {
    return this.run(ZLEXCOUNT, [key, min, max]);
  },

  zmpop(
    this: Runner,
    keys: OneOrMore<Argument>,
    where: AnyCase<'min' | 'max'>,
    options?: ZmpopOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, ZMPOP_OPTIONS))
      return refuse(this, 'zmpop', options, ZMPOP_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    args.push(where);
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
    }
    return this.run(ZMPOP, args, poppedMembers);
  },

  zmscore(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(ZMSCORE, [key, members], nullableDoubles);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(ZMSCORE, args, nullableDoubles);
  },

  zpopmax(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(ZPOPMAX, [key], nullableScore);
    return this.run(ZPOPMAX, [key, count], scores);
  },

  zpopmin(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(ZPOPMIN, [key], nullableScore);
    return this.run(ZPOPMIN, [key, count], scores);
  },

  zrandmember(this: Runner, key: Argument, count?: number | bigint, options?: ZrandmemberOptions): unknown {
    if (count === undefined && options === undefined) return this.run(ZRANDMEMBER, [key]);
    if (options !== undefined && isInvalid(options, ZRANDMEMBER_OPTIONS))
      return refuse(this, 'zrandmember', options, ZRANDMEMBER_OPTIONS);
    const args: Argument[] = [key];
    if (count !== undefined) args.push(count);
    if (options !== undefined) {
      if (options.withScores) args.push('WITHSCORES');
    }
    return this.run(ZRANDMEMBER, args, options?.withScores ? scores : count !== undefined ? list : undefined);
  },

  zrange(this: Runner, key: Argument, start: Argument, stop: Argument, options?: ZrangeOptions): unknown {
    if (options === undefined) return this.run(ZRANGE, [key, start, stop], list);
    if (isInvalid(options, ZRANGE_OPTIONS)) return refuse(this, 'zrange', options, ZRANGE_OPTIONS);
    const args: Argument[] = [key, start, stop];
    if (options.byScore) args.push('BYSCORE');
    if (options.byLex) args.push('BYLEX');
    if (options.rev) args.push('REV');
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    if (options.withScores) args.push('WITHSCORES');
    return this.run(ZRANGE, args, options.withScores ? scores : list);
  },

  zrangebylex(
    this: Runner,
    key: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangebylexOptions,
  ): unknown {
    if (options === undefined) return this.run(ZRANGEBYLEX, [key, min, max], list);
    if (isInvalid(options, ZRANGEBYLEX_OPTIONS))
      return refuse(this, 'zrangebylex', options, ZRANGEBYLEX_OPTIONS);
    const args: Argument[] = [key, min, max];
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    return this.run(ZRANGEBYLEX, args, list);
  },

  zrangebyscore(
    this: Runner,
    key: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangebyscoreOptions,
  ): unknown {
    if (options === undefined) return this.run(ZRANGEBYSCORE, [key, min, max], list);
    if (isInvalid(options, ZRANGEBYSCORE_OPTIONS))
      return refuse(this, 'zrangebyscore', options, ZRANGEBYSCORE_OPTIONS);
    const args: Argument[] = [key, min, max];
    if (options.withScores) args.push('WITHSCORES');
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    return this.run(ZRANGEBYSCORE, args, options.withScores ? scores : list);
  },

  zrangestore(
    this: Runner,
    dst: Argument,
    src: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangestoreOptions,
  ): unknown {
    if (options === undefined) return this.run(ZRANGESTORE, [dst, src, min, max]);
    if (isInvalid(options, ZRANGESTORE_OPTIONS))
      return refuse(this, 'zrangestore', options, ZRANGESTORE_OPTIONS);
    const args: Argument[] = [dst, src, min, max];
    if (options.byScore) args.push('BYSCORE');
    if (options.byLex) args.push('BYLEX');
    if (options.rev) args.push('REV');
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    return this.run(ZRANGESTORE, args);
  },

  zrank(this: Runner, key: Argument, member: Argument): unknown {
    return this.run(ZRANK, [key, member]);
  },

  zrem(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(ZREM, [key, members]);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(ZREM, args);
  },

  zremrangebylex(this: Runner, key: Argument, min: Argument, max: Argument): unknown {
    return this.run(ZREMRANGEBYLEX, [key, min, max]);
  },

  zremrangebyrank(this: Runner, key: Argument, start: number | bigint, stop: number | bigint): unknown {
    return this.run(ZREMRANGEBYRANK, [key, start, stop]);
  },

  zremrangebyscore(this: Runner, key: Argument, min: Argument, max: Argument): unknown {
    return this.run(ZREMRANGEBYSCORE, [key, min, max]);
  },

  zrevrange(
    this: Runner,
    key: Argument,
    start: number | bigint,
    stop: number | bigint,
    options?: ZrevrangeOptions,
  ): unknown {
    if (options === undefined) return this.run(ZREVRANGE, [key, start, stop], list);
    if (isInvalid(options, ZREVRANGE_OPTIONS)) return refuse(this, 'zrevrange', options, ZREVRANGE_OPTIONS);
    const args: Argument[] = [key, start, stop];
    if (options.withScores) args.push('WITHSCORES');
    return this.run(ZREVRANGE, args, options.withScores ? scores : list);
  },

  zrevrangebylex(
    this: Runner,
    key: Argument,
    max: Argument,
    min: Argument,
    options?: ZrevrangebylexOptions,
  ): unknown {
    if (options === undefined) return this.run(ZREVRANGEBYLEX, [key, max, min], list);
    if (isInvalid(options, ZREVRANGEBYLEX_OPTIONS))
      return refuse(this, 'zrevrangebylex', options, ZREVRANGEBYLEX_OPTIONS);
    const args: Argument[] = [key, max, min];
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    return this.run(ZREVRANGEBYLEX, args, list);
  },

  zrevrangebyscore(
    this: Runner,
    key: Argument,
    max: Argument,
    min: Argument,
    options?: ZrevrangebyscoreOptions,
  ): unknown {
    if (options === undefined) return this.run(ZREVRANGEBYSCORE, [key, max, min], list);
    if (isInvalid(options, ZREVRANGEBYSCORE_OPTIONS))
      return refuse(this, 'zrevrangebyscore', options, ZREVRANGEBYSCORE_OPTIONS);
    const args: Argument[] = [key, max, min];
    if (options.withScores) args.push('WITHSCORES');
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    return this.run(ZREVRANGEBYSCORE, args, options.withScores ? scores : list);
  },

  zrevrank(this: Runner, key: Argument, member: Argument): unknown {
    return this.run(ZREVRANK, [key, member]);
  },

  zscore(this: Runner, key: Argument, member: Argument): unknown {
    return this.run(ZSCORE, [key, member], nullableDouble);
  },

  zunion(this: Runner, keys: OneOrMore<Argument>, options?: ZunionOptions): unknown {
    if (options !== undefined && isInvalid(options, ZUNION_OPTIONS))
      return refuse(this, 'zunion', options, ZUNION_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.weights !== undefined) {
        args.push('WEIGHTS');
        append(args, options.weights);
      }
      if (options.aggregate !== undefined) args.push('AGGREGATE', options.aggregate);
      if (options.withScores) args.push('WITHSCORES');
    }
    return this.run(ZUNION, args, options?.withScores ? scores : list);
  },

  zunionstore(
    this: Runner,
    destination: Argument,
    keys: OneOrMore<Argument>,
    options?: ZunionstoreOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, ZUNIONSTORE_OPTIONS))
      return refuse(this, 'zunionstore', options, ZUNIONSTORE_OPTIONS);
    const args: Argument[] = [destination];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.weights !== undefined) {
        args.push('WEIGHTS');
        append(args, options.weights);
      }
      if (options.aggregate !== undefined) args.push('AGGREGATE', options.aggregate);
    }
    return this.run(ZUNIONSTORE, args);
  },
} satisfies Methods<SortedSetCommands<Shape>>;
