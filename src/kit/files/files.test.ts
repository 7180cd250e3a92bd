import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open, type Store } from '../../store/index.js';
import { type FileSummary, type Files, files } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes that differ from place to place, and are not text. */
function bytesOf(length: number, seed = 1): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => ((i * 131 + seed * 17) ^ (i >> 8)) & 255));
}

let paths = 0;
function fileOf(bytes: Buffer): string {
  const path = join(folder, `f${paths++}`);
  writeFileSync(path, bytes);
  return path;
}

/** Gives a function that makes a transfer what it was, as a failover may do. */
function keepStateOf(store: EmbeddedStore, name: string): () => void {
  const keys = ['meta', 'blocks', 'readers', 'digests'].map((part) => `file:{${name}}:${part}`);
  const kept = keys.map((key) => [key, store.sync.bytes.send('DUMP', key) as Buffer | null] as const);
  return () => {
    for (const [key, value] of kept) {
      if (value === null) store.sync.send('DEL', key);
      else store.sync.send('RESTORE', key, 0, value, 'REPLACE');
    }
  };
}

async function receiveAll(from: Files, name: string, reader: string): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of from.receive(name, reader)) blocks.push(block);
  return Buffer.concat(blocks);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

const ten = { readers: ['ann'], blockSize: 10 };

describe('A file in transfer', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const shipping = files(store);
    const lines = [Buffer.from('line 1\n'), Buffer.from('line 2\n')];
    await shipping.send('report', lines, { readers: ['ann'] });
    assert.equal((await receiveAll(shipping, 'report', 'ann')).toString(), 'line 1\nline 2\n');
    assert.equal((await shipping.status('report')).isRead, true);
  });

  it('reaches all readers as it was, whatever its pieces and the room for it', async () => {
    await using store = await open();
    const shipping = files(store);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 100 }),
        async (pieces, blockSize, more) => {
          const name = `round${round++}`;
          const whole = Buffer.concat(pieces);
          const readers = ['ann', 'bob'];
          const options = { readers, blockSize, space: blockSize + more, remember: 0 };
          await shipping.create(name, options);
          const [sent, ...received] = await Promise.all([
            shipping.send(name, pieces, options),
            ...readers.map((reader) => receiveAll(shipping, name, reader)),
          ]);
          assert.equal(sent.bytes, whole.length);
          assert.equal(sent.blocks, Math.ceil(whole.length / blockSize));
          for (const copy of received) assert.deepEqual(copy, whole);
          assert.equal(await store.send('DBSIZE'), 0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('holds no more than its space, and goes on as readers make room', async () => {
    await using store = await open();
    const shipping = files(store);
    const whole = bytesOf(105);
    const sending = shipping.send('big', [whole], { ...ten, readers: ['ann', 'bob'], space: 30 });
    await until(async () => (await store.send('HGET', 'file:{big}:meta', 'waiting')) === '1');
    assert.equal((await shipping.status('big')).held, 30);
    const ann = shipping.receive('big', 'ann');
    for (let i = 0; i < 3; i++) await ann.next();
    assert.equal((await shipping.status('big')).blocks, 3);
    const bob = shipping.receive('big', 'bob');
    for (let i = 0; i < 3; i++) await bob.next();
    await until(async () => (await shipping.status('big')).blocks === 5);
    assert.equal((await shipping.status('big')).held, 30);
    assert.equal(await store.send('XLEN', 'file:{big}:blocks'), 3);
    const copies = await Promise.all(['ann', 'bob'].map((reader) => receiveAll(shipping, 'big', reader)));
    // What they had not acknowledged comes again: all but the first two blocks.
    for (const copy of copies) assert.deepEqual(copy, whole.subarray(20));
    assert.equal((await sending).bytes, 105);
  });

  it('is gone when all have read it, but for a record that is gone soon', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    const shipping = files(store);
    const sent = await shipping.send('x', [bytesOf(25)], { ...ten, remember: 60_000 });
    await receiveAll(shipping, 'x', 'ann');
    assert.equal(await store.send('EXISTS', 'file:{x}:blocks', 'file:{x}:room'), 0);
    assert.deepEqual(await shipping.status('x'), {
      blocks: 3,
      bytes: 25,
      held: 0,
      isSent: true,
      isRead: true,
      readers: [{ reader: 'ann', blocks: 3, isDone: true }],
    });
    assert.deepEqual(await shipping.send('x', [bytesOf(25)]), sent);
    await assert.rejects(shipping.send('x', [bytesOf(25, 2)]), { code: 'CHANGED' });
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), Buffer.alloc(0));
    clock.advance(60_001);
    assert.equal(await store.send('DBSIZE'), 0);
    await assert.rejects(receiveAll(shipping, 'x', 'ann'), { code: 'UNKNOWN_TRANSFER' });
  });

  it('ends when it is abandoned, and only then', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    const shipping = files(store);
    const options = { ...ten, space: 20, expiry: 100_000 };
    const sending = assert.rejects(shipping.send('slow', [bytesOf(100)], options), {
      code: 'UNKNOWN_TRANSFER',
    });
    await until(async () => (await store.send('HGET', 'file:{slow}:meta', 'waiting')) === '1');
    const reading = shipping.receive('slow', 'ann');
    for (let i = 0; i < 5; i++) {
      await reading.next();
      await clock.run(90_000);
    }
    assert.equal((await shipping.status('slow')).isSent, false);
    await clock.run(150_000);
    await sending;
    await assert.rejects(reading.next(), { code: 'UNKNOWN_TRANSFER' });
    assert.equal(await store.send('DBSIZE'), 0);
  });
});

