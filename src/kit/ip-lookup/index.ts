/** `sorrel/kit/ip-lookup`: where an IP address is, from data in the layout of GeoLite2. */
export { KitError } from '../foundation/index.js';
export type { CsvSource } from './csv.js';
export type { FoundPlace } from './dataset.js';
export { type ExampleData, exampleData } from './example-data.js';
export type { ImportOptions, ImportSummary } from './importing.js';
export { type IpLookup, type IpLookupOptions, ipLookup } from './ip-lookup.js';
export type { Place } from './place.js';
export { type ImportProgress, progressBar } from './progress-bar.js';
