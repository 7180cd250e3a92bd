import assert from 'node:assert/strict';
import type { DefaultShape, Message, Subscription } from '../../../src/store/index.js';
import { rejectsWith, type Surroundings, type Topic, until } from './suite.js';

/**
 * Messages as async iterators. Each test has its own channels: in a Cluster, a message of one test may reach another server
 * only during the next test.
 */
export const subscriptions: Topic = (test) => {
  test('a subscription returns messages published after it, in order', async (store) => {
    await using news = await store.subscribe('news 1');
    const sent = ['rain', 'wind', 'sun ☀', ...Array.from({ length: 30 }, (_, i) => `${i}`)];
    for (const message of sent) await store.send('PUBLISH', 'news 1', message);
    assert.deepEqual(
      await take(news, sent.length),
      sent.map((message) => ({ channel: 'news 1', message, pattern: null })),
    );
  });

  test('a waiting reader gets the message when it arrives', async (store) => {
    await using news = await store.subscribe('news 2');
    const next = news.next();
    await store.send('PUBLISH', 'news 2', 'rain');
    assert.equal((await next).value?.message, 'rain');
  });

  test('one subscription can have several channels, and gets no messages of others', async (store) => {
    await using news = await store.subscribe(['a', 'b']);
    await store.send('PUBLISH', 'c', 'unheard');
    await store.send('PUBLISH', 'b', '1');
    assert.deepEqual(await take(news, 1), [{ channel: 'b', message: '1', pattern: null }]);
    await store.send('PUBLISH', 'a', '2');
    assert.deepEqual(await take(news, 1), [{ channel: 'a', message: '2', pattern: null }]);
  });

  test('a pattern receives the messages of all matching channels', async (store) => {
    await using news = await store.psubscribe(['news.*', 'x?']);
    await store.send('PUBLISH', 'other', 'unheard');
    await store.send('PUBLISH', 'news.berlin', 'rain');
    assert.deepEqual(await take(news, 1), [{ channel: 'news.berlin', message: 'rain', pattern: 'news.*' }]);
    await store.send('PUBLISH', 'x1', 'one');
    assert.deepEqual(await take(news, 1), [{ channel: 'x1', message: 'one', pattern: 'x?' }]);
  });

  test('shard channels can be subscribed to', async (store) => {
    await using news = await store.ssubscribe('orders');
    await store.send('SPUBLISH', 'orders', 'tea');
    assert.deepEqual(await take(news, 1), [{ channel: 'orders', message: 'tea', pattern: null }]);
  });

  test('channels and messages are bytes on request', async (store) => {
    await using news = await store.bytes.subscribe(Buffer.from('news 6'));
    await store.send('PUBLISH', 'news 6', Buffer.from([0xfe]));
    const { value } = await news.next();
    assert.deepEqual(value, { channel: Buffer.from('news 6'), message: Buffer.from([0xfe]), pattern: null });
  });

  test('any bytes can be the name of a channel, or are refused', async (store, { kind }) => {
    const channel = Buffer.from([0xff, 0x00]);
    if (kind.hasTextChannels === true) {
      await rejectsWith(store.bytes.subscribe(channel), 'MISUSE', /UTF-8/);
      return;
    }
    await using news = await store.bytes.subscribe(channel);
    await store.send('PUBLISH', channel, 'rain');
    assert.deepEqual((await news.next()).value, { channel, message: Buffer.from('rain'), pattern: null });
  });

  test('commands work while a subscription is open', async (store) => {
    await using _news = await store.subscribe('news 8');
    assert.equal(await store.send('SET', 'k', 'v'), 'OK');
    assert.equal(await store.send('GET', 'k'), 'v');
  });

  test('two subscriptions of one store are independent', async (store) => {
    await using one = await store.subscribe('news 9');
    await using two = await store.subscribe(['news 9', 'more']);
    await store.send('PUBLISH', 'news 9', 'a');
    assert.equal((await take(one, 1))[0]?.message, 'a');
    assert.equal((await take(two, 1))[0]?.message, 'a');
    await one.close();
    await store.send('PUBLISH', 'news 9', 'b');
    assert.equal((await take(two, 1))[0]?.message, 'b');
    assert.deepEqual(await one.next(), { done: true, value: undefined });
  });

  test('leaving the loop ends the subscription', async (store, { site }) => {
    const news = await store.subscribe('news 10');
    await store.send('PUBLISH', 'news 10', 'rain');
    for await (const { message } of news) {
      assert.equal(message, 'rain');
      break;
    }
    await untilListeners(site, 'news 10', 0);
  });

  test('closing a subscription ends a waiting loop', async (store, { site }) => {
    const news = await store.subscribe('news 11');
    const reading = take(news, 1);
    await news.close();
    assert.deepEqual(await reading, []);
    await news.close();
    await untilListeners(site, 'news 11', 0);
  });

  test('an AbortSignal ends the loop', async (store, { site }) => {
    const controller = new AbortController();
    const news = await store.subscribe('news 12', { signal: controller.signal });
    const reading = take(news, 1);
    controller.abort();
    assert.deepEqual(await reading, []);
    await untilListeners(site, 'news 12', 0);
    await rejectsWith(store.subscribe('news 12', { signal: controller.signal }), 'ABORTED');
  });

  test('when the buffer is full, the subscription ends with OVERFLOW after the buffered messages', async (store, {
    site,
  }) => {
    const news = await store.subscribe('news 13', { buffer: 2 });
    for (let i = 0; i < 5; i++) await store.send('PUBLISH', 'news 13', `${i}`);
    await untilListeners(site, 'news 13', 0);
    assert.deepEqual(
      (await take(news, 2)).map(({ message }) => message),
      ['0', '1'],
    );
    await rejectsWith(news.next(), 'OVERFLOW', /buffer/);
    assert.deepEqual(await news.next(), { done: true, value: undefined });
  });

  test('the oldest messages can be dropped instead', async (store) => {
    await using news = await store.subscribe('news 14', { buffer: 2, overflow: 'drop-oldest' });
    for (let i = 0; i < 5; i++) await store.send('PUBLISH', 'news 14', `${i}`);
    await until('three are dropped', () => news.dropped === 3);
    assert.deepEqual(
      (await take(news, 2)).map(({ message }) => message),
      ['3', '4'],
    );
  });

  test('the newest messages can be dropped instead', async (store) => {
    await using news = await store.subscribe('news 15', { buffer: 2, overflow: 'drop-newest' });
    for (let i = 0; i < 5; i++) await store.send('PUBLISH', 'news 15', `${i}`);
    await until('three are dropped', () => news.dropped === 3);
    assert.deepEqual(
      (await take(news, 2)).map(({ message }) => message),
      ['0', '1'],
    );
  });

  test('closing the store ends the loop with CLOSED', async (_store, { site }) => {
    const own = await site.open();
    const news = await own.subscribe('news 16');
    const reading = take(news, 1);
    const ended = rejectsWith(reading, 'CLOSED');
    await own.close();
    await ended;
    await untilListeners(site, 'news 16', 0);
  });

  test('a subscription without channels is refused', async (store) => {
    await rejectsWith(store.subscribe([]), 'MISUSE');
    await rejectsWith(store.subscribe('news 17', { buffer: 0 }), 'OPTION', /buffer/);
  });
};

/** `count` messages, or fewer if the subscription ends. */
async function take(
  subscription: Subscription<DefaultShape>,
  count: number,
): Promise<Message<DefaultShape>[]> {
  const messages: Message<DefaultShape>[] = [];
  while (messages.length < count) {
    const { done, value } = await subscription.next();
    if (done === true) break;
    messages.push(value);
  }
  return messages;
}

/** Waits until `count` clients are subscribed to the channel, on all servers together. */
async function untilListeners(site: Surroundings['site'], channel: string, count: number): Promise<void> {
  await until(`${count} listen to ${channel}`, async () => {
    const replies = await site.askAll('PUBSUB', 'NUMSUB', channel);
    const numbers = replies.map((reply) => Number((reply as readonly unknown[])[1]));
    return numbers.reduce((sum, number) => sum + number, 0) === count;
  });
}