describe('A sender', () => {
  it('goes on where it stopped', async () => {
    await using store = await open();
    const shipping = files(store);
    const path = fileOf(bytesOf(95));
    const controller = new AbortController();
    const stopped = shipping.send('x', path, {
      ...ten,
      signal: controller.signal,
      onProgress: ({ blocks }) => blocks === 4 && controller.abort(),
    });
    await assert.rejects(stopped, { code: 'ABORTED' });
    assert.equal((await shipping.status('x')).blocks, 4);
    const progress: number[] = [];
    const sent = await shipping.send('x', path, { onProgress: ({ bytes }) => void progress.push(bytes) });
    assert.deepEqual([sent.blocks, sent.bytes], [10, 95]);
    assert.deepEqual(progress, [10, 20, 30, 40, 50, 60, 70, 80, 90, 95]);
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), bytesOf(95));
  });

  it('can be stopped while it waits for room', async () => {
    await using store = await open();
    const shipping = files(store);
    const controller = new AbortController();
    const { signal } = controller;
    const sending = shipping.send('x', [bytesOf(50)], { ...ten, space: 10, signal });
    await until(async () => (await store.send('HGET', 'file:{x}:meta', 'waiting')) === '1');
    controller.abort();
    await assert.rejects(sending, { code: 'ABORTED' });
  });

  it('notices that the source is not the same, wherever it differs', async () => {
    await using store = await open();
    const shipping = files(store);
    const whole = bytesOf(50);
    const changed = { code: 'CHANGED' };
    await shipping.send('x', [whole], ten);
    for (const place of [0, 9, 25, 49]) {
      const other = Buffer.from(whole);
      other[place] = (other[place] as number) ^ 1;
      await assert.rejects(shipping.send('x', [other]), changed);
    }
    for (const length of [0, 10, 49]) {
      await assert.rejects(shipping.send('x', [whole.subarray(0, length)]), changed);
    }
    for (const more of [1, 10, 11, 20, 21]) {
      await assert.rejects(shipping.send('x', [whole, bytesOf(more)]), changed);
    }
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), whole);
  });

  it('sends again what the store has lost', async () => {
    await using store = await open();
    const shipping = files(store);
    const path = fileOf(bytesOf(60));
    await shipping.create('x', ten);
    /** When five blocks are sent, all is as it was when there were two: once. */
    const loseBlocks = (): ((progress: { blocks: number }) => void) => {
      let goBack: (() => void) | undefined;
      let hasLost = false;
      return ({ blocks }) => {
        if (blocks === 2) goBack = keepStateOf(store, 'x');
        if (blocks !== 5 || hasLost) return;
        hasLost = true;
        goBack?.();
      };
    };
    await assert.rejects(shipping.send('x', [bytesOf(60)], { onProgress: loseBlocks() }), { code: 'LOST' });
    const reading = receiveAll(shipping, 'x', 'ann');
    const sent = await shipping.send('x', path, { onProgress: loseBlocks() });
    assert.equal(sent.bytes, 60);
    assert.deepEqual(await reading, bytesOf(60));
  });

  it('meets readers again that are ahead of what the store has left', async () => {
    await using store = await open();
    const shipping = files(store);
    const path = fileOf(bytesOf(60));
    await shipping.create('x', ten);
    const goBack = keepStateOf(store, 'x');
    await shipping.send('x', path);
    const reading = shipping.receive('x', 'ann');
    for (let i = 0; i < 4; i++) await reading.next();
    goBack();
    const fifth = reading.next();
    await until(async () => String(store.sync.send('INFO', 'clients')).includes('blocked_clients:1'));
    assert.equal((await shipping.status('x')).readers[0]?.blocks, 0);
    await shipping.send('x', path);
    assert.deepEqual((await fifth).value, bytesOf(60).subarray(40, 50));
    assert.deepEqual((await reading.next()).value, bytesOf(60).subarray(50));
    assert.equal((await reading.next()).done, true);
    assert.equal((await shipping.status('x')).isRead, true);
  });

  it('may have company that sends the same', async () => {
    await using store = await open();
    const shipping = files(store);
    const options = { ...ten, space: 20 };
    await shipping.create('x', options);
    const [copy, ...sent] = await Promise.all([
      receiveAll(shipping, 'x', 'ann'),
      shipping.send('x', [bytesOf(500)]),
      shipping.send('x', fileOf(bytesOf(500))),
    ]);
    assert.deepEqual(copy, bytesOf(500));
    assert.deepEqual(sent[0], sent[1]);
  });

  it('takes a stream, and refuses what is not bytes', async () => {
    await using store = await open();
    const shipping = files(store);
    const stream = new Blob([bytesOf(33)]).stream();
    assert.equal((await shipping.send('x', stream, ten)).bytes, 33);
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), bytesOf(33));
    const text = ['text'] as Iterable<unknown> as Iterable<Uint8Array>;
    await assert.rejects(shipping.send('y', text, ten), { code: 'OPTION' });
    await assert.rejects(shipping.send('z', join(folder, 'none'), ten), { code: 'ENOENT' });
  });
});

