import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { files } from '../../../src/kit/files/index.js';
import { isBehindSentinels, onEveryStore, rejectsWith, until } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 131) ^ (i >> 8)));
}

onEveryStore('Files', (test, kind) => {
  test('a file larger than `space` reaches all readers', async (store, { space, another }) => {
    const whole = bytesOf(300_001);
    const shipping = files(store, { prefix: space });
    const options = { readers: ['ann', 'bob', 'cat'], blockSize: 10_000, space: 45_000 };
    await shipping.create('big', options);
    const copies = options.readers.map(async (reader) => {
      const own = files(await another(), { prefix: space });
      const blocks: Buffer[] = [];
      for await (const block of own.receive('big', reader)) {
        blocks.push(block);
        assert.ok((await own.status('big')).held <= options.space);
      }
      return Buffer.concat(blocks);
    });
    const sent = await shipping.send('big', [whole]);
    assert.deepEqual([sent.blocks, sent.bytes], [31, whole.length]);
    for (const copy of await Promise.all(copies)) assert.ok(copy.equals(whole));
    assert.equal((await shipping.status('big')).isRead, true);
    assert.equal(await store.send('EXISTS', `${space}:{big}:blocks`), 0);
    const left = Number(await store.send('PTTL', `${space}:{big}:meta`));
    assert.ok(left > 0 && left <= 3_600_000);
  });

  test('both sides resume where they stopped, in files', async (store, { space, another }) => {
    const whole = bytesOf(100_000);
    const [from, to] = [join(folder, `${space}-from`), join(folder, `${space}-to`)];
    writeFileSync(from, whole);
    const options = { readers: ['ann'], blockSize: 7_000, space: 20_000 };
    const shipping = files(store, { prefix: space });
    const own = files(await another(), { prefix: space });
    await shipping.create('x', options);
    for (const stopAt of [2, 5, 9]) {
      const controller = new AbortController();
      const onProgress = ({ blocks }: { blocks: number }): void => {
        if (blocks === stopAt) controller.abort();
      };
      const { signal } = controller;
      const sending = rejectsWith(shipping.send('x', from, { signal }), 'ABORTED');
      await rejectsWith(own.receiveTo('x', 'ann', to, { signal, onProgress, sync: false }), 'ABORTED');
      await sending;
    }
    const [sent, received] = await Promise.all([
      shipping.send('x', from),
      own.receiveTo('x', 'ann', to, { sync: false }),
    ]);
    assert.deepEqual(received, sent);
    assert.ok(readFileSync(to).equals(whole));
    await rejectsWith(shipping.send('x', [whole.subarray(1)]), 'CHANGED');
  });

  test('readers are added and dropped, and the transfer is deleted with the last one', async (store, {
    space,
  }) => {
    const shipping = files(store, { prefix: space });
    await shipping.create('x', { readers: ['ann'], blockSize: 10, space: 20 });
    await shipping.addReader('x', 'bob');
    const sending = shipping.send('x', [bytesOf(60)]);
    const ann: Buffer[] = [];
    const reading = (async () => {
      for await (const block of shipping.receive('x', 'ann')) ann.push(block);
    })();
    await until('the sender waits for bob', async () => {
      return (await store.send('HGET', `${space}:{x}:meta`, 'waiting')) === '1';
    });
    assert.equal(await shipping.dropReader('x', 'bob'), 1);
    await Promise.all([sending, reading]);
    assert.ok(Buffer.concat(ann).equals(bytesOf(60)));
    await rejectsWith(shipping.addReader('x', 'cat'), 'TOO_LATE');
    assert.equal(await shipping.dropReader('x', 'ann'), 0);
    await rejectsWith(shipping.status('x'), 'UNKNOWN_TRANSFER');
    await rejectsWith(shipping.send('x', [bytesOf(1)]), 'UNKNOWN_TRANSFER');
  });

  if (!isBehindSentinels(kind)) return;

  test('a file arrives unchanged when the master changes', async (store, { space, another, failover }) => {
    const whole = bytesOf(200_000);
    const path = join(folder, `${space}-failover`);
    const shipping = files(store, { prefix: space });
    const own = files(await another(), { prefix: space });
    await shipping.create('x', { readers: ['ann'], blockSize: 5_000, space: 20_000 });
    let changeOver: Promise<void> | undefined;
    async function* source() {
      yield whole.subarray(0, 80_000);
      changeOver ??= failover();
      await changeOver;
      yield whole.subarray(80_000);
    }
    const [sent, received] = await Promise.all([
      goOnUntilDone(() => shipping.send('x', source())),
      goOnUntilDone(() => own.receiveTo('x', 'ann', path, { sync: false })),
    ]);
    assert.deepEqual(received, sent);
    assert.ok(readFileSync(path).equals(whole));
  });
});

/** Repeats the call, like a process that is restarted when it fails: the store fails while there is no master. */
async function goOnUntilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = Date.now() + 100_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const isPassing = !['CHANGED', 'DAMAGED', 'CONFLICT', 'OPTION'].includes(code);
      if (!isPassing || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
