import type { RandomSource } from '../../../src/bytes/random.js';
import { encode } from '../../oracle/support/index.js';

/** Valid requests that the generator damages. */
const REQUESTS: readonly Buffer[] = [
  encode('PING'),
  encode('ECHO there'),
  encode('SET k v'),
  encode('GET k'),
  encode(['SET', 'k', Buffer.from([0, 13, 10, 255])]),
  encode(['ECHO', 'x'.repeat(300)]),
  encode(['DEL', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']),
  encode(['ECHO', '']),
  Buffer.from('PING\r\n'),
  Buffer.from('ECHO "quoted \\x41 text"\r\n'),
  Buffer.from("SET k 'single quoted'\n"),
  Buffer.from('\r\n'),
  Buffer.from('*0\r\n'),
  Buffer.from('*-1\r\n'),
];

const FRAGMENTS: readonly string[] = [
  ...['*', '$', '\r\n', '\r', '\n', '\0', '"', "'", '\\', ' ', '-', '+', ':', '_', ','],
  ...[
    '*1\r\n',
    '*2147483647\r\n',
    '*2147483648\r\n',
    '*-2147483648\r\n',
    '*9223372036854775807\r\n',
    '*1x\r\n',
  ],
  ...[
    '$536870912\r\n',
    '$536870913\r\n',
    '$-1\r\n',
    '$4294967295\r\n',
    '$99999999999999999999\r\n',
    '$ 4\r\n',
  ],
  ...[
    '$0\r\n\r\n',
    '$4\r\nPING\r\n',
    '*3\r\n$3\r\nSET\r\n',
    '*1\r\n*1\r\n',
    '$04\r\nPING\r\n',
    '*01\r\n',
    '"\\x',
    '"a"b',
  ],
];

/** Generates invalid, or almost valid, input. */
export class HostileBytes {
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Random bytes. */
  noise(): Buffer {
    const bytes = Buffer.alloc(1 + this.#random.integer(2000));
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#random.integer(256);
    return bytes;
  }

  /** A sequence of requests, damaged at one or two positions. */
  damaged(): Buffer {
    let bytes: Buffer = Buffer.concat(
      Array.from({ length: 1 + this.#random.integer(4) }, () => this.#pick(REQUESTS)),
    );
    for (let damages = this.#random.integer(3); damages >= 0; damages--) bytes = this.#damage(bytes);
    return bytes;
  }

  /** Meaningful fragments, combined at random. */
  assembled(): Buffer {
    const pieces = Array.from({ length: 1 + this.#random.integer(8) }, () =>
      this.#random.next() < 0.7 ? Buffer.from(this.#pick(FRAGMENTS), 'latin1') : this.#pick(REQUESTS),
    );
    return Buffer.concat(pieces);
  }

  #damage(bytes: Buffer): Buffer {
    const at = this.#random.integer(bytes.length + 1);
    const length = this.#random.integer(8);
    const before = bytes.subarray(0, at);
    const rest = bytes.subarray(at);
    switch (this.#random.integer(6)) {
      case 0:
        return Buffer.from(before);
      case 1:
        return Buffer.concat([before, rest.subarray(length)]);
      case 2:
        return Buffer.concat([before, Buffer.from(this.#pick(FRAGMENTS), 'latin1'), rest]);
      case 3:
        return Buffer.concat([before, rest.subarray(0, length), rest]);
      case 4:
        return Buffer.concat([before, Buffer.from([this.#random.integer(256)]), rest.subarray(1)]);
      default:
        return Buffer.from(bytes.latin1Slice().replace(/\d+/, this.#pick(NUMBERS)), 'latin1');
    }
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.integer(from.length)] as T;
  }
}

const NUMBERS = [
  '0',
  '1',
  '2',
  '-1',
  '100',
  '2147483647',
  '2147483648',
  '536870912',
  '536870913',
  '1000000',
  'x',
  '',
];
