import type { Clock } from '../bytes/clock.js';
import type { RandomSource } from '../bytes/random.js';
import type { Timers } from '../engine/timers.js';

/**
 * Everything outside the engine that replication depends on: time, chance and other servers. Replication never uses `net`,
 * `setTimeout` or `Date` itself, so that a test can run many servers in one process, in virtual time, from one seed
 * (`tests/simulation`). Data files belong to `persistence`.
 */
export interface World {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** When a slice of work that begins now and should take this long ends, as `performance.now()` counts. */
  sliceEnd(ms: number): number;
  /** Opens a connection to another server. Nothing is reported before this returns. */
  connect(address: Address, events: LinkEvents): Link;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What happens on a connection. After `closed` nothing more is reported. */
export interface LinkEvents {
  connected(): void;
  /** The chunk is only valid during the call. */
  received(chunk: Buffer): void;
  /** The connection could not be opened, or has ended. Not reported after `Link.close`. */
  closed(reason: string): void;
}

/** A connection to another server. */
export interface Link {
  /** Our own address, for CLIENT LIST; empty while it is not connected. */
  readonly localAddress: string;
  send(bytes: Buffer): void;
  /** Nothing more is received until `resume`: the other end has to wait. */
  pause(): void;
  resume(): void;
  /** Reports what has happened, without the event loop, which a slow script blocks. Does nothing if only that can tell. */
  poll?(): void;
  close(): void;
}

/** 40 random hexadecimal digits: a replication id, or the mark behind a snapshot of unknown length. */
export function randomId(random: RandomSource): string {
  let id = '';
  while (id.length < ID_LENGTH) id += random.integer(0x1000000).toString(16).padStart(6, '0');
  return id.slice(0, ID_LENGTH);
}

export const ID_LENGTH = 40;
