/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, BitfieldOperation, BitfieldRead, OneOrMore } from '../options.js';

export type BitcountOptions = {
  readonly start: number | bigint;
  readonly end: number | bigint;
  readonly unit?: AnyCase<'byte' | 'bit'> | undefined;
};
export type BitposOptions = { readonly start: number | bigint } & (
  | { readonly end: number | bigint; readonly unit?: AnyCase<'byte' | 'bit'> | undefined }
  | { readonly end?: undefined; readonly unit?: undefined }
);

/** Commands of the group bitmap. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface BitmapCommands<S extends Shape> {
  /**
   * Count set bits in a string.
   *
   * Sends BITCOUNT. O(N).
   *
   * @example
   * await store.setbit('bits', 7, 1);
   * await store.bitcount('bits', { start: 0, end: 0 }); // 1
   */
  bitcount(key: Argument, options?: BitcountOptions): Outcome<S, S['integer']>;

  /**
   * Perform arbitrary bitfield integer operations on strings.
   *
   * Sends BITFIELD. O(1) for each subcommand specified.
   *
   * @example
   * await store.bitfield('bits', [{ set: 'u8', offset: 0, value: 200 }, { incrBy: 'u8', offset: 0, increment: 100, overflow: 'sat' }]); // [0, 255]
   */
  bitfield(key: Argument, operations: OneOrMore<BitfieldOperation>): Outcome<S, (S['integer'] | null)[]>;

  /**
   * Perform arbitrary bitfield integer operations on strings. Read-only variant of BITFIELD.
   *
   * Sends BITFIELD_RO. O(1) for each subcommand specified.
   *
   * @example
   * await store.setbit('bits', 7, 1);
   * await store.bitfieldRo('bits', { get: 'u8', offset: 0 }); // [1]
   */
  bitfieldRo(key: Argument, operations: OneOrMore<BitfieldRead>): Outcome<S, S['integer'][]>;

  /**
   * Perform bitwise operations between strings.
   *
   * Sends BITOP. O(N).
   *
   * @example
   * await store.mset({ a: 'foo', b: 'bar' });
   * await store.bitop('and', 'both', 'a', 'b'); // 3
   */
  bitop(
    operation: 'and' | 'or' | 'xor' | 'not' | 'AND' | 'OR' | 'XOR' | 'NOT',
    destkey: Argument,
    keys: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, S['integer']>;

  /**
   * Find first bit set or clear in a string.
   *
   * Sends BITPOS. O(N).
   *
   * @example
   * await store.setbit('bits', 7, 1);
   * await store.bitpos('bits', 1); // 7
   */
  bitpos(key: Argument, bit: 0 | 1, options?: BitposOptions): Outcome<S, S['integer']>;

  /**
   * Returns the bit value at offset in the string value stored at key.
   *
   * Sends GETBIT. O(1).
   *
   * @example
   * await store.setbit('bits', 7, 1);
   * await store.getbit('bits', 7); // 1
   */
  getbit(key: Argument, offset: number | bigint): Outcome<S, S['integer']>;

  /**
   * Sets or clears the bit at offset in the string value stored at key.
   *
   * Sends SETBIT. O(1).
   *
   * @example
   * await store.setbit('bits', 7, 1); // 0
   */
  setbit(key: Argument, offset: number | bigint, value: 0 | 1): Outcome<S, S['integer']>;
}
