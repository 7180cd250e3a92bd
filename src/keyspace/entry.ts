import type { Address } from '../structures/arena/ref.js';

declare const isEntry: unique symbol;

/**
 * A key of a database with its value and attributes: the address of its node in `Database.keys`, which is constant as
 * long as the key exists. 0 is no entry.
 *
 * An entry is not a `Ref`: its block belongs to the dictionary, and only `Database` frees it.
 */
export type Entry = Address & { readonly [isEntry]: true };

export const NO_ENTRY = 0 as Entry;
