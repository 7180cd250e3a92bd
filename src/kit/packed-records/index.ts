/** `sorrel/kit/packed-records`: records of a few bytes, one after the other in long strings. */
export { type EvictionOptions, type ExactId, KitError } from '../foundation/index.js';
export { COUNTRIES, STATES } from './countries.js';
export { bool, choice, type FieldsOf, fixedText, type PackedField, signed, unsigned } from './fields.js';
export {
  type NumericField,
  type PackedRecords,
  type PackedRecordsOptions,
  packedRecords,
  type TallyOptions,
  type TallyRow,
} from './packed-records.js';
export type { Fields } from './record-layout.js';
