/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { OneOrMore } from '../options.js';

/** Commands of the group hyperloglog. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface HyperloglogCommands<S extends Shape> {
  /**
   * Adds the specified elements to the specified HyperLogLog.
   *
   * Sends PFADD. O(1) to add every element.
   *
   * @example
   * await store.pfadd('visitors', 'ann', 'bob'); // true
   */
  pfadd(key: Argument, elements?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, boolean>;

  /**
   * Return the approximated cardinality of the set(s) observed by the HyperLogLog at key(s).
   *
   * Sends PFCOUNT. O(1) with a very small average constant time when called with a single key. O(N) with N being the number of keys, and much bigger constant times, when called with multiple keys.
   *
   * @example
   * await store.pfadd('visitors', 'ann', 'bob');
   * await store.pfcount('visitors'); // 2
   */
  pfcount(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Merge N different HyperLogLogs into a single one.
   *
   * Sends PFMERGE. O(N) to merge N HyperLogLogs, but with high constant times.
   *
   * @example
   * await store.pfadd('monday', 'ann');
   * await store.pfmerge('all', ['monday', 'tuesday']); // 'OK'
   */
  pfmerge(destkey: Argument, sourcekeys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, 'OK'>;
}
