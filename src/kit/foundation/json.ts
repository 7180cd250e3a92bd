import { KitError } from './kit-error.js';

/**
 * The JSON of a value. Throws a `KitError` with the complaint if JSON cannot hold it: `undefined`, a function, a bigint, an object that
 * refers to itself.
 *
 * @example
 * jsonOf({ n: 1 }, 'a message must be a value that JSON can hold'); // '{"n":1}'
 */
export function jsonOf(value: unknown, complaint: string): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (json !== undefined) return json;
  throw new KitError('OPTION', complaint, { cause });
}
