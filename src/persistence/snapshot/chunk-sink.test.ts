import assert from 'node:assert/strict';
import { it } from 'node:test';
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
