import type { RandomSource } from '../../bytes/random.js';
import type { Call } from '../call.js';
import { REDIS_VERSION } from '../version.js';

const SIGNATURE = `Redis ver. ${REDIS_VERSION}\n`;

/** LOLWUT [VERSION version …]: version 5 and 6 get a picture, whose last words are the server's version. */
export function lolwut(call: Call): void {
  let version = 0;
  if (call.argc > 2 && call.arg(1).is('version')) version = call.integer(2);
  const picture = version === 5 || version === 6 ? `${schotter(call.keyspace.random)}\n` : '';
  const caption = picture === '' ? '' : 'After Georg Nees, Schotter, 1968. ';
  // Braille characters are three bytes each: latin1 text holds them byte by byte.
  call.reply.verbatim('txt', Buffer.from(picture + caption + SIGNATURE).toString('latin1'));
}

const SQUARES_ACROSS = 8;
const SQUARES_DOWN = 12;
const SIDE = 16;

/** Squares in a grid; the further down, the more they are moved and turned. */
function schotter(random: RandomSource): string {
  const canvas = new Canvas(SQUARES_ACROSS * SIDE + 4, SQUARES_DOWN * SIDE + 4);
  const disorder = (): number => random.next() * 2 - 1;
  for (let row = 0; row < SQUARES_DOWN; row++) {
    const amount = row / SQUARES_DOWN;
    for (let column = 0; column < SQUARES_ACROSS; column++) {
      const x = 2 + (column + 0.5) * SIDE + disorder() * amount * (SIDE / 3);
      const y = 2 + (row + 0.5) * SIDE + disorder() * amount * (SIDE / 3);
      canvas.square(x, y, SIDE / Math.SQRT2, Math.PI / 4 + disorder() * amount);
    }
  }
  return canvas.toString();
}

/** Dots, shown as braille characters of two by four. */
class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #dots: Uint8Array;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#dots = new Uint8Array(width * height);
  }

  /** A square around (x, y) whose corners are `radius` away, the first of them at `angle`. */
  square(x: number, y: number, radius: number, angle: number): void {
    const corner = (i: number): readonly [number, number] => {
      const direction = angle + (i * Math.PI) / 2;
      return [x + Math.cos(direction) * radius, y + Math.sin(direction) * radius];
    };
    for (let i = 0; i < 4; i++) this.#line(corner(i), corner(i + 1));
  }

  #line([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): void {
    const steps = Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)));
    for (let i = 0; i <= steps; i++) {
      this.#dot(Math.round(x1 + ((x2 - x1) * i) / steps), Math.round(y1 + ((y2 - y1) * i) / steps));
    }
  }

  #dot(x: number, y: number): void {
    if (x >= 0 && x < this.#width && y >= 0 && y < this.#height) this.#dots[y * this.#width + x] = 1;
  }

  toString(): string {
    let text = '';
    for (let y = 0; y < this.#height; y += 4) {
      for (let x = 0; x < this.#width; x += 2) text += String.fromCharCode(0x2800 + this.#bits(x, y));
      text += '\n';
    }
    return text;
  }

  #bits(x: number, y: number): number {
    let bits = 0;
    BRAILLE_DOTS.forEach(([dx, dy], bit) => {
      if (y + dy < this.#height && this.#dots[(y + dy) * this.#width + x + dx] === 1) bits |= 1 << bit;
    });
    return bits;
  }
}

/** The position of the dot for each bit of a braille character. */
const BRAILLE_DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;