describe('A reader', () => {
  it('gets a block again that it had not asked to go on from', async () => {
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

  it('refuses blocks that are not as they were sent', async () => {
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

  it('waits for what is sent, until it is told to stop', async () => {
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

  it('is one at a time', async () => {
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

  it('can be added while the beginning is there, and dropped at any time', async () => {
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

  it('goes on with what is there, and leaves nothing behind the end', async () => {
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

  it('refuses a file that does not hold what was acknowledged', async () => {
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

  it('makes an empty file of nothing', async () => {
    await using store = await open();
    await files(store).send('x', [], ten);
    const path = fileOf(bytesOf(3));
    assert.deepEqual((await goOn(store, path)).bytes, 0);
    assert.equal(readFileSync(path).length, 0);
  });
});

describe('Files', () => {
  it('know no transfers and readers but those that are there', async () => {
    await using store = await open();
    const shipping = files(store);
    const unknown = { code: 'UNKNOWN_TRANSFER' };
    await assert.rejects(shipping.send('none', [bytesOf(1)]), unknown);
    await assert.rejects(receiveAll(shipping, 'none', 'ann'), unknown);
    await assert.rejects(shipping.receiveTo('none', 'ann', fileOf(bytesOf(0))), unknown);
    await assert.rejects(shipping.status('none'), unknown);
    await assert.rejects(shipping.addReader('none', 'ann'), unknown);
    await assert.rejects(shipping.dropReader('none', 'ann'), unknown);
    assert.equal(await shipping.remove('none'), false);
    await shipping.create('x', ten);
    await assert.rejects(shipping.create('x', ten), { code: 'EXISTS' });
    await assert.rejects(receiveAll(shipping, 'x', 'eve'), { code: 'UNKNOWN_READER' });
    await assert.rejects(shipping.dropReader('x', 'eve'), { code: 'UNKNOWN_READER' });
    assert.equal(await shipping.remove('x'), true);
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('refuse options that mean nothing', async () => {
    await using store = await open();
    const shipping = files(store);
    const wrong = { code: 'OPTION' };
    assert.throws(() => files(store, { prefx: 'a' } as object), wrong);
    await assert.rejects(shipping.send('x', [], { reader: ['ann'] } as object), wrong);
    await assert.rejects(shipping.send('x', [], { readers: [] }), wrong);
    await assert.rejects(shipping.send('x', [], { ...ten, space: 9 }), wrong);
    await assert.rejects(shipping.send('x', [], { ...ten, blockSize: 0 }), wrong);
    await assert.rejects(shipping.create('x', {} as typeof ten), wrong);
    assert.throws(() => shipping.receive('x', ''), wrong);
    assert.equal(await store.send('DBSIZE'), 0);
  });
});
