import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EMPTY_BUFFER } from '../bytes/bytes.js';
import { wideBuffer } from '../bytes/wide-buffer.js';
import { Parsed, RequestParser } from './request-parser.js';

const LIMITS = { maxBulkLength: 512 * 1024 * 1024 };

function encode(words: readonly Buffer[]): Buffer {
  const pieces = words.flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...pieces]);
}

/** One client's input, cut into chunks that are passed in the same buffer, as in a server. */
class Input {
  readonly parser = new RequestParser();
  readonly commands: string[][] = [];
  error = '';
  readonly #shared: Buffer;

  constructor(chunkBytes = 1 << 16, isWide = true) {
    this.#shared = isWide ? wideBuffer(chunkBytes) : Buffer.alloc(chunkBytes);
  }

  /** Passes a chunk on. At most `max` commands are taken from it; the others wait for `take`. */
  receive(chunk: Buffer, max = Number.POSITIVE_INFINITY): void {
    chunk.copy(this.#shared);
    this.parser.feed(this.#shared, chunk.length);
    this.take(max);
    this.#shared.fill('?');
  }

  take(max = Number.POSITIVE_INFINITY): void {
    for (let taken = 0; taken < max; taken++) {
      const parsed = this.parser.next(LIMITS);
      if (parsed === Parsed.broken) this.error = this.parser.error;
      if (parsed !== Parsed.command) break;
      const { args, argc } = this.parser;
      this.commands.push(args.slice(0, argc).map(String));
    }
    this.parser.finish();
  }

  receiveAll(bytes: Buffer, cuts: readonly number[] = []): void {
    let from = 0;
    for (const to of [...new Set(cuts)].sort((a, b) => a - b).concat(bytes.length)) {
      if (to <= from || to > bytes.length) continue;
      for (; from < to; from = Math.min(to, from + this.#shared.length)) {
        this.receive(bytes.subarray(from, Math.min(to, from + this.#shared.length)));
      }
      from = to;
    }
  }
}

const word = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const command = fc.array(word, { minLength: 1, maxLength: 6 });

describe('RequestParser', () => {
  it('finds the same in wide buffers, where it reads words, as byte by byte, also in damaged input', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('*$0123456789-\r\n \0x'))), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 8 }),
        damage,
        fc.array(fc.nat(400)),
        (commands, changes, cuts) => {
          const bytes = Buffer.concat(commands.map(encode));
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const [wide, plain] = [true, false].map((isWide) => {
            const input = new Input(1 << 16, isWide);
            input.receiveAll(bytes, cuts);
            return { commands: input.commands, error: input.error, buffered: input.parser.buffered };
          });
          assert.deepEqual(wide, plain);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds the same commands however the input is cut', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 8 }),
        fc.array(fc.nat(4000), { maxLength: 40 }),
        (commands, cuts) => {
          const input = new Input();
          input.receiveAll(Buffer.concat(commands.map(encode)), cuts);
          assert.equal(input.error, '');
          const expected = commands.map((words) => words.map((each) => each.latin1Slice()));
          assert.deepEqual(input.commands, expected);
          assert.equal(input.parser.buffered, 0);
          assert.equal(input.parser.bufferSize, 0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('finds the same commands when they wait in the queue', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 30 }),
        fc.array(fc.nat(4000), { maxLength: 10 }),
        fc.array(fc.nat(3), { maxLength: 30 }),
        (commands, cuts, pace) => {
          const input = new Input();
          const bytes = Buffer.concat(commands.map(encode));
          let from = 0;
          let turn = 0;
          for (const to of [...cuts.sort((a, b) => a - b), bytes.length]) {
            if (to > bytes.length || to < from) continue;
            input.receive(bytes.subarray(from, to), pace[turn++] ?? 1);
            input.take(pace[turn++] ?? 1);
            from = to;
          }
          input.take();
          assert.deepEqual(
            input.commands,
            commands.map((words) => words.map((each) => each.latin1Slice())),
          );
          assert.equal(input.parser.bufferSize, 0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('never throws, whatever the input', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '*',
        '$',
        '\r\n',
        '\n',
        '\0',
        '"',
        "'",
        '-',
        '1',
        '3',
        '2147483647',
        '536870912',
        'GET',
        ' ',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(100)), (pieces, cuts) => {
        const input = new Input();
        const whole = new Input();
        const bytes = Buffer.from(pieces.join(''), 'latin1');
        input.receiveAll(bytes, cuts);
        whole.receiveAll(bytes);
        assert.deepEqual(input.commands.slice(0, whole.commands.length), whole.commands);
      }),
      { numRuns: 500 },
    );
  });

  it('allocates memory for the bytes of an argument that arrived, not for its announced length', () => {
    const input = new Input();
    input.receive(Buffer.from('*2\r\n$4\r\nECHO\r\n$536870912\r\nx'));
    assert.ok(input.parser.bufferSize <= 2 << 20, `${input.parser.bufferSize}`);
    let sent = 1;
    const chunk = Buffer.alloc(1 << 16);
    for (; sent < 20 << 20; sent += chunk.length) {
      input.receive(chunk);
      assert.ok(input.parser.bufferSize <= Math.max(2 << 20, sent * 3));
    }
    assert.equal(input.error, '');
  });

  it('allocates no more than an argument needs once most of it has arrived', () => {
    const input = new Input();
    const length = 3_000_000;
    input.receive(Buffer.from(`*2\r\n$4\r\nECHO\r\n$${length}\r\n`));
    const chunk = Buffer.alloc(1 << 16, 'v');
    let left = length;
    for (; left > chunk.length; left -= chunk.length) input.receive(chunk);
    assert.ok(input.parser.bufferSize <= length + 100, `${input.parser.bufferSize}`);
    input.receive(Buffer.concat([chunk.subarray(0, left), Buffer.from('\r\n')]));
    assert.equal(input.commands[0]?.[1]?.length, length);
    assert.equal(input.parser.bufferSize, 0);
  });

  it('frees the memory of a long argument, even if more input follows it', () => {
    const input = new Input();
    const long = encode([Buffer.from('ECHO'), Buffer.alloc(5_000_000, 'v')]);
    input.receiveAll(long);
    assert.ok(input.parser.args.every((view) => view.buf === EMPTY_BUFFER));
    input.receiveAll(Buffer.concat([long, Buffer.from('*1\r\n$4\r\nPI')]));
    assert.ok(input.parser.bufferSize < 100_000, `${input.parser.bufferSize}`);
    input.receiveAll(Buffer.from('NG\r\n'));
    assert.deepEqual(input.commands.at(-1), ['PING']);
  });

  it('takes linear time when many arguments arrive slowly', () => {
    const input = new Input();
    const count = 100_000;
    input.receive(Buffer.from(`*${count}\r\n`));
    const pair = Buffer.from('$1\r\na\r\n$1\r\nb\r\n');
    for (let i = 0; i < count; i += 2) input.receive(pair);
    assert.equal(input.commands.length, 1);
    assert.equal(input.commands[0]?.length, count);
    assert.ok(input.parser.args.length <= 1024, 'the views are released');
  });

  it('takes linear time when commands are queued', () => {
    const input = new Input();
    const ping = Buffer.from('*1\r\n$4\r\nPING\r\n');
    const many = Buffer.concat(Array.from({ length: 4000 }, () => ping));
    for (let i = 0; i < 50; i++) input.receive(many, 0);
    for (let i = 0; i < 200_000; i++) input.take(1);
    assert.equal(input.commands.length, 200_000);
    assert.equal(input.parser.bufferSize, 0);
  });
});
