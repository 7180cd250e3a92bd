/** What the processes of shop.test.ts agree on. */
export const PROCESSES = 4;
export const BUYERS_PER_PROCESS = 250;
export const UNITS = 100;
export const LISTINGS = 60;
export const PRICE = 7;
/** Enough for 25 listings, so that no process can buy all. */
export const BUYER_MONEY = 25 * PRICE;

export interface Bought {
  readonly buyers: readonly string[];
  readonly listings: readonly string[];
}
