/** `sorrel/kit/streaming`: a stream of messages and deletions over HTTP, with filters. */
export { KitError } from '../foundation/index.js';
export type { GeoPoint, StreamEvent, StreamFormat, StreamMessage } from './entry.js';
export type { GeoBox, StreamFilter } from './filter.js';
export type { StreamHandler, StreamHandlerOptions } from './http.js';
export { type EventsOptions, type Streaming, type StreamingOptions, streaming } from './streaming.js';
