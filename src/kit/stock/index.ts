/** `sorrel/kit/stock`: a limited number of units, reserved for a while and then sold, never more than there are. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type Reservation,
  type ReserveOptions,
  type ReserveResult,
  type Stock,
  type StockOptions,
  type StockStatus,
  stock,
} from './stock.js';
