/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Pairs, Runner } from '../options.js';
import { append, appendPairs, isInvalid, isList, refuse } from '../options.js';
import { boolean, entries, list, ok, record } from '../replies.js';
import type { HashCommands, HrandfieldOptions } from '../types/hash.js';

const HDEL: WireCommand = { words: ['HDEL'], blocks: false };
const HEXISTS: WireCommand = { words: ['HEXISTS'], blocks: false };
const HGET: WireCommand = { words: ['HGET'], blocks: false };
const HGETALL: WireCommand = { words: ['HGETALL'], blocks: false };
const HINCRBY: WireCommand = { words: ['HINCRBY'], blocks: false };
const HINCRBYFLOAT: WireCommand = { words: ['HINCRBYFLOAT'], blocks: false };
const HKEYS: WireCommand = { words: ['HKEYS'], blocks: false };
const HLEN: WireCommand = { words: ['HLEN'], blocks: false };
const HMGET: WireCommand = { words: ['HMGET'], blocks: false };
const HMSET: WireCommand = { words: ['HMSET'], blocks: false };
const HRANDFIELD: WireCommand = { words: ['HRANDFIELD'], blocks: false };
const HRANDFIELD_OPTIONS = ['withValues'];
const HSET: WireCommand = { words: ['HSET'], blocks: false };
const HSETNX: WireCommand = { words: ['HSETNX'], blocks: false };
const HSTRLEN: WireCommand = { words: ['HSTRLEN'], blocks: false };
const HVALS: WireCommand = { words: ['HVALS'], blocks: false };

export const hashMethods = {
  hdel(this: Runner, key: Argument, fields: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(fields)) return this.run(HDEL, [key, fields]);
    const args: Argument[] = [key];
    append(args, fields, more);
    return this.run(HDEL, args);
  },

  hexists(this: Runner, key: Argument, field: Argument): unknown {
    return this.run(HEXISTS, [key, field], boolean);
  },

  hget(this: Runner, key: Argument, field: Argument): unknown {
    return this.run(HGET, [key, field]);
  },

  hgetall(this: Runner, key: Argument): unknown {
    return this.run(HGETALL, [key], record);
  },

  hincrby(this: Runner, key: Argument, field: Argument, increment: number | bigint): unknown {
    return this.run(HINCRBY, [key, field, increment]);
  },

  hincrbyfloat(this: Runner, key: Argument, field: Argument, increment: number | string): unknown {
    return this.run(HINCRBYFLOAT, [key, field, increment]);
  },

  hkeys(this: Runner, key: Argument): unknown {
    return this.run(HKEYS, [key], list);
  },

  hlen(this: Runner, key: Argument): unknown {
    return this.run(HLEN, [key]);
  },

  hmget(this: Runner, key: Argument, fields: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(fields)) return this.run(HMGET, [key, fields], list);
    const args: Argument[] = [key];
    append(args, fields, more);
    return this.run(HMGET, args, list);
  },

  hmset(this: Runner, key: Argument, field: Argument | Pairs, value?: Argument): unknown {
    if (value !== undefined) return this.run(HMSET, [key, field as Argument, value], ok);
    const args: Argument[] = [key];
    appendPairs(args, field as Pairs);
    return this.run(HMSET, args, ok);
  },

  hrandfield(this: Runner, key: Argument, count?: number | bigint, options?: HrandfieldOptions): unknown {
    if (count === undefined && options === undefined) return this.run(HRANDFIELD, [key]);
    if (options !== undefined && isInvalid(options, HRANDFIELD_OPTIONS))
      return refuse(this, 'hrandfield', options, HRANDFIELD_OPTIONS);
    const args: Argument[] = [key];
    if (count !== undefined) args.push(count);
    if (options !== undefined) {
      if (options.withValues) args.push('WITHVALUES');
    }
    return this.run(HRANDFIELD, args, options?.withValues ? entries : count !== undefined ? list : undefined);
  },

  hset(this: Runner, key: Argument, field: Argument | Pairs, value?: Argument): unknown {
    if (value !== undefined) return this.run(HSET, [key, field as Argument, value]);
    const args: Argument[] = [key];
    appendPairs(args, field as Pairs);
    return this.run(HSET, args);
  },

  hsetnx(this: Runner, key: Argument, field: Argument, value: Argument): unknown {
    return this.run(HSETNX, [key, field, value], boolean);
  },

  hstrlen(this: Runner, key: Argument, field: Argument): unknown {
    return this.run(HSTRLEN, [key, field]);
  },

  hvals(this: Runner, key: Argument): unknown {
    return this.run(HVALS, [key], list);
  },
} satisfies Methods<HashCommands<Shape>>;
