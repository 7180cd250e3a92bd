import type { Bytes } from '../bytes/bytes.js';

/**
 * Receives a handler's reply, value by value, in the order of the protocol. `RespWriter` encodes the calls as bytes; other
 * implementations create JavaScript or Lua values. An aggregate begins with its length, followed by that many values (a map: by
 * twice that many). If the length is not known in advance, `defer…` begins the aggregate and `finish…` ends it.
 *
 * The handler need not know the protocol: a map is an array for RESP2 clients, a double a bulk string, and so on.
 */
export interface Reply {
  /** 2 or 3. Only a few commands, whose replies differ in more than types, need it. HELLO changes it. */
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

  /** A bulk string of latin1 text: one byte per character. */
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
  /** Null, which is a null array in RESP2. */
  nullArray(): void;

  array(length: number): void;
  map(pairs: number): void;
  set(length: number): void;
  push(length: number): void;
  /** Out-of-band data before the reply; only for RESP3 clients. */
  attribute(pairs: number): void;

  /** Begins an aggregate of unknown length. Pass the returned number to `finishArray`, `finishMap` or `finishSet`. */
  defer(): number;
  finishArray(mark: number, length: number): void;
  finishMap(mark: number, pairs: number): void;
  finishSet(mark: number, length: number): void;
}

/** The reply as the engine uses it: it can also remove values and insert RESP. */
export interface ReplyTarget extends Reply {
  /** Increases with every value; 0 for an empty reply. */
  readonly length: number;
  /** Removes everything written since `length` was `mark`. */
  truncate(mark: number): void;
  /** Adds bytes that are already RESP. */
  raw(bytes: Buffer): void;
}
