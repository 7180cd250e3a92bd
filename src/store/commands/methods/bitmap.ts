/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { BitfieldOperation, BitfieldRead, Methods, OneOrMore, Runner } from '../options.js';
import { append, appendBitfield, isInvalid, isList, refuse } from '../options.js';
import type { BitcountOptions, BitmapCommands, BitposOptions } from '../types/bitmap.js';

const BITCOUNT: WireCommand = { words: ['BITCOUNT'], blocks: false };
const BITCOUNT_OPTIONS = ['start', 'end', 'unit'];
const BITFIELD: WireCommand = { words: ['BITFIELD'], blocks: false };
const BITFIELD_RO: WireCommand = { words: ['BITFIELD_RO'], blocks: false };
const BITOP: WireCommand = { words: ['BITOP'], blocks: false };
const BITPOS: WireCommand = { words: ['BITPOS'], blocks: false };
const BITPOS_OPTIONS = ['start', 'end', 'unit'];
const GETBIT: WireCommand = { words: ['GETBIT'], blocks: false };
const SETBIT: WireCommand = { words: ['SETBIT'], blocks: false };

export const bitmapMethods = {
  bitcount(this: Runner, key: Argument, options?: BitcountOptions): unknown {
    if (options === undefined) return this.run(BITCOUNT, [key]);
    if (isInvalid(options, BITCOUNT_OPTIONS)) return refuse(this, 'bitcount', options, BITCOUNT_OPTIONS);
    const args: Argument[] = [key];
    args.push(options.start, options.end);
    if (options.unit !== undefined) args.push(options.unit);
    return this.run(BITCOUNT, args);
  },

  bitfield(this: Runner, key: Argument, operations: OneOrMore<BitfieldOperation>): unknown {
    const args: Argument[] = [key];
    appendBitfield(args, operations);
    return this.run(BITFIELD, args);
  },

  bitfieldRo(this: Runner, key: Argument, operations: OneOrMore<BitfieldRead>): unknown {
    const args: Argument[] = [key];
    appendBitfield(args, operations);
    return this.run(BITFIELD_RO, args);
  },

  bitop(
    this: Runner,
    operation: 'and' | 'or' | 'xor' | 'not' | 'AND' | 'OR' | 'XOR' | 'NOT',
    destkey: Argument,
    keys: OneOrMore<Argument>,
    ...more: Argument[]
  ): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(BITOP, [operation, destkey, keys]);
    const args: Argument[] = [operation, destkey];
    append(args, keys, more);
    return this.run(BITOP, args);
  },

  bitpos(this: Runner, key: Argument, bit: 0 | 1, options?: BitposOptions): unknown {
    if (options === undefined) return this.run(BITPOS, [key, bit]);
    if (isInvalid(options, BITPOS_OPTIONS)) return refuse(this, 'bitpos', options, BITPOS_OPTIONS);
    const args: Argument[] = [key, bit];
    args.push(options.start);
    if (options.end !== undefined) {
      args.push(options.end);
      if (options.unit !== undefined) args.push(options.unit);
    }
    return this.run(BITPOS, args);
  },

  getbit(this: Runner, key: Argument, offset: number | bigint): unknown {
    return this.run(GETBIT, [key, offset]);
  },

  setbit(this: Runner, key: Argument, offset: number | bigint, value: 0 | 1): unknown {
    return this.run(SETBIT, [key, offset, value]);
  },
} satisfies Methods<BitmapCommands<Shape>>;
