import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bytesOf, fileOf, receiveAll, ten, until } from '../../../tests/support/kit-files.js';
import { ManualClock, open } from '../../store/index.js';
import { files } from './index.js';

describe('A file in transfer', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const shipping = files(store);
    const lines = [Buffer.from('line 1\n'), Buffer.from('line 2\n')];
    await shipping.send('report', lines, { readers: ['ann'] });
    assert.equal((await receiveAll(shipping, 'report', 'ann')).toString(), 'line 1\nline 2\n');
    assert.equal((await shipping.status('report')).isRead, true);
  });

  it('reaches all readers unchanged, with any sizes of pieces and `space`', async () => {
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

  it('uses no more than its space, and continues when readers free space', async () => {
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
    // Blocks that were not acknowledged are returned again: all except the first two.
    for (const copy of copies) assert.deepEqual(copy, whole.subarray(20));
    assert.equal((await sending).bytes, 105);
  });

  it('is deleted when all readers have read it, except for a record that expires soon', async () => {
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

  it('expires only when it is abandoned', async () => {
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

describe('Files', () => {
  it('refuse unknown transfers and readers', async () => {
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

  it('refuse invalid options', async () => {
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
