import type { Argument, CommandQueue, DefaultShape, Queued } from '../../store/index.js';
import { KitError, shown } from '../foundation/index.js';

/** Where a line comes from. */
export interface LineSource {
  /** The name of the file in its folder, at the time of reading. */
  readonly file: string;
  /** The byte at which the line begins. */
  readonly offset: number;
}

/**
 * What the lines of a batch add up to. It is stored in one transaction with the position in the file, so that a line counts once,
 * wherever the process is killed.
 */
export interface Tally {
  /** Adds to a field of the counts `name`: whole numbers. Read them with `counts(name)`. */
  count(name: string, field: string, by?: number): void;
  /** Adds to the score of a member of the ranking `name`. Read it with `top(name)`. */
  rank(name: string, member: string, by?: number): void;
  /** Adds an element to the distinct elements `name`. Read their number, with an error of about 1 %, with `distinct(name)`. */
  unique(name: string, element: string): void;
  /**
   * Any other command that writes. Its keys must be results of `key`. It must not fail: a transaction cannot be undone.
   *
   * @example
   * tally.send('LPUSH', tally.key('errors'), line);
   */
  send(command: string, ...args: Argument[]): void;
  /** A key in the slot of this reader; `clear` deletes it. */
  key(name: string): string;
}

/** Keys of what is counted, by kind and name. */
export type KeyOf = (kind: 'count' | 'rank' | 'unique' | 'own', name: string) => string;

/** Adds up in this process, so that a thousand lines become a few commands. */
export class BatchTally implements Tally {
  readonly #keyOf: KeyOf;
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #ranks = new Map<string, Map<string, number>>();
  readonly #distinct = new Map<string, Set<string>>();
  readonly #commands: [string, Argument[]][] = [];
  /** All keys that the batch writes. */
  readonly keys = new Set<string>();

  constructor(keyOf: KeyOf) {
    this.#keyOf = keyOf;
  }

  count(name: string, field: string, by = 1): void {
    if (!Number.isSafeInteger(by)) throw wrong('count', 'a whole number', by);
    add(this.#counts, this.#key('count', name), checkText('count', field), by);
  }

  rank(name: string, member: string, by = 1): void {
    if (!Number.isFinite(by)) throw wrong('rank', 'a finite number', by);
    add(this.#ranks, this.#key('rank', name), checkText('rank', member), by);
  }

  unique(name: string, element: string): void {
    const key = this.#key('unique', name);
    const elements = this.#distinct.get(key) ?? new Set();
    this.#distinct.set(key, elements.add(checkText('unique', element)));
  }

  send(command: string, ...args: Argument[]): void {
    this.#commands.push([command, args]);
  }

  key(name: string): string {
    return this.#key('own', name);
  }

  #key(kind: Parameters<KeyOf>[0], name: string): string {
    const key = this.#keyOf(kind, checkText(kind, name));
    this.keys.add(key);
    return key;
  }

  /** Queues what the batch adds up to. */
  queue(queue: CommandQueue<DefaultShape>): Queued<unknown>[] {
    const queued: Queued<unknown>[] = [];
    for (const [key, fields] of this.#counts) {
      for (const [field, by] of fields) queued.push(queue.hincrby(key, field, by));
    }
    for (const [key, members] of this.#ranks) {
      for (const [member, by] of members) queued.push(queue.send('ZINCRBY', key, by, member));
    }
    for (const [key, elements] of this.#distinct) queued.push(queue.send('PFADD', key, ...elements));
    for (const [command, args] of this.#commands) queued.push(queue.send(command, ...args));
    return queued;
  }
}

function add(sums: Map<string, Map<string, number>>, key: string, field: string, by: number): void {
  const fields = sums.get(key) ?? new Map<string, number>();
  sums.set(key, fields.set(field, (fields.get(field) ?? 0) + by));
}

function checkText(method: string, value: string): string {
  if (typeof value === 'string') return value;
  throw wrong(method, 'a string', value);
}

function wrong(method: string, expected: string, value: unknown): KitError {
  return new KitError('OPTION', `tally.${method} takes ${expected}, not ${shown(value)}`);
}
