/** `sorrel/kit/market`: users sell items to each other; money and items change hands in one step. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export { type BrowseOptions, type Market, type MarketOptions, market } from './market.js';
export type { Listing, ListResult, MarketVariant, PurchaseResult } from './trading.js';
