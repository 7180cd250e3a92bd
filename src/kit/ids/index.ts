/** `sorrel/kit/ids`: numbers that are unique and ordered across all processes, taken from the store in blocks. */
export { KitError } from '../foundation/index.js';
export { type IdOptions, type Ids, ids } from './ids.js';
