import { requestOf } from '../wire/request.js';
import { type NodeSlots, TAG } from './slot-tags.js';

/** The text that random numbers replace: as long as their 12 digits. */
const RANDOM = '__rand_int__';
const DATA = '__data__';

/** The arguments with the data in its place. */
export function withData(args: readonly string[], dataSize: number): string[] {
  return args.map((argument) => argument.replaceAll(DATA, 'x'.repeat(dataSize)));
}

/** What a batch consists of. */
export interface BatchOptions {
  readonly requests: number;
  /** Random numbers are below this; 0 leaves their places as they are. */
  readonly range: number;
  /** Sent as a line of text. */
  readonly inline: boolean;
  readonly seed: number;
  /** In a cluster, the slots whose tags replace `{tag}`. */
  readonly slots?: NodeSlots | undefined;
}

/** Requests that are sent together, encoded once. Only random numbers and the tags of slots are written again. */
export class RequestBatch {
  readonly bytes: Buffer;
  readonly requests: number;
  readonly #places: readonly number[];
  readonly #range: number;
  readonly #slots: NodeSlots | undefined;
  /** Of each request, because all keys of a request must be in one slot. */
  readonly #tagPlaces: readonly (readonly number[])[];
  #state: number;

  constructor(args: readonly string[], { requests, range, inline, seed, slots }: BatchOptions) {
    const one = inline ? Buffer.from(`${args.join(' ')}\r\n`, 'latin1') : requestOf(args);
    this.bytes = Buffer.concat(Array.from({ length: requests }, () => one));
    this.requests = requests;
    this.#range = range;
    this.#places = range > 0 ? placesOf(this.bytes, RANDOM) : [];
    const tags = slots === undefined ? [] : placesOf(one, TAG);
    this.#slots = slots;
    this.#tagPlaces =
      tags.length === 0
        ? []
        : Array.from({ length: requests }, (_, index) => tags.map((at) => index * one.length + at + 1));
    this.#state = seed | 1;
  }

  /** Whether the keys have tags, so that a request that is redirected goes elsewhere next time. */
  get hasTags(): boolean {
    return this.#tagPlaces.length > 0;
  }

  /** Draws new random numbers and tags. */
  renew(): void {
    for (const places of this.#tagPlaces) this.#slots?.writeTag(this.bytes, places);
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

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) places.push(at);
  return places;
}
