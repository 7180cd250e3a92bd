import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  bytesOf,
  fileOf,
  folder,
  keepStateOf,
  receiveAll,
  ten,
  until,
} from '../../../tests/support/kit-files.js';
import { open } from '../../store/index.js';
import { CHAIN_START, nextInChain } from './chain.js';
import { files } from './index.js';
import { PUT, TRANSFER_PARTS, type TransferKeys } from './transfer-scripts.js';

describe('A sender', () => {
  it('resumes where it stopped', async () => {
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

  it('can be stopped while it waits for space', async () => {
    await using store = await open();
    const shipping = files(store);
    const controller = new AbortController();
    const { signal } = controller;
    const sending = shipping.send('x', [bytesOf(50)], { ...ten, space: 10, signal });
    await until(async () => (await store.send('HGET', 'file:{x}:meta', 'waiting')) === '1');
    controller.abort();
    await assert.rejects(sending, { code: 'ABORTED' });
  });

  it('detects a changed source, wherever it differs', async () => {
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

  it('sends lost blocks again', async () => {
    await using store = await open();
    const shipping = files(store);
    const path = fileOf(bytesOf(60));
    await shipping.create('x', ten);
    /** Once, when five blocks were sent, restores the state after two blocks. */
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

  it('continues with readers that have read more blocks than the store has', async () => {
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

  it('may run in parallel with another sender of the same source', async () => {
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

  it('accepts a stream, and refuses chunks that are not bytes', async () => {
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

describe('A block', () => {
  // A sender may assume that there is space when a failover lost the acknowledgements of a reader.
  it('without space for it is refused, whatever its sender assumes', async () => {
    await using store = await open();
    const shipping = files(store);
    await shipping.create('x', { ...ten, space: 20 });
    const keys = Object.fromEntries(TRANSFER_PARTS.map((part) => [part, `file:{x}:${part}`])) as TransferKeys;
    const put = store.script(PUT);
    const whole = bytesOf(25);
    const blocks = [whole.subarray(0, 10), whole.subarray(10, 20), whole.subarray(20)];
    const chain = [CHAIN_START];
    for (const block of blocks) chain.push(nextInChain(chain.at(-1) ?? '', block));
    const bring = async (number: number): Promise<readonly number[]> => {
      const [previous = '', following = ''] = chain.slice(number - 1);
      const state = await put({ ...keys, number, previous, following, block: blocks[number - 1] as Buffer });
      assert.ok(typeof state === 'object');
      assert.equal(state.digest, chain[state.count]);
      return [state.count, state.room];
    };
    assert.deepEqual(await bring(1), [1, 10]);
    assert.deepEqual(await bring(2), [2, 0]);
    assert.deepEqual(await bring(3), [2, 0], 'not even a short one');
    assert.equal(await store.send('XLEN', keys.blocks), 2);
    assert.equal((await shipping.status('x')).held, 20);
    const reading = shipping.receive('x', 'ann');
    await reading.next();
    await reading.next();
    assert.deepEqual(await bring(3), [3, 5]);
    assert.equal((await shipping.status('x')).held, 15);
    await reading.return?.();
    await shipping.send('x', [whole]);
    assert.deepEqual(await receiveAll(shipping, 'x', 'ann'), whole.subarray(10));
  });
});
