import type { ServerResponse } from 'node:http';
import type { StoreTime } from '../../store/index.js';
import { bytesOf, type Entry, type StreamFormat } from './entry.js';
import type { Matches } from './filter.js';
import type { Reader } from './hub.js';

/** How connections of one handler behave. */
export interface ConnectionSettings {
  readonly time: StoreTime;
  /** Max bytes that wait to be sent. */
  readonly maxBuffered: number;
  /** Max ms for a client that catches up to make room. */
  readonly patience: number;
  readonly onDropped: () => void;
}

/** One HTTP response that streams events. */
export class Connection implements Reader {
  position: string;
  readonly #response: ServerResponse;
  readonly #format: StreamFormat;
  readonly #matches: Matches;
  readonly #settings: ConnectionSettings;
  #isOver = false;
  #wroteSinceBeat = false;
  /** Wakes up what waits for room: called when bytes were passed to the operating system, and at the end. */
  #onRoom = (): void => {};
  /** Resolves when the response is finished or its socket closed. */
  readonly closed: Promise<void>;

  constructor(
    response: ServerResponse,
    position: string,
    format: StreamFormat,
    matches: Matches,
    settings: ConnectionSettings,
  ) {
    this.#response = response;
    this.position = position;
    this.#format = format;
    this.#matches = matches;
    this.#settings = settings;
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.#isOver = true;
        this.#onRoom();
        resolve();
      });
    });
    response.on('drain', this.#written);
    response.writeHead(200, {
      'Content-Type':
        format === 'lines' ? 'application/x-ndjson; charset=utf-8' : 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Proxies must not collect what is to be sent at once.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(entry: Entry): void {
    if (this.#matches(entry)) this.#write(entry.bytes(this.#format));
  }

  /** Tells that events are missing. */
  tellGap(position: string): void {
    this.#write(bytesOf({ kind: 'gap', position }, this.#format));
  }

  /** Shows that the connection is alive, if nothing was sent since the last call. */
  beat(): void {
    if (!this.#wroteSinceBeat) this.#write(this.#format === 'lines' ? EMPTY_LINE : COMMENT);
    this.#wroteSinceBeat = false;
  }

  /**
   * While it catches up, a client sets the pace, as long as it reads at all. Node's event `drain` is not enough: it comes only after
   * `writableHighWaterMark` bytes have waited, which may be more than `maxBuffered`. Middleware may not support the callback of `write`.
   */
  async ready(): Promise<void> {
    const { maxBuffered, patience, time } = this.#settings;
    while (!this.#isOver && this.#response.writableLength > maxBuffered / 2) {
      const hasRoom = await new Promise<boolean>((resolve) => {
        const cancel = time.after(patience, () => resolve(false));
        this.#onRoom = () => {
          cancel();
          resolve(true);
        };
      });
      this.#onRoom = () => {};
      if (!hasRoom) this.#drop();
    }
  }

  /** Ends the response in order. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  #write(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#response.writableLength + bytes.length > this.#settings.maxBuffered) {
      this.#drop();
      return;
    }
    this.#response.write(bytes, this.#written);
    this.#wroteSinceBeat = true;
  }

  readonly #written = (): void => this.#onRoom();

  /** The client reads too slowly. It can come back and go on where it was. */
  #drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settings.onDropped();
    this.#response.destroy();
  }
}

const EMPTY_LINE = Buffer.from('\n');
const COMMENT = Buffer.from(':\n\n');
