import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open } from './open.js';

describe('subscriptions', () => {
  it('end with an error when the buffer overflows, after the buffered messages have been read', async () => {
    await using store = await open();
    const news = await store.subscribe('news', { buffer: 2 });
    for (const message of ['a', 'b', 'c', 'd']) await store.publish('news', message);
    const read: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { message } of news) read.push(message);
    };
    await assert.rejects(reading(), { code: 'OVERFLOW', message: /more than 2 messages/ });
    assert.deepEqual(read, ['a', 'b']);
    assert.deepEqual(await store.send('PUBSUB NUMSUB', 'news'), ['news', 0]);
  });

  it('drop and count the oldest or the newest messages with `overflow`', async () => {
    await using store = await open();
    await using oldest = await store.subscribe('news', { buffer: 2, overflow: 'drop-oldest' });
    await using newest = await store.subscribe('news', { buffer: 2, overflow: 'drop-newest' });
    for (const message of ['a', 'b', 'c', 'd']) await store.publish('news', message);
    assert.deepEqual([(await oldest.next()).value.message, (await oldest.next()).value.message], ['c', 'd']);
    assert.deepEqual([(await newest.next()).value.message, (await newest.next()).value.message], ['a', 'b']);
    assert.deepEqual([oldest.dropped, newest.dropped], [2, 2]);
  });

  it('end when their signal aborts', async () => {
    await using store = await open();
    const controller = new AbortController();
    const news = await store.subscribe(['news', 'more'], { signal: controller.signal });
    const next = news.next();
    controller.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
    await assert.rejects(store.subscribe('news', { signal: controller.signal }), { code: 'ABORTED' });
  });

  it('end with an error when the store is closed, and when the connection is killed', async () => {
    const store = await open();
    const news = await store.subscribe('news');
    const next = news.next();
    await store.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await assert.rejects(next, { code: 'CLOSED', message: /CLIENT KILL/ });
    const other = await store.psubscribe('n*');
    const last = other.next();
    await store.close();
    await assert.rejects(last, { code: 'CLOSED' });
  });

  it('return bytes if the store does', async () => {
    await using store = await open();
    await using news = await store.bytes.psubscribe('n*');
    await store.publish('news', Buffer.from([0xff]));
    const { value } = await news.next();
    assert.deepEqual(value, {
      channel: Buffer.from('news'),
      message: Buffer.from([0xff]),
      pattern: Buffer.from('n*'),
    });
  });

  it('refuse a buffer of size 0, and an empty list of channels', async () => {
    await using store = await open();
    await assert.rejects(store.subscribe('news', { buffer: 0 }), { code: 'OPTION' });
    await assert.rejects(store.subscribe([]), { code: 'MISUSE' });
  });
});
