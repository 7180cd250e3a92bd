import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { silentSink } from '../commands/session.js';
import { MemorySink } from '../rdb/byte-sink.js';
import { writeFooter } from '../rdb/dump.js';
import { ValueType } from '../rdb/value-type.js';
import { RespWriter } from '../resp/resp-writer.js';
import { Engine } from './engine.js';

/** A hash whose listpack has the fields a, b and again a. */
function hashWithDuplicates(): number[] {
  const elements = ['a', '1', 'b', '2', 'a', '3'].flatMap((text) => [0x81, text.charCodeAt(0), 2]);
  const listpack = Buffer.from([0, 0, 0, 0, 6, 0, ...elements, 0xff]);
  listpack.writeUInt32LE(listpack.length);
  return [ValueType.hashListpack, listpack.length, ...listpack];
}

/** A hash as Redis 2.4 wrote it, with one field whose length has five bytes. */
function zipmapWithLongLength(length: number): number[] {
  const field = [0xfe, length & 255, length >> 8, 0, 0, ...new Array<number>(length).fill(0x61)];
  const zipmap = [1, ...field, 1, 0, 0x62, 0xff];
  return [ValueType.hashZipmap, 0x40 | (zipmap.length >> 8), zipmap.length & 255, ...zipmap];
}

function restore(value: readonly number[]): { readonly reply: string; readonly log: readonly string[] } {
  const engine = new Engine({});
  const log: string[] = [];
  engine.attach({ host: { log: (level, message) => log.push(`${level}: ${message}`) } });
  const sink = new MemorySink();
  sink.bytes(Buffer.from(value), 0, value.length);
  writeFooter(sink);
  const payload = new Bytes(Buffer.from(sink.buffer.subarray(0, sink.length)));
  const writer = new RespWriter();
  const request = [Bytes.of('RESTORE'), Bytes.of('hash'), Bytes.of('0'), payload];
  engine.beginTurn();
  engine.execute(engine.openSession(silentSink), request, request.length, writer);
  engine.endTurn();
  const reply = writer.buffer.toString('latin1', 0, writer.length);
  engine.close();
  return { reply, log };
}

test('a hash with the same field twice is refused by RESTORE, and the log says why', () => {
  assert.deepEqual(restore(hashWithDuplicates()), {
    reply: '-ERR Bad data format\r\n',
    log: ['warning: RESTORE: Hash listpack integrity check failed: listpack with dup elements'],
  });
});

test('a zipmap whose lengths have more bytes than they need is refused', () => {
  assert.deepEqual(restore(zipmapWithLongLength(254)), { reply: '+OK\r\n', log: [] });
  assert.deepEqual(restore(zipmapWithLongLength(253)), {
    reply: '-ERR Bad data format\r\n',
    log: ['warning: RESTORE: Zipmap integrity check failed: a zipmap has a short length in long form'],
  });
});
