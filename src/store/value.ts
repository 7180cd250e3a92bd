import type { StoreError } from './store-error.js';

/** What a command takes: text is sent as UTF-8, numbers in decimal, bytes as they are. */
export type Argument = string | number | bigint | Uint8Array;

/**
 * How a store gives its replies: `text` is what strings come as, `integer` what integers come as, `mode` how results
 * are handed over: as promises, at once (`store.sync`), or later with all others (in a pipeline or transaction).
 */
export interface Shape {
  readonly text: string | Buffer;
  readonly integer: number | bigint;
  readonly mode: 'promise' | 'sync' | 'queued';
}

/** Strings, numbers, promises: what `open` gives. */
export interface DefaultShape extends Shape {
  readonly text: string;
  readonly integer: number;
  readonly mode: 'promise';
}

/**
 * Any reply, as RESP2 has them: strings, integers, null, arrays of replies. An error inside an array (of a script or
 * EXEC) is a value there; a reply that is an error is thrown.
 */
export type Value<S extends Shape = DefaultShape> =
  | S['text']
  | S['integer']
  | null
  | StoreError
  | readonly Value<S>[];

/** A result that is known when the pipeline or transaction it is part of has run. `T` is what it will be. */
export interface Queued<T> {
  /** Where it stands among the commands of its batch. */
  readonly index: number;
  /** Only for the type; there is no such field. */
  readonly result?: T;
}

/** How a result of type `T` is handed over in this shape: as a promise, as itself, or queued. */
export type Outcome<S extends Shape, T> = S['mode'] extends 'promise'
  ? Promise<T>
  : S['mode'] extends 'sync'
    ? T
    : Queued<T>;

/** What a list of queued commands comes to. */
export type Results<T> = { -readonly [Index in keyof T]: T[Index] extends Queued<infer R> ? R : never };

/** The same where errors are not thrown: in the place of each command its result or its error. */
export type SettledResults<T> = {
  -readonly [Index in keyof T]: T[Index] extends Queued<infer R> ? R | StoreError : never;
};
