/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Pairs, Runner } from '../options.js';
import { append, appendPairs, isInvalid, isList, refuse } from '../options.js';
import { boolean, commonSubsequence, list, ok } from '../replies.js';
import type { GetexOptions, LcsOptions, SetOptions, StringCommands } from '../types/string.js';

const APPEND: WireCommand = { words: ['APPEND'], blocks: false };
const DECR: WireCommand = { words: ['DECR'], blocks: false };
const DECRBY: WireCommand = { words: ['DECRBY'], blocks: false };
const GET: WireCommand = { words: ['GET'], blocks: false };
const GETDEL: WireCommand = { words: ['GETDEL'], blocks: false };
const GETEX: WireCommand = { words: ['GETEX'], blocks: false };
const GETEX_OPTIONS = ['ex', 'px', 'exAt', 'pxAt', 'persist'];
const GETRANGE: WireCommand = { words: ['GETRANGE'], blocks: false };
const GETSET: WireCommand = { words: ['GETSET'], blocks: false };
const INCR: WireCommand = { words: ['INCR'], blocks: false };
const INCRBY: WireCommand = { words: ['INCRBY'], blocks: false };
const INCRBYFLOAT: WireCommand = { words: ['INCRBYFLOAT'], blocks: false };
const LCS: WireCommand = { words: ['LCS'], blocks: false };
const LCS_OPTIONS = ['len', 'idx', 'minMatchLen', 'withMatchLen'];
const MGET: WireCommand = { words: ['MGET'], blocks: false };
const MSET: WireCommand = { words: ['MSET'], blocks: false };
const MSETNX: WireCommand = { words: ['MSETNX'], blocks: false };
const PSETEX: WireCommand = { words: ['PSETEX'], blocks: false };
const SET: WireCommand = { words: ['SET'], blocks: false };
const SET_OPTIONS = ['nx', 'xx', 'get', 'ex', 'px', 'exAt', 'pxAt', 'keepTtl'];
const SETEX: WireCommand = { words: ['SETEX'], blocks: false };
const SETNX: WireCommand = { words: ['SETNX'], blocks: false };
const SETRANGE: WireCommand = { words: ['SETRANGE'], blocks: false };
const STRLEN: WireCommand = { words: ['STRLEN'], blocks: false };
const SUBSTR: WireCommand = { words: ['SUBSTR'], blocks: false };

export const stringMethods = {
  append(this: Runner, key: Argument, value: Argument): unknown {
    return this.run(APPEND, [key, value]);
  },

  decr(this: Runner, key: Argument): unknown {
    return this.run(DECR, [key]);
  },

  decrby(this: Runner, key: Argument, decrement: number | bigint): unknown {
    return this.run(DECRBY, [key, decrement]);
  },

  get(this: Runner, key: Argument): unknown {
    return this.run(GET, [key]);
  },

  getdel(this: Runner, key: Argument): unknown {
    return this.run(GETDEL, [key]);
  },

  getex(this: Runner, key: Argument, options?: GetexOptions): unknown {
    if (options === undefined) return this.run(GETEX, [key]);
    if (isInvalid(options, GETEX_OPTIONS)) return refuse(this, 'getex', options, GETEX_OPTIONS);
    const args: Argument[] = [key];
    if (options.ex !== undefined) args.push('EX', options.ex);
    if (options.px !== undefined) args.push('PX', options.px);
    if (options.exAt !== undefined) args.push('EXAT', options.exAt);
    if (options.pxAt !== undefined) args.push('PXAT', options.pxAt);
    if (options.persist) args.push('PERSIST');
    return this.run(GETEX, args);
  },

  getrange(this: Runner, key: Argument, start: number | bigint, end: number | bigint): unknown {
    return this.run(GETRANGE, [key, start, end]);
  },

  getset(this: Runner, key: Argument, value: Argument): unknown {
    return this.run(GETSET, [key, value]);
  },

  incr(this: Runner, key: Argument): unknown {
    return this.run(INCR, [key]);
  },

  incrby(this: Runner, key: Argument, increment: number | bigint): unknown {
    return this.run(INCRBY, [key, increment]);
  },

  incrbyfloat(this: Runner, key: Argument, increment: number | string): unknown {
    return this.run(INCRBYFLOAT, [key, increment]);
  },

  lcs(this: Runner, key1: Argument, key2: Argument, options?: LcsOptions): unknown {
    if (options === undefined) return this.run(LCS, [key1, key2]);
    if (isInvalid(options, LCS_OPTIONS)) return refuse(this, 'lcs', options, LCS_OPTIONS);
    const args: Argument[] = [key1, key2];
    if (options.len) args.push('LEN');
    if (options.idx) args.push('IDX');
    if (options.minMatchLen !== undefined) args.push('MINMATCHLEN', options.minMatchLen);
    if (options.withMatchLen) args.push('WITHMATCHLEN');
    return this.run(LCS, args, options.len ? undefined : options.idx ? commonSubsequence : undefined);
  },

  mget(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(MGET, [keys], list);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(MGET, args, list);
  },

  mset(this: Runner, key: Argument | Pairs, value?: Argument): unknown {
    if (value !== undefined) return this.run(MSET, [key as Argument, value], ok);
    const args: Argument[] = [];
    appendPairs(args, key as Pairs);
    return this.run(MSET, args, ok);
  },

  msetnx(this: Runner, key: Argument | Pairs, value?: Argument): unknown {
    if (value !== undefined) return this.run(MSETNX, [key as Argument, value], boolean);
    const args: Argument[] = [];
    appendPairs(args, key as Pairs);
    return this.run(MSETNX, args, boolean);
  },

  psetex(this: Runner, key: Argument, milliseconds: number | bigint, value: Argument): unknown {
    return this.run(PSETEX, [key, milliseconds, value], ok);
  },

  set(this: Runner, key: Argument, value: Argument, options?: SetOptions): unknown {
    if (options === undefined) return this.run(SET, [key, value], ok);
    if (isInvalid(options, SET_OPTIONS)) return refuse(this, 'set', options, SET_OPTIONS);
    const args: Argument[] = [key, value];
    if (options.nx) args.push('NX');
    if (options.xx) args.push('XX');
    if (options.get) args.push('GET');
    if (options.ex !== undefined) args.push('EX', options.ex);
    if (options.px !== undefined) args.push('PX', options.px);
    if (options.exAt !== undefined) args.push('EXAT', options.exAt);
    if (options.pxAt !== undefined) args.push('PXAT', options.pxAt);
    if (options.keepTtl) args.push('KEEPTTL');
    return this.run(SET, args, options.get ? undefined : ok);
  },

  setex(this: Runner, key: Argument, seconds: number | bigint, value: Argument): unknown {
    return this.run(SETEX, [key, seconds, value], ok);
  },

  setnx(this: Runner, key: Argument, value: Argument): unknown {
    return this.run(SETNX, [key, value], boolean);
  },

  setrange(this: Runner, key: Argument, offset: number | bigint, value: Argument): unknown {
    return this.run(SETRANGE, [key, offset, value]);
  },

  strlen(this: Runner, key: Argument): unknown {
    return this.run(STRLEN, [key]);
  },

  substr(this: Runner, key: Argument, start: number | bigint, end: number | bigint): unknown {
    return this.run(SUBSTR, [key, start, end]);
  },
} satisfies Methods<StringCommands<Shape>>;
