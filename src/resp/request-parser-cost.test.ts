import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Parsed, RequestParser } from './request-parser.js';

/**
 * The cost of parsing, counted in bytes read and copied, not in time: the work per byte of input must not grow with the amount
 * of input, whatever its form, however it is cut into chunks, and however long it is queued.
 */

const LIMITS = { maxBulkLength: 512 * 1024 * 1024 };
const CHUNK = 1 << 12;

/** Counts every byte that is read or copied from the buffers that it wraps. */
class Meter {
  steps = 0;
  readonly #originals = new WeakMap<Buffer, Buffer>();

  wrap(original: Buffer): Buffer {
    const methods = this.#methodsOf(original);
    const proxy = new Proxy(original, {
      get: (target, key) => {
        if (typeof key === 'string' && key.charCodeAt(0) <= 57) {
          this.steps++;
          return target[Number(key)];
        }
        return methods[key as keyof typeof methods] ?? Reflect.get(target, key, target);
      },
    });
    this.#originals.set(proxy, original);
    return proxy;
  }

  /** The methods that read many bytes at once. Any other method fails on a proxy, so that no read is missed. */
  #methodsOf(original: Buffer) {
    return {
      latin1Slice: (from: number, to: number): string => {
        this.steps += to - from;
        return original.latin1Slice(from, to);
      },
      indexOf: (byte: number, from: number): number => {
        const at = original.indexOf(byte, from);
        this.steps += (at < 0 ? original.length : at) - from;
        return at;
      },
      copy: (target: Buffer, to: number, from: number, end: number): number => {
        this.steps += end - from;
        return original.copy(this.#originals.get(target) ?? target, to, from, end);
      },
    };
  }
}

interface Feeding {
  readonly chunk: number;
  /** The number of commands executed per chunk. The others are queued, as after a blocking command. */
  readonly perChunk: number;
}

interface Cost {
  readonly perByte: number;
  readonly isBroken: boolean;
}

/** Feeds the input, then takes the queued commands one at a time. */
function costOf(input: Buffer, { chunk, perChunk }: Feeding): Cost {
  const meter = new Meter();
  const parser = new RequestParser({
    take: (size) => meter.wrap(Buffer.alloc(size)),
    giveBack: () => {},
  });
  const buffer = Buffer.alloc(chunk);
  const shared = meter.wrap(buffer);
  const take = (max: number): Parsed => {
    let parsed: Parsed = Parsed.command;
    for (let taken = 0; taken < max && parsed === Parsed.command; taken++) parsed = parser.next(LIMITS);
    parser.finish();
    return parsed;
  };
  let last: Parsed = Parsed.command;
  for (let from = 0; from < input.length && last !== Parsed.broken; from += chunk) {
    const length = input.copy(buffer, 0, from, Math.min(from + chunk, input.length));
    parser.feed(shared, length);
    last = take(perChunk);
  }
  while (last !== Parsed.broken) {
    last = take(1);
    if (last === Parsed.incomplete) break;
  }
  return { perByte: meter.steps / input.length, isBroken: last === Parsed.broken };
}

const repeated = (text: string) => (bytes: number) =>
  Buffer.from(text.repeat(Math.ceil(bytes / text.length)), 'latin1');

const manyArguments = (bytes: number): Buffer => {
  const count = bytes >> 3;
  return Buffer.from(`*${count + 1}\r\n$3\r\nDEL\r\n${'$2\r\nkk\r\n'.repeat(count)}`);
};

const announced = (bytes: number): Buffer =>
  Buffer.from(`*2\r\n$4\r\nECHO\r\n$${bytes}\r\n${'v'.repeat(bytes)}\r\n`);

const FORMS: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'inline commands of one letter': repeated('X\n'),
  'inline commands': repeated('PING\r\n'),
  'inline commands with quotes': repeated('SET "a b\\x00" \'c d\'\r\n'),
  'empty lines': repeated('\r\n'),
  'empty arrays': repeated('*0\r\n'),
  'commands of one argument': repeated('*1\r\n$4\r\nPING\r\n'),
  'commands of three arguments': repeated('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n'),
  'negative numbers of arguments': repeated('*-1\r\n'),
  'commands of 5,000 bytes': repeated(`*2\r\n$4\r\nECHO\r\n$5000\r\n${'v'.repeat(5000)}\r\n`),
  'one command of many arguments': manyArguments,
  'one long argument': announced,
};

/** Lines without an end; the parser rejects them at 64 KB. */
const ENDLESS_LINES: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'an inline command without an end': repeated('x'),
  'an inline command behind a NUL': (bytes) =>
    Buffer.concat([Buffer.from('x\0'), repeated('X\n')(bytes - 2)]),
  'a number without an end': (bytes) => Buffer.from(`*${'0'.repeat(bytes - 1)}`),
  'a length without an end': (bytes) => Buffer.from(`*1\r\n$${'0'.repeat(bytes - 5)}`),
  'a length behind a NUL': (bytes) => Buffer.from(`*1\r\n$1\0${'\r'.repeat(bytes - 7)}`),
};

const FEEDINGS: Readonly<Record<string, Feeding>> = {
  'in large chunks': { chunk: CHUNK, perChunk: Number.POSITIVE_INFINITY },
  'in chunks of seven bytes': { chunk: 7, perChunk: Number.POSITIVE_INFINITY },
  'queued as a whole': { chunk: CHUNK, perChunk: 0 },
  'queued in chunks of seven bytes, one executed with each': { chunk: 7, perChunk: 1 },
};

/** The maximum for all forms of input: each byte is read, copied to the queue, and moved when the queue grows. */
const MAX_STEPS_PER_BYTE = 12;

function assertLinear(form: (bytes: number) => Buffer, feeding: Feeding, sizes: readonly number[]): void {
  const costs = sizes.map((size) => costOf(form(size), feeding));
  const text = `${costs.map(({ perByte }) => perByte.toFixed(2)).join(', ')} steps per byte`;
  const [small, large] = costs as [Cost, Cost];
  assert.equal(large.isBroken, false, 'the input was not parsed to its end');
  assert.ok(large.perByte <= MAX_STEPS_PER_BYTE, text);
  // Buffers grow by doubling: the share of copied bytes varies with the size, by less than two copies.
  assert.ok(large.perByte <= small.perByte + 2, text);
}

describe('The work per byte of input does not grow with the amount of input', () => {
  for (const [how, feeding] of Object.entries(FEEDINGS)) {
    for (const [name, form] of Object.entries(FORMS)) {
      it(`${name}, ${how}`, () => assertLinear(form, feeding, [1 << 14, 1 << 17]));
    }
    for (const [name, form] of Object.entries(ENDLESS_LINES)) {
      it(`${name}, ${how}`, () => assertLinear(form, feeding, [1 << 13, 1 << 16]));
    }
  }
});
