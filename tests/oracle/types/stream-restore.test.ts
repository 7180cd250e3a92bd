import { Crc64 } from '../../../src/bytes/crc64.js';
import { compareCases, serveWith, typeOnly } from '../support/index.js';
import { milliseconds } from './stream-support.js';

/** Payloads written by hand: formats of older versions, and invalid ones. */

serveWith('--sanitize-dump-payload', 'yes');

const STREAM = 15;
const STREAM_2 = 19;

class Payload {
  readonly #bytes: number[];

  constructor(type: number) {
    this.#bytes = [type];
  }

  /** A number in the form of a length. */
  length(value: number | bigint): this {
    if (typeof value === 'number' && value < 64) this.#bytes.push(value);
    else this.#bytes.push(0x81, ...bigEndian(BigInt(value)));
    return this;
  }

  string(bytes: Uint8Array | string): this {
    const content = Buffer.from(bytes as string);
    return this.length(content.length).raw(content);
  }

  raw(bytes: Iterable<number>): this {
    this.#bytes.push(...bytes);
    return this;
  }

  id(ms: number, seq: number): this {
    return this.raw([...bigEndian(BigInt(ms)), ...bigEndian(BigInt(seq))]);
  }

  time(ms: number | bigint): this {
    return this.raw(bigEndian(BigInt(ms)).reverse());
  }

