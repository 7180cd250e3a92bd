import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SharedBuffer, type StreamReader } from './shared-buffer.js';

function append(buffer: SharedBuffer, text: string): void {
  const bytes = Buffer.from(text, 'latin1');
  buffer.bytes(bytes, 0, bytes.length);
}

function readAll(reader: StreamReader, max = 7): string {
  let text = '';
  for (let bytes = reader.next(max); bytes !== undefined; bytes = reader.next(max))
    text += bytes.latin1Slice();
  return text;
}

describe('the shared buffer', () => {
  it('gives every reader what follows its offset, whatever is appended in between', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ text: fc.string({ maxLength: 3000 }), reads: fc.boolean(), joins: fc.boolean() }),
        ),
        fc.integer({ min: 0, max: 1 << 40 }),
        (steps, start) => {
          const buffer = new SharedBuffer(start, 16_384);
          const readers: { reader: StreamReader; from: number; read: string }[] = [];
          let all = '';
          for (const { text, reads, joins } of steps) {
            append(buffer, text);
            all += Buffer.from(text, 'latin1').latin1Slice();
            assert.equal(buffer.end, start + all.length);
            if (joins) {
              const reader = buffer.reader(buffer.end) as StreamReader;
              readers.push({ reader, from: all.length, read: '' });
            }
            if (reads) for (const each of readers) each.read += readAll(each.reader);
          }
          for (const each of readers) {
            each.read += readAll(each.reader);
            assert.equal(each.read, all.slice(each.from));
          }
        },
      ),
    );
  });

  it('keeps at least its size for those who come back, and not much more', () => {
    const buffer = new SharedBuffer(0, 16_384);
    for (let i = 0; i < 10_000; i++) append(buffer, `command ${i} `.repeat(3));
    assert.ok(buffer.end - buffer.start >= 16_384);
    assert.ok(buffer.end - buffer.start < 16_384 + 2048);
    assert.equal(buffer.reader(buffer.start - 1), undefined, 'gone');
    assert.equal(buffer.reader(buffer.end + 1), undefined, 'not there yet');
    const reader = buffer.reader(buffer.start) as StreamReader;
    assert.equal(readAll(reader).length, buffer.end - buffer.start);
  });

  it('keeps what a slow reader needs once, however many readers are slow', () => {
    const buffer = new SharedBuffer(0, 16_384);
    const readers = Array.from({ length: 10 }, () => buffer.reader(0) as StreamReader);
    for (let i = 0; i < 1000; i++) append(buffer, 'x'.repeat(1000));
    assert.equal(buffer.held, 1_000_000);
    const parts = readers.map((reader) => reader.next(500) as Buffer);
    for (const part of parts) assert.equal(part.buffer, parts[0]?.buffer, 'no copy');
    for (const reader of readers) reader.close();
    append(buffer, 'x'.repeat(20_000));
    assert.ok(buffer.held < 16_384 + 2048);
  });

  it('uses the memory of blocks again that no reader and no backlog needs', () => {
    const buffer = new SharedBuffer(0, 16_384);
    const reader = buffer.reader(0) as StreamReader;
    const memory = new Set<ArrayBufferLike>();
    for (let i = 0; i < 1000; i++) {
      append(buffer, `${i}`.padStart(1000));
      let text = '';
      for (let bytes = reader.next(300); bytes !== undefined; bytes = reader.next(300)) {
        memory.add(bytes.buffer);
        text += bytes.latin1Slice();
      }
      assert.equal(text.trim(), `${i}`);
    }
    assert.ok(memory.size < 20, `${memory.size} blocks for a backlog of 16`);
  });

  it('gives up bytes when its size is reduced', () => {
    const buffer = new SharedBuffer(0, 1 << 20);
    for (let i = 0; i < 500; i++) append(buffer, 'x'.repeat(1000));
    assert.equal(buffer.start, 0);
    buffer.resize(100_000);
    assert.ok(buffer.end - buffer.start >= 100_000 && buffer.end - buffer.start < 200_000);
  });
});
