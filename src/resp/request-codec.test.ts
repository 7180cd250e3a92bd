import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../bytes/bytes.js';
import { widen } from '../bytes/wide-buffer.js';
import { MalformedRequest, RequestDecoder } from './request-decoder.js';
import { encodeRequest, findRequest, RequestWriter, requestBytes, writeRequest } from './request-encoder.js';
import { Parsed, RequestParser } from './request-parser.js';
import { RequestText } from './request-text.js';

const request = (...words: string[]): Bytes[] => words.map((word) => Bytes.of(word));

const LIMITS = { maxBulkLength: 1 << 20 };

function texts({ args, argc }: RequestDecoder): string[] {
  return args.slice(0, argc).map(String);
}

describe('requests', () => {
  it('are arrays of bulk strings', () => {
    assert.equal(
      encodeRequest(request('GET', 'key', '')).toString(),
      '*3\r\n$3\r\nGET\r\n$3\r\nkey\r\n$0\r\n\r\n',
    );
  });

  it('are the same bytes as text and buffers for a stream', () => {
    const sent = new RequestText<string | Buffer>((argument) => argument);
    const long = 'ü'.repeat(40);
    sent.add(['SET'], ['k', 'ü']);
    sent.add(['SET'], [Buffer.from([0, 255]), long]);
    sent.add(['PING'], []);
    const bytes = Buffer.concat([...sent.parts, sent.text].map((part) => Buffer.from(part as string)));
    const [set, key] = [Bytes.of('SET'), new Bytes(Buffer.from([0, 255]))];
    const text = (word: string): Bytes => new Bytes(Buffer.from(word));
    const expected = [[set, text('k'), text('ü')], [set, key, text(long)], request('PING')];
    assert.deepEqual(bytes, Buffer.concat(expected.map((args) => encodeRequest(args))));
    sent.clear();
    assert.deepEqual([sent.parts, sent.text], [[], '']);
  });

  it('of an invalid argument are not added', () => {
    const sent = new RequestText<string>(() => {
      throw new Error('invalid');
    });
    assert.throws(() => sent.add(['GET'], ['k']), /invalid/);
    assert.deepEqual([sent.parts, sent.text], [[], '']);
  });

  it('are written the same way argument by argument', () => {
    const chunks: Buffer[] = [];
    const writer = new RequestWriter({
      bytes: (buffer, start, end) => chunks.push(Buffer.from(buffer.subarray(start, end))),
    });
    writer
      .begin(4)
      .text('SET')
      .argument(Bytes.of('k'))
      .text(12)
      .beginArgument(2)
      .sink.bytes(Buffer.from('xy'), 0, 2);
    writer.endArgument();
    assert.deepEqual(Buffer.concat(chunks), encodeRequest(request('SET', 'k', '12', 'xy')));
  });

  it('are decoded, one after another, whatever their bytes', () => {
    const argument = fc.uint8Array({ maxLength: 300 }).map((bytes) => new Bytes(Buffer.from(bytes)));
    fc.assert(
      fc.property(
        fc.array(fc.array(argument, { minLength: 1, maxLength: 12 }), { maxLength: 4 }),
        (requests) => {
          const buffer = Buffer.alloc(requests.reduce((sum, args) => sum + requestBytes(args), 0));
          let end = 0;
          for (const args of requests) end = writeRequest(buffer, end, args);
          assert.equal(end, buffer.length);
          const decoder = new RequestDecoder();
          let at = 0;
          for (const args of requests) {
            assert.ok(decoder.decode(buffer, at, buffer.length));
            assert.deepEqual(texts(decoder), args.map(String));
            at = decoder.end;
          }
          assert.equal(at, end);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are found in the input that they were parsed from, so that they need not be encoded again', () => {
    const argument = fc.uint8Array({ maxLength: 120 }).map((bytes) => new Bytes(Buffer.from(bytes)));
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 12 }), fc.boolean(), (args, isWide) => {
        const encoded = encodeRequest(args);
        const input = Buffer.concat([Buffer.from('*1\r\n$4\r\nPING\r\n'), encoded]);
        const parser = new RequestParser();
        parser.feed(isWide ? widen(input) : input, input.length);
        parser.next(LIMITS);
        assert.equal(parser.next(LIMITS), Parsed.command);
        assert.equal(findRequest(parser.args, parser.argc), input.length - encoded.length);
      }),
    );
  });

  it('that were written in another way are not taken for what would be written', () => {
    const unusual = [
      '*02\r\n$3\r\nGET\r\n$1\r\nk\r\n',
      '*2\r\n$03\r\nGET\r\n$1\r\nk\r\n',
      '*2\r\n$3\r\nGETxx$1\r\nk\r\n',
      '*2\r\n$3\r\nGET\r\n$1\r\nk\n\r',
      '*2\r\n$3\r\nGET\r\n$1\r\nkxx',
      '*2\r\n$3\r\nGET\r\n$1xxk\r\n',
      'GET k\r\n',
    ];
    for (const text of unusual) {
      for (const prepare of [widen, (buffer: Buffer) => buffer]) {
        const parser = new RequestParser();
        parser.feed(prepare(Buffer.from(text)), text.length);
        if (parser.next(LIMITS) !== Parsed.command) continue;
        assert.deepEqual(parser.args.slice(0, parser.argc).map(String), ['GET', 'k'], text);
        assert.equal(findRequest(parser.args, parser.argc), -1, text);
      }
    }
    assert.equal(findRequest(request('GET', 'k')), -1, 'not from one buffer');
    const joined = Buffer.from('GETk');
    assert.equal(findRequest([new Bytes(joined, 0, 3), new Bytes(joined, 3, 4)]), -1, 'without lines');
    assert.equal(findRequest([]), -1);
  });

  it('are reported as incomplete wherever they are cut', () => {
    const whole = encodeRequest(request('SET', 'key', 'a\r\nb'));
    const decoder = new RequestDecoder();
    for (let cut = 0; cut < whole.length; cut++)
      assert.equal(decoder.decode(whole, 0, cut), false, String(cut));
    assert.ok(decoder.decode(whole, 0, whole.length));
  });

  it('are rejected with the offset and the reason if they are malformed', () => {
    const refusals: [text: string, reason: string, at: number][] = [
      ['GET key\r\n', "expected '*', got 'G'", 0],
      ['*0\r\n', 'a command has no arguments', 0],
      ['*-1\r\n', 'a command has no arguments', 0],
      ['*1\r\n:1\r\n', "expected '$', got ':'", 4],
      ['*x\r\n', "expected a number and the end of a line after '*'", 0],
      ['*1\n', "expected a number and the end of a line after '*'", 0],
      ['*1\r\n$-1\r\n', 'an argument has a negative length', 9],
      ['*1\r\n$3\r\nabcde', "expected the end of a line, got 'd'", 11],
      [`*${'1'.repeat(2000)}`, 'a line is too long', 0],
    ];
    for (const [text, reason, at] of refusals) {
      assert.throws(
        () => new RequestDecoder().decode(Buffer.from(text), 0, text.length),
        (error) => error instanceof MalformedRequest && error.message === reason && error.at === at,
        text,
      );
    }
  });
});
