import type { Bytes } from '../bytes/bytes.js';

/**
 * Receives a handler's reply, value by value, in the order of the wire. `RespWriter` turns the calls into
 * bytes; other implementations make JavaScript or Lua values of them. An aggregate is announced with its length and
 * followed by that many values (a map: by twice as many); where the length is known only afterwards, `defer…` begins
 * and `finish…` ends it.
 *
 * The handler need not know the protocol: a map is an array for RESP2 clients, a double a bulk string, and so on.
 */
export interface Reply {
  /** 2 or 3: only for the few commands whose reply differs in more than its types. HELLO changes it. */
  protocol: number;

  ok(): void;
  /** A simple string, without line breaks. */
  status(text: string): void;
  /** `text` begins with the code: `ERR …`, `WRONGTYPE …`. */
  error(text: string): void;
  /** A safe integer. */
  integer(value: number): void;
  integer64(value: bigint): void;
  bulk(bytes: Bytes): void;
  /** True if the reply will be dropped: a command whose reply is long may stop. */
  readonly isAbandoned?: boolean;

  /** A bulk string of latin1 text: one byte a character. */
  bulkText(text: string): void;
  bulkBuffer(buffer: Buffer, start: number, end: number): void;
  /** A bulk string of the integer's digits. */
  bulkInteger(value: number): void;
  bulkInteger64(value: bigint): void;
  double(value: number): void;
  /** A double with exactly this text. */
  doubleText(text: string): void;
  boolean(value: boolean): void;
  /** Text for people; `format` is three characters: `txt` or `mkd`. */
  verbatim(format: string, text: string): void;
  bigNumber(digits: string): void;
  null(): void;
  /** Null where RESP2 has a null array. */
  nullArray(): void;

  array(length: number): void;
  map(pairs: number): void;
  set(length: number): void;
  push(length: number): void;
  /** Out of band, before the reply proper; only for RESP3 clients. */
  attribute(pairs: number): void;

  /** Begins an aggregate of a length not known yet; give what this returns to `finishArray`, `finishMap` or `finishSet`. */
  defer(): number;
  finishArray(mark: number, length: number): void;
  finishMap(mark: number, pairs: number): void;
  finishSet(mark: number, length: number): void;
}

/** The reply as the engine uses it: it can also remove values and insert RESP. */
export interface ReplyTarget extends Reply {
  /** Grows with every value; 0 if there is none. */
  readonly length: number;
  /** Removes everything written since `length` was `mark`. */
  truncate(mark: number): void;
  /** Adds bytes that are RESP already. */
  raw(bytes: Buffer): void;
}
