/** `sorrel/kit/ads`: the ads that earn most on a page, learnt from views, clicks and actions. */
export { ENGLISH_STOP_WORDS, type EvictionOptions, KitError, type TextOptions } from '../foundation/index.js';
export {
  type Ad,
  type AdIndex,
  type AdIndexOptions,
  type AdStatistics,
  adIndex,
  type Page,
  type Placement,
  type TargetOptions,
  type WordStatistics,
} from './ads.js';
export { type Counts, ecpm, type Price } from './price.js';
