declare const isAddress: unique symbol;
declare const isRef: unique symbol;

/**
 * The start of a block of an arena, in units of 8 bytes: the page number in the upper 15 bits and the position in
 * the page in the lower 17. 0 is no block.
 *
 * Addresses are numbers whose types keep them apart from sizes and indexes; this costs nothing at run time. The functions
 * below are so small that V8 inlines them everywhere.
 */
export type Address = number & { readonly [isAddress]: true };

/** The address of a block that its holder may resize and free. (The entries of a database are addresses, but not refs.) */
export type Ref = Address & { readonly [isRef]: true };

export const NO_BLOCK = 0 as Ref;

/** The page of a block: an index into `arena.bytes`, `arena.words` and `arena.doubles`. */
export function pageOf(address: Address): number {
  return address >>> UNIT_BITS;
}

/** The start of the block as an index into the page's bytes. */
export function byteIndex(address: Address): number {
  return (address & UNIT_MASK) << 3;
}

/** The start of the block as an index into the page's 32-bit words. */
export function wordIndex(address: Address): number {
  return (address & UNIT_MASK) << 1;
}

/** The start of the block as an index into the page's doubles. */
export function doubleIndex(address: Address): number {
  return address & UNIT_MASK;
}

/** The block that begins `unit` units of 8 bytes into a page. */
export function refAt(page: number, unit: number): Ref {
  return ((page << UNIT_BITS) | unit) as Ref;
}

/** A page of 1 MB has 2^17 units of 8 bytes. */
const UNIT_BITS = 17;
const UNIT_MASK = (1 << UNIT_BITS) - 1;
