import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { bytesOf, fileOf, receiveAll, ten, until } from '../../../tests/support/kit-files.js';
import { open, type Store } from '../../store/index.js';
import { type FileSummary, type Files, files } from './index.js';

describe('A reader', () => {
  it('gets an unacknowledged block again', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.send('x', [bytesOf(50)], ten);
    const seen: Buffer[] = [];
    for await (const block of shipping.receive('x', 'ann')) {
      seen.push(block);
      if (seen.length === 3) break;
    }
    const rest = await receiveAll(shipping, 'x', 'ann');
    assert.deepEqual(Buffer.concat([...seen.slice(0, 2), rest]), bytesOf(50));
  });

  it('refuses damaged blocks', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.send('x', [bytesOf(50)], ten);
    const entries = await store.bytes.send('XRANGE', 'file:{x}:blocks', '-', '+');
    const rewrite = async (change: (number: number, block: Buffer) => Buffer | undefined): Promise<void> => {
      await store.send('DEL', 'file:{x}:blocks');
      for (const [id, [, digest, , bytes]] of entries as [Buffer, [Buffer, Buffer, Buffer, Buffer]][]) {
        const block = change(Number.parseInt(id.toString(), 10), bytes);
        if (block !== undefined) {
          await store.send('XADD', 'file:{x}:blocks', id, 'd', digest, 'b', block);
        }
      }
    };
    await rewrite((number, block) => (number === 3 ? Buffer.from(block).fill(7, 0, 1) : block));
    await assert.rejects(receiveAll(shipping, 'x', 'ann'), {
      code: 'DAMAGED',
      message: /^block 3 .*damaged/,
    });
    await rewrite((number, block) => (number === 3 ? undefined : block));
    await assert.rejects(receiveAll(shipping, 'x', 'ann'), {
      code: 'DAMAGED',
      message: /^block 3 .*missing/,
    });
    await rewrite((_, block) => block);
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), bytesOf(50).subarray(20));
  });

  it('waits for blocks until its signal aborts', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.create('x', ten);
    const controller = new AbortController();
    const reading = shipping.receive('x', 'ann', { signal: controller.signal });
    const first = reading.next();
    const source = async function* () {
      yield bytesOf(10);
      await first;
      controller.abort();
      await assert.rejects(reading.next(), { code: 'ABORTED' });
    };
    await shipping.send('x', source());
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), bytesOf(10));
  });

  it('is only one process at a time', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.send('x', [bytesOf(50)], ten);
    const [one, other] = [shipping.receive('x', 'ann'), shipping.receive('x', 'ann')];
    await one.next();
    await other.next();
    await other.next();
    await other.next();
    await assert.rejects(one.next(), { code: 'CONFLICT' });
  });

  it('can be added until the first block is dropped, and can be dropped at any time', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.create('x', { ...ten, space: 20 });
    await shipping.addReader('x', 'bob');
    await shipping.addReader('x', 'cat');
    const sending = shipping.send('x', [bytesOf(40)]);
    assert.equal(await shipping.dropReader('x', 'ann'), 2);
    assert.deepEqual(await receiveFirst(shipping, 'x', 'bob', 2), bytesOf(20));
    await until(async () => (await store.send('HGET', 'file:{x}:meta', 'waiting')) === '1');
    assert.equal(await shipping.dropReader('x', 'cat'), 1);
    await assert.rejects(shipping.addReader('x', 'dan'), { code: 'TOO_LATE' });
    assert.deepEqual(await receiveAll(shipping, 'x', 'bob'), bytesOf(40).subarray(10));
    await sending;
    assert.equal(await shipping.dropReader('x', 'bob'), 0);
    assert.equal(await store.send('DBSIZE'), 0);
  });

  async function receiveFirst(from: Files, name: string, reader: string, count: number): Promise<Buffer> {
    const blocks: Buffer[] = [];
    for await (const block of from.receive(name, reader)) if (blocks.push(block) === count) break;
    return Buffer.concat(blocks);
  }
});

describe('Receiving into a file', () => {
  async function stoppedAfter(count: number, store: Store, path: string): Promise<void> {
    const controller = new AbortController();
    const receiving = files(store).receiveTo('x', 'ann', path, {
      sync: false,
      signal: controller.signal,
      onProgress: ({ blocks }) => blocks === count && controller.abort(),
    });
    await assert.rejects(receiving, { code: 'ABORTED' });
  }
  const goOn = (store: Store, path: string): Promise<FileSummary> => files(store).receiveTo('x', 'ann', path);

  it('resumes with the existing content, and truncates the file at the end', async () => {
    await using store = await open();
    const sent = await files(store).send('x', [bytesOf(55)], ten);
    const path = fileOf(bytesOf(500, 9));
    await stoppedAfter(3, store, path);
    assert.equal((await files(store).status('x')).readers[0]?.blocks, 2);
    await appendFile(path, 'what was written and not acknowledged');
    assert.deepEqual(await goOn(store, path), sent);
    assert.deepEqual(await readFile(path), bytesOf(55));
    assert.deepEqual(await goOn(store, path), sent);
  });

  it('refuses a file without the acknowledged content', async () => {
    await using store = await open();
    await files(store).send('x', [bytesOf(55)], ten);
    const path = fileOf(Buffer.alloc(0));
    await stoppedAfter(4, store, path);
    const written = readFileSync(path);
    writeFileSync(path, Buffer.from(written).fill(1, 12, 13));
    await assert.rejects(goOn(store, path), { code: 'DAMAGED' });
    writeFileSync(path, written);
    await truncate(path, 29);
    await assert.rejects(goOn(store, path), { code: 'DAMAGED' });
    writeFileSync(path, written);
    await goOn(store, path);
    assert.deepEqual(readFileSync(path), bytesOf(55));
  });

  it('creates an empty file for an empty source', async () => {
    await using store = await open();
    await files(store).send('x', [], ten);
    const path = fileOf(bytesOf(3));
    assert.deepEqual((await goOn(store, path)).bytes, 0);
    assert.equal(readFileSync(path).length, 0);
  });
});
