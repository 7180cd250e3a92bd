/** `sorrel/kit/carts`: shopping carts of sessions and users, merged at a login. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type Cart,
  type CartItem,
  type Carts,
  type CartsOptions,
  carts,
  type Merged,
  type MergeOptions,
  type MergeRule,
} from './carts.js';
