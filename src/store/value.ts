import type { StoreError } from './store-error.js';

/** An argument of a command. Strings are sent as UTF-8, numbers in decimal, bytes unchanged. */
export type Argument = string | number | bigint | Uint8Array;

/**
 * How a store returns replies: `text` is the type of strings, `integer` the type of integers, `mode` how results are
 * returned: as promises, synchronously (`store.sync`), or together with others (in a pipeline or transaction).
 */
export interface Shape {
  readonly text: string | Buffer;
  readonly integer: number | bigint;
  readonly mode: 'promise' | 'sync' | 'queued';
}

/** Strings, numbers and promises: the shape of the stores that `open` returns. */
export interface DefaultShape extends Shape {
  readonly text: string;
  readonly integer: number;
  readonly mode: 'promise';
}

/**
 * Any reply of RESP2: a string, an integer, null, or an array of replies. An error inside an array (of a script or EXEC) is a
 * value; a reply that is an error is thrown.
 */
export type Value<S extends Shape = DefaultShape> =
  | S['text']
  | S['integer']
  | null
  | StoreError
  | readonly Value<S>[];

/** Stands for a result of type `T` until its pipeline or transaction has run. */
export interface Queued<T> {
  /** The position of the command in its batch. */
  readonly index: number;
  /** Only for the type; the field does not exist. */
  readonly result?: T;
}

/** How a result of type `T` is returned in this shape: as a promise, directly, or queued. */
export type Outcome<S extends Shape, T> = S['mode'] extends 'promise'
  ? Promise<T>
  : S['mode'] extends 'sync'
    ? T
    : Queued<T>;

/** The results of a list of queued commands. */
export type Results<T> = { -readonly [Index in keyof T]: T[Index] extends Queued<infer R> ? R : never };

/** The result or the error of each queued command. */
export type SettledResults<T> = {
  -readonly [Index in keyof T]: T[Index] extends Queued<infer R> ? R | StoreError : never;
};
