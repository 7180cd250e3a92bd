/** `sorrel/kit/rankings`: articles that users vote on, ranked by votes and time. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { VoteOutcome } from './ranking-scripts.js';
export {
  type Article,
  type NewArticle,
  type PageOptions,
  type Ranking,
  type RankingOptions,
  type RegroupOptions,
  ranking,
} from './rankings.js';
