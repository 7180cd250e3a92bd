/** `sorrel/kit/search`: documents found by their words and fields. */
export { ENGLISH_STOP_WORDS, type EvictionOptions, KitError, type TextOptions } from '../foundation/index.js';
export type { DocumentOf, FieldDefinition, Fields, FieldType } from './fields.js';
export { type HighlightOptions, highlight, type Match } from './highlight.js';
export type { SortOrder } from './plan.js';
export { QueryError } from './query.js';
export {
  type FacetCount,
  type Hit,
  type IndexAllOptions,
  type SearchIndex,
  type SearchIndexOptions,
  type SearchOptions,
  type SearchResult,
  searchIndex,
} from './search-index.js';
export { type StringScoreOptions, stringScore } from './string-score.js';
