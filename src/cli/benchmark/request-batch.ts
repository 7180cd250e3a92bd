import { requestOf } from '../wire/request.js';

/** The text that random numbers replace: as long as their 12 digits. */
const RANDOM = '__rand_int__';
const DATA = '__data__';

/** The arguments with the data in its place. */
export function withData(args: readonly string[], dataSize: number): string[] {
  return args.map((argument) => argument.replaceAll(DATA, 'x'.repeat(dataSize)));
}

/** Requests that are sent together, encoded once. Only the digits of random numbers are written again. */
export class RequestBatch {
  readonly bytes: Buffer;
  readonly requests: number;
  readonly #places: readonly number[];
  readonly #range: number;
  #state: number;

  /** `inline`: sent as a line of text. A range of 0 leaves the texts as they are. */
  constructor(args: readonly string[], requests: number, range: number, inline: boolean, seed: number) {
    const one = inline ? Buffer.from(`${args.join(' ')}\r\n`, 'latin1') : requestOf(args);
    this.bytes = Buffer.concat(Array.from({ length: requests }, () => one));
    this.requests = requests;
    this.#range = range;
    this.#places = range > 0 ? placesOf(this.bytes) : [];
    this.#state = seed | 1;
  }

  /** Draws new random numbers. */
  renew(): void {
    for (const place of this.#places) {
      let number = this.#draw();
      for (let at = place + RANDOM.length - 1; at >= place; at--) {
        this.bytes[at] = 48 + (number % 10);
        number = Math.floor(number / 10);
      }
    }
  }

  #draw(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return Math.floor(((state >>> 0) / 2 ** 32) * this.#range);
  }
}

function placesOf(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(RANDOM); at >= 0; at = bytes.indexOf(RANDOM, at + RANDOM.length))
    places.push(at);
  return places;
}
