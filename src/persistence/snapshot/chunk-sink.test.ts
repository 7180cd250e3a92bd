import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Crc64 } from '../../bytes/crc64.js';
import { ChunkSink } from './chunk-sink.js';

const TEXT = Buffer.from('0123456789'.repeat(20_000));

it('a chunk is used again only if its receiver allows that', () => {
  for (const reuses of [false, true]) {
    const chunks: Buffer[] = [];
    const copies: Buffer[] = [];
    const sink = new ChunkSink(
      false,
      (chunk) => {
        chunks.push(chunk);
        copies.push(Buffer.from(chunk));
      },
      reuses,
    );
    for (let at = 0; at < TEXT.length; at += 999) sink.bytes(TEXT, at, Math.min(at + 999, TEXT.length));
    sink.flush();
    assert.deepEqual(Buffer.concat(copies), TEXT);
    assert.equal(new Set(chunks.map(({ buffer }) => buffer)).size, reuses ? 1 : chunks.length);
    assert.equal(Buffer.concat(chunks).equals(TEXT), !reuses);
  }
});

it('the checksum is the same however often it is brought up to date', () => {
  const checksums = [0, 1, 7].map((every) => {
    const sink = new ChunkSink(true, () => {});
    for (let at = 0, piece = 0; at < TEXT.length; at += 999, piece++) {
      sink.bytes(TEXT, at, Math.min(at + 999, TEXT.length));
      if (every > 0 && piece % every === 0) sink.sum();
    }
    return sink.checksum().toString('hex');
  });
  const whole = Buffer.alloc(8);
  new Crc64().update(TEXT, 0, TEXT.length).writeTo(whole, 0);
  assert.equal(checksums[0], whole.toString('hex'));
  assert.equal(new Set(checksums).size, 1);
});
