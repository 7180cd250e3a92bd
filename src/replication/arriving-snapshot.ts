import type { Bytes } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import { CorruptData, Starved } from '../rdb/byte-source.js';
import type { ArrivingSource } from '../rdb/rdb-loader.js';
import type { Inbox, ReceivedSnapshot } from './inbox.js';

/** Stops and restarts the sender of a snapshot. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * A snapshot that is loaded while it is received (`repl-diskless-load`), so that only its next few MB are in memory. If it arrives faster than
 * it is loaded, the sender is paused. A value is read once it is there as a whole.
 */
export class ArrivingSnapshot implements Inbox, ReceivedSnapshot, ArrivingSource {
  position = 0;
  readonly #flow: Flow;
  /** From the one with the mark on. */
  #chunks: Buffer[] = [];
  /** The chunk that is read, and the place in it. */
  #index = 0;
  #at = 0;
  #markAt = 0;
  #markPosition = 0;
  readonly #crc = new Crc64();
  /** How much of the first chunk the checksum includes. */
  #checked = 0;
  #received = 0;
  /** How many bytes behind the mark are needed before it is worth to read again. */
  #wanted = 0;
  #end: 'arriving' | 'complete' | 'lost' = 'arriving';
  /** The sender waits until what it has sent is loaded. */
  isPaused = false;
  #arrived: (() => void) | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  // ---- the sender ----

  write(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#hasEnough) this.#tell();
    if (this.isPaused || this.#waiting < Math.max(MAX_WAITING, this.#wanted)) return;
    this.isPaused = true;
    this.#flow.pause();
  }

  /** Everything has arrived. */
  async finish(): Promise<this> {
    this.#end = 'complete';
    this.#tell();
    return this;
  }

  /** The rest will not arrive. */
  discard(): void {
    if (this.#end === 'arriving') this.#end = 'lost';
    this.#tell();
  }

  get isLost(): boolean {
    return this.#end === 'lost';
  }

  /** Bytes that are received and not loaded. */
  get #waiting(): number {
    return this.#received - this.#markPosition;
  }

  get #hasEnough(): boolean {
    return this.#end !== 'arriving' || this.#waiting >= this.#wanted;
  }

  #tell(): void {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    arrived?.();
  }

  // ---- the loader ----

  async arrival(): Promise<void> {
    this.#resume();
    if (!this.#hasEnough) await this.#told();
  }

  /** Resolves when the sender has sent everything, also what follows the end of the file. */
  async completed(): Promise<void> {
    this.#resume();
    this.#wanted = Number.POSITIVE_INFINITY;
    if (!this.#hasEnough) await this.#told();
  }

  #resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.#flow.resume();
  }

  #told(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  mark(): void {
    while (this.#index > 0) this.#dropFirst();
    this.#markAt = this.#at;
    this.#markPosition = this.position;
  }

  #dropFirst(): void {
    const first = this.#chunks.shift() as Buffer;
    this.#crc.update(first, this.#checked, first.length);
    this.#checked = 0;
    this.#index--;
  }

  rewind(): void {
    this.#index = 0;
    this.#at = this.#markAt;
    this.position = this.#markPosition;
  }

  byte(): number {
    while (this.#at === (this.#chunks[this.#index]?.length ?? this.#starve(1))) this.#advance();
    this.position++;
    return (this.#chunks[this.#index] as Buffer)[this.#at++] as number;
  }

  bytes(length: number, view: Bytes): Bytes {
    const chunk = this.#chunks[this.#index];
    if (chunk === undefined || length > chunk.length - this.#at) return this.#joined(length, view);
    const start = this.#at;
    this.#at += length;
    this.position += length;
    return view.set(chunk, start, this.#at);
  }

  #advance(): void {
    this.#index++;
    this.#at = 0;
  }

  #joined(length: number, view: Bytes): Bytes {
    if (this.#received - this.position < length) this.#starve(length);
    const joined = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const chunk = this.#chunks[this.#index] as Buffer;
      const taken = chunk.copy(joined, filled, this.#at);
      this.#at += taken;
      filled += taken;
      if (filled < length) this.#advance();
    }
    this.position += length;
    return view.set(joined, 0, length);
  }

  /** Twice what was there is waited for, so that a long value is not begun again for every chunk. */
  #starve(length: number): never {
    if (this.#end === 'complete') throw new CorruptData('the snapshot ends in the middle of a value');
    if (this.#end === 'lost') throw new CorruptData('the connection was lost');
    const begun = this.position - this.#markPosition;
    this.#wanted = Math.max(begun + length, Math.min(2 * this.#waiting, this.#waiting + MAX_WAITING));
    throw new Starved();
  }

  /** Of everything before the checksum itself, which must be there: what is included cannot be taken back. */
  checksum(): Crc64 {
    if (this.#received - this.position < CHECKSUM_BYTES) this.#starve(CHECKSUM_BYTES);
    this.mark();
    if (this.#chunks.length > 0) this.#crc.update(this.#chunks[0] as Buffer, this.#checked, this.#at);
    this.#checked = this.#at;
    return this.#crc;
  }

  close(): void {
    this.#chunks = [];
  }
}

const CHECKSUM_BYTES = 8;
/** Bytes that may wait to be loaded. */
const MAX_WAITING = 8 << 20;
