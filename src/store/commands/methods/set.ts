/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Runner } from '../options.js';
import { append, appendCounted, isInvalid, isList, refuse } from '../options.js';
import { boolean, booleans, list } from '../replies.js';
import type { SetCommands, SintercardOptions } from '../types/set.js';

const SADD: WireCommand = { words: ['SADD'], blocks: false };
const SCARD: WireCommand = { words: ['SCARD'], blocks: false };
const SDIFF: WireCommand = { words: ['SDIFF'], blocks: false };
const SDIFFSTORE: WireCommand = { words: ['SDIFFSTORE'], blocks: false };
const SINTER: WireCommand = { words: ['SINTER'], blocks: false };
const SINTERCARD: WireCommand = { words: ['SINTERCARD'], blocks: false };
const SINTERCARD_OPTIONS = ['limit'];
const SINTERSTORE: WireCommand = { words: ['SINTERSTORE'], blocks: false };
const SISMEMBER: WireCommand = { words: ['SISMEMBER'], blocks: false };
const SMEMBERS: WireCommand = { words: ['SMEMBERS'], blocks: false };
const SMISMEMBER: WireCommand = { words: ['SMISMEMBER'], blocks: false };
const SMOVE: WireCommand = { words: ['SMOVE'], blocks: false };
const SPOP: WireCommand = { words: ['SPOP'], blocks: false };
const SRANDMEMBER: WireCommand = { words: ['SRANDMEMBER'], blocks: false };
const SREM: WireCommand = { words: ['SREM'], blocks: false };
const SUNION: WireCommand = { words: ['SUNION'], blocks: false };
const SUNIONSTORE: WireCommand = { words: ['SUNIONSTORE'], blocks: false };

export const setMethods = {
  sadd(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(SADD, [key, members]);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(SADD, args);
  },

  scard(this: Runner, key: Argument): unknown {
    return this.run(SCARD, [key]);
  },

  sdiff(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SDIFF, [keys], list);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(SDIFF, args, list);
  },

  sdiffstore(this: Runner, destination: Argument, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SDIFFSTORE, [destination, keys]);
    const args: Argument[] = [destination];
    append(args, keys, more);
    return this.run(SDIFFSTORE, args);
  },

  sinter(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SINTER, [keys], list);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(SINTER, args, list);
  },

  sintercard(this: Runner, keys: OneOrMore<Argument>, options?: SintercardOptions): unknown {
    if (options !== undefined && isInvalid(options, SINTERCARD_OPTIONS))
      return refuse(this, 'sintercard', options, SINTERCARD_OPTIONS);
    const args: Argument[] = [];
    appendCounted(args, keys);
    if (options !== undefined) {
      if (options.limit !== undefined) args.push('LIMIT', options.limit);
    }
    return this.run(SINTERCARD, args);
  },

  sinterstore(this: Runner, destination: Argument, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SINTERSTORE, [destination, keys]);
    const args: Argument[] = [destination];
    append(args, keys, more);
    return this.run(SINTERSTORE, args);
  },

  sismember(this: Runner, key: Argument, member: Argument): unknown {
    return this.run(SISMEMBER, [key, member], boolean);
  },

  smembers(this: Runner, key: Argument): unknown {
    return this.run(SMEMBERS, [key], list);
  },

  smismember(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(SMISMEMBER, [key, members], booleans);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(SMISMEMBER, args, booleans);
  },

  smove(this: Runner, source: Argument, destination: Argument, member: Argument): unknown {
    return this.run(SMOVE, [source, destination, member], boolean);
  },

  spop(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(SPOP, [key]);
    return this.run(SPOP, [key, count], list);
  },

  srandmember(this: Runner, key: Argument, count?: number | bigint): unknown {
    if (count === undefined) return this.run(SRANDMEMBER, [key]);
    return this.run(SRANDMEMBER, [key, count], list);
  },

  srem(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(SREM, [key, members]);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(SREM, args);
  },

  sunion(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SUNION, [keys], list);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(SUNION, args, list);
  },

  sunionstore(this: Runner, destination: Argument, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(SUNIONSTORE, [destination, keys]);
    const args: Argument[] = [destination];
    append(args, keys, more);
    return this.run(SUNIONSTORE, args);
  },
} satisfies Methods<SetCommands<Shape>>;
