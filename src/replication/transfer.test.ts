import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import { MemoryInbox } from './inbox.js';
import { parseAnnouncement, Transfer } from './transfer.js';

const MARK = '0123456789abcdef'.repeat(3).slice(0, 40);

/** Cuts the bytes at these places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

async function contents(inbox: MemoryInbox, length: number): Promise<Buffer> {
  const source = await inbox.finish();
  const whole = source.bytes(length, new Bytes()).toBuffer();
  const crc = new Crc64().update(whole, 0, whole.length);
  assert.deepEqual(
    { low: source.checksum().low, high: source.checksum().high },
    { low: crc.low, high: crc.high },
  );
  assert.throws(() => source.byte(), /ends in the middle/);
  return whole;
}

describe('a transfer', () => {
  it('of known length ends there, and leaves what follows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat()), async (data, cuts) => {
        const bytes = Buffer.from(data);
        const inbox = new MemoryInbox();
        const transfer = new Transfer({ kind: 'length', length: bytes.length }, inbox);
        let rest = '';
        for (const piece of pieces(Buffer.concat([bytes, Buffer.from('stream')]), cuts)) {
          const taken = transfer.isComplete ? 0 : transfer.take(piece);
          rest += piece.subarray(taken).toString('latin1');
        }
        assert.ok(transfer.isComplete);
        assert.equal(rest, 'stream');
        assert.deepEqual(await contents(inbox, bytes.length), bytes);
      }),
    );
  });

  it('of unknown length ends with the mark, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat()), async (data, cuts) => {
        // The data may contain beginnings of the mark.
        const bytes = Buffer.concat([
          Buffer.from(data),
          Buffer.from(MARK.slice(0, data.length % 40)),
          Buffer.from('.'),
        ]);
        const inbox = new MemoryInbox();
        const transfer = new Transfer({ kind: 'mark', mark: Buffer.from(MARK) }, inbox);
        for (const piece of pieces(Buffer.concat([bytes, Buffer.from(MARK)]), cuts)) {
          assert.equal(transfer.take(piece), piece.length);
        }
        assert.ok(transfer.isComplete);
        assert.deepEqual(await contents(inbox, bytes.length), bytes);
      }),
    );
  });

  it('is announced by a length or a mark', () => {
    assert.deepEqual(parseAnnouncement('$123'), { kind: 'length', length: 123 });
    assert.deepEqual(parseAnnouncement(`$EOF:${MARK}`), { kind: 'mark', mark: Buffer.from(MARK) });
    for (const line of ['', '$', '$-1', '$EOF:short', ':5', '-ERR no', '$1x']) {
      assert.equal(parseAnnouncement(line), undefined, line);
    }
  });
});
