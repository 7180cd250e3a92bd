/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { AnyCase, Methods, OneOrMore, Runner } from '../options.js';
import { append, appendCounted, isInvalid, isList, refuse } from '../options.js';
import { list, ok, poppedElement, poppedElements } from '../replies.js';
import type { BlmpopOptions, ListCommands, LmpopOptions, LposOptions } from '../types/list.js';

const BLMOVE: WireCommand = { words: ['BLMOVE'], blocks: true };
const BLMPOP: WireCommand = { words: ['BLMPOP'], blocks: true };
const BLMPOP_OPTIONS = ['count'];
const BLPOP: WireCommand = { words: ['BLPOP'], blocks: true };
const BRPOP: WireCommand = { words: ['BRPOP'], blocks: true };
const BRPOPLPUSH: WireCommand = { words: ['BRPOPLPUSH'], blocks: true };
const LINDEX: WireCommand = { words: ['LINDEX'], blocks: false };
const LINSERT: WireCommand = { words: ['LINSERT'], blocks: false };
const LLEN: WireCommand = { words: ['LLEN'], blocks: false };
const LMOVE: WireCommand = { words: ['LMOVE'], blocks: false };
const LMPOP: WireCommand = { words: ['LMPOP'], blocks: false };
const LMPOP_OPTIONS = ['count'];
const LPOP: WireCommand = { words: ['LPOP'], blocks: false };
const LPOS: WireCommand = { words: ['LPOS'], blocks: false };
const LPOS_OPTIONS = ['rank', 'count', 'maxLen'];
const LPUSH: WireCommand = { words: ['LPUSH'], blocks: false };
const LPUSHX: WireCommand = { words: ['LPUSHX'], blocks: false };
const LRANGE: WireCommand = { words: ['LRANGE'], blocks: false };
const LREM: WireCommand = { words: ['LREM'], blocks: false };
const LSET: WireCommand = { words: ['LSET'], blocks: false };
const LTRIM: WireCommand = { words: ['LTRIM'], blocks: false };
const RPOP: WireCommand = { words: ['RPOP'], blocks: false };
const RPOPLPUSH: WireCommand = { words: ['RPOPLPUSH'], blocks: false };
const RPUSH: WireCommand = { words: ['RPUSH'], blocks: false };
const RPUSHX: WireCommand = { words: ['RPUSHX'], blocks: false };

export const listMethods = {
  blmove(
    this: Runner,
    source: Argument,
    destination: Argument,
    wherefrom: AnyCase<'left' | 'right'>,
    whereto: AnyCase<'left' | 'right'>,
    timeout: number,
  ): unknown {
    return this.run(BLMOVE, [source, destination, wherefrom, whereto, timeout]);
  },

  blmpop(
    this: Runner,
    timeout: number,
    keys: OneOrMore<Argument>,
    where: AnyCase<'left' | 'right'>,
    options?: BlmpopOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, BLMPOP_OPTIONS))
      return refuse(this, 'blmpop', options, BLMPOP_OPTIONS);
    const args: Argument[] = [timeout];
    appendCounted(args, keys);
    args.push(where);
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
    }
    return this.run(BLMPOP, args, poppedElements);
  },

  blpop(this: Runner, keys: OneOrMore<Argument>, timeout: number): unknown {
    const args: Argument[] = [];
    append(args, keys);
    args.push(timeout);
    return this.run(BLPOP, args, poppedElement);
  },

  brpop(this: Runner, keys: OneOrMore<Argument>, timeout: number): unknown {
    const args: Argument[] = [];
    append(args, keys);
    args.push(timeout);
    return this.run(BRPOP, args, poppedElement);
  },

  brpoplpush(this: Runner, source: Argument, destination: Argument, timeout: number): unknown {
    return this.run(BRPOPLPUSH, [source, destination, timeout]);
  },

  lindex(this: Runner, key: Argument, index: number | bigint): unknown {
    return this.run(LINDEX, [key, index]);
  },

  linsert(
    this: Runner,
    key: Argument,
    where: AnyCase<'before' | 'after'>,
    pivot: Argument,
    element: Argument,
  ): unknown {
    return this.run(LINSERT, [key, where, pivot, element]);
  },

  llen(this: Runner, key: Argument): unknown {
    return this.run(LLEN, [key]);
  },

  lmove(
    this: Runner,
    source: Argument,
    destination: Argument,
    wherefrom: AnyCase<'left' | 'right'>,
    whereto: AnyCase<'left' | 'right'>,
  ): unknown {
    return this.run(LMOVE, [source, destination, wherefrom, whereto]);
  },

  lmpop(
    this: Runner,
    keys: OneOrMore<Argument>,
    where: AnyCase<'left' | 'right'>,
    options?: LmpopOptions,
  ): unknown {
    if (options !== undefined && isInvalid(options, LMPOP_OPTIONS))
      return refuse(this, 'lmpop', options, LMPOP_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    args.push(where);
    if (options !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
    }
    return this.run(LMPOP, args, poppedElements);
  },

  lpop(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(LPOP, [key]);
    return this.run(LPOP, [key, count]);
  },

  lpos(this: Runner, key: Argument, element: Argument, options?: LposOptions): unknown {
    if (options === undefined) return this.run(LPOS, [key, element]);
    if (isInvalid(options, LPOS_OPTIONS)) return refuse(this, 'lpos', options, LPOS_OPTIONS);
    const args: Argument[] = [key, element];
    if (options.rank !== undefined) args.push('RANK', options.rank);
    if (options.count !== undefined) args.push('COUNT', options.count);
    if (options.maxLen !== undefined) args.push('MAXLEN', options.maxLen);
    return this.run(LPOS, args);
  },

  lpush(this: Runner, key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(elements)) return this.run(LPUSH, [key, elements]);
    const args: Argument[] = [key];
    append(args, elements, more);
    return this.run(LPUSH, args);
  },

  lpushx(this: Runner, key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(elements)) return this.run(LPUSHX, [key, elements]);
    const args: Argument[] = [key];
    append(args, elements, more);
    return this.run(LPUSHX, args);
  },

  lrange(this: Runner, key: Argument, start: number | bigint, stop: number | bigint): unknown {
    return this.run(LRANGE, [key, start, stop], list);
  },

  lrem(this: Runner, key: Argument, count: number | bigint, element: Argument): unknown {
    return this.run(LREM, [key, count, element]);
  },

  lset(this: Runner, key: Argument, index: number | bigint, element: Argument): unknown {
    return this.run(LSET, [key, index, element], ok);
  },

  ltrim(this: Runner, key: Argument, start: number | bigint, stop: number | bigint): unknown {
    return this.run(LTRIM, [key, start, stop], ok);
  },

  rpop(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(RPOP, [key]);
    return this.run(RPOP, [key, count]);
  },

  rpoplpush(this: Runner, source: Argument, destination: Argument): unknown {
    return this.run(RPOPLPUSH, [source, destination]);
  },

  rpush(this: Runner, key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(elements)) return this.run(RPUSH, [key, elements]);
    const args: Argument[] = [key];
    append(args, elements, more);
    return this.run(RPUSH, args);
  },

  rpushx(this: Runner, key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(elements)) return this.run(RPUSHX, [key, elements]);
    const args: Argument[] = [key];
    append(args, elements, more);
    return this.run(RPUSHX, args);
  },
} satisfies Methods<ListCommands<Shape>>;