  finish(): Buffer {
    const body = Buffer.from([...this.#bytes, 10, 0]);
    const footer = Buffer.alloc(8);
    new Crc64().reset().update(body, 0, body.length).writeTo(footer, 0);
    return Buffer.concat([body, footer]);
  }
}

function bigEndian(value: bigint): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return [...bytes];
}

/** A listpack of small numbers and short strings. */
function listpack(...elements: (number | string)[]): Buffer {
  const body = elements.flatMap((element) =>
    typeof element === 'number'
      ? [element, 1]
      : [0x80 | element.length, ...Buffer.from(element), element.length + 1],
  );
  const head = Buffer.alloc(6);
  head.writeUInt32LE(body.length + 7);
  head.writeUInt16LE(elements.length, 4);
  return Buffer.concat([head, Buffer.from(body), Buffer.from([0xff])]);
}

/** Entries 5-1 (deleted), 5-2 and 5-3. */
const block = listpack(
  ...[2, 1, 1, 'f', 0],
  ...[3, 0, 0, 'gone', 4],
  ...[2, 0, 1, 'here', 4],
  ...[0, 0, 2, 1, 'g', 'too', 6],
);

function withBlock(type: number, bytes: Uint8Array = block, id: readonly [number, number] = [5, 1]): Payload {
  const key = Buffer.from([...bigEndian(BigInt(id[0])), ...bigEndian(BigInt(id[1]))]);
  return new Payload(type).length(1).string(key).string(bytes);
}

/** Length 2, last ID 7-0. */
const old = (): Payload => withBlock(STREAM).length(2).length(7).length(0);
/** The same, first ID 5-2, deleted up to 5-1, three added. */
const recent = (bytes?: Uint8Array): Payload =>
  withBlock(STREAM_2, bytes).length(2).length(7).length(0).length(5).length(2).length(5).length(1).length(3);

const restore = (payload: Payload): (string | Buffer)[] => ['RESTORE', 's', '0', payload.finish(), 'REPLACE'];

compareCases('streams of older versions are restored', [
  restore(old().length(0)),
  'XINFO STREAM s FULL',
  restore(
    old()
      .length(2)
      .string('g')
      .length(5)
      .length(2)
      .length(1)
      .id(5, 2)
      .time(1000)
      .length(3)
      .length(2)
      .string('alice')
      .time(1000)
      .length(1)
      .id(5, 2)
      .string('bob')
      .time(1000)
      .length(0)
      .string('h')
      .length(9)
      .length(9)
      .length(0)
      .length(0),
  ),
  milliseconds('XINFO STREAM s FULL'),
  'XINFO GROUPS s',
  'XADD s 7-1 a b',
  'XREADGROUP GROUP g bob STREAMS s >',
  'XREADGROUP GROUP g alice STREAMS s 0',
  'XRANGE s - +',
  restore(new Payload(STREAM).length(0).length(0).length(0).length(0).length(0)),
  'XINFO STREAM s',
]);

compareCases('streams in the current format are restored', [
  restore(recent().length(0)),
  'XINFO STREAM s FULL',
  'DUMP s',
  restore(
    recent()
      .length(1)
      .string('g')
      .length(5)
      .length(2)
      .length(-1n)
      .length(2)
      .id(5, 2)
      .time(1000)
      .length(3)
      .id(5, 3)
      .time(2000)
      .length(2n ** 63n - 1n)
      .length(1)
      .string('')
      .time(1000)
      .length(2)
      .id(5, 2)
      .id(5, 3),
  ),
  milliseconds('XINFO STREAM s FULL'),
  'DUMP s',
]);

const group = (): Payload => recent().length(1).string('g').length(5).length(2).length(1);

compareCases('damaged streams are rejected', [
  restore(new Payload(STREAM_2).length(1).string('short').string(block)),
  restore(
    new Payload(STREAM_2)
      .length(0)
      .length(3)
      .length(1)
      .length(1)
      .length(0)
      .length(0)
      .length(0)
      .length(0)
      .length(3)
      .length(0),
  ),
  restore(recent(listpack()).length(0)),
  restore(recent(listpack(2, 1, 1, 'f', 0)).length(0)),
  restore(recent(listpack(1, 0, 9, 'f', 0, 2, 0, 0, 'v', 4)).length(0)),
  restore(recent(listpack(1, 0, 1, 'f', 1, 2, 0, 0, 'v', 4)).length(0)),
  restore(recent(listpack(1, 0, 1, 'f', 0, 2, 0, 0, 'v', 5)).length(0)),
  restore(recent(listpack(1, 0, 1, 'f', 0, 2, 0, 0, 'v')).length(0)),
  restore(recent(listpack(1, 0, 1, 'f', 0, 0, 0, 0, 3, 'v', 'w', 4)).length(0)),
  restore(recent(listpack(1, 0, 1, 'f', 0, 2, 'x', 0, 'v', 4)).length(0)),
  restore(recent(listpack(1, 1, 1, 'f', 0, 2, 0, 0, 'v', 4)).length(0)),
  restore(recent(listpack('x', 0, 1, 'f', 0, 2, 0, 0, 'v', 4)).length(0)),
  restore(recent(block.subarray(0, 20)).length(0)),
  // A group twice; an entry pending twice, for no consumer, for another consumer, for two.
  restore(group().length(0).length(0).string('g').length(5).length(2).length(1).length(0).length(0)),
  restore(group().length(2).id(5, 2).time(1).length(1).id(5, 2).time(1).length(1).length(0)),
  restore(group().length(1).id(5, 2).time(1).length(1).length(0)),
  restore(group().length(0).length(1).string('c').time(1).length(1).id(5, 2)),
  restore(
    group()
      .length(1)
      .id(5, 2)
      .time(1)
      .length(1)
      .length(2)
      .string('c')
      .time(1)
      .length(1)
      .id(5, 2)
      .string('d')
      .time(1)
      .length(1)
      .id(5, 2),
  ),
  restore(group().length(0).length(2).string('c').time(1).length(0).string('c').time(1).length(0)),
  'EXISTS s',
]);

const LATEST = 2n ** 63n - 1n;

const delivered = (time: bigint): Payload =>
  group().length(1).id(5, 2).time(time).length(1).length(1).string('c').time(time).length(1).id(5, 2);

compareCases('delivery times at the edges of 64 bits are returned and dumped', [
  ...[2n ** 60n, -LATEST - 1n, -1n].flatMap((time) => [
    restore(delivered(time)),
    'XINFO STREAM s FULL',
    'DUMP s',
    'COPY s s2 REPLACE',
    'XINFO STREAM s2 FULL',
    'DEBUG RELOAD',
    'XINFO STREAM s FULL',
  ]),
  // Beyond 2^53 the last digits are not stored.
  restore(delivered(LATEST)),
  typeOnly('XINFO STREAM s FULL', 'the time is not exact'),
  'DEBUG RELOAD',
  typeOnly('XINFO STREAM s FULL', 'the time is not exact'),
]);
