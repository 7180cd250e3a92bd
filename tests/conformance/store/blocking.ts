import assert from 'node:assert/strict';
import { rejectsWith, type Surroundings, type Topic, until } from './suite.js';

/** Blocking commands do not delay others, and can be ended. */
export const blocking: Topic = (test) => {
  test('a blocked call gets the element that arrives, and does not delay others meanwhile', async (store, {
    site,
  }) => {
    const job = store.send('BLPOP', 'jobs', 0);
    await untilBlocked(site, 1);
    assert.equal(await store.send('SET', 'k', 'v'), 'OK');
    assert.equal(await store.send('RPUSH', 'jobs', 'first'), 1);
    assert.deepEqual(await job, ['jobs', 'first']);
    assert.equal(await store.send('LLEN', 'jobs'), 0);
  });

  test('a call that finds an element does not block', async (store) => {
    await store.send('RPUSH', 'jobs', 'a', 'b');
    assert.deepEqual(await store.send('BLPOP', 'jobs', 0), ['jobs', 'a']);
    await store.send('RPUSH', '{jobs}:new', 'c');
    assert.equal(await store.send('BLMOVE', '{jobs}:new', '{jobs}:done', 'LEFT', 'RIGHT', 0), 'c');
  });

  test('a call that times out returns null', async (store) => {
    assert.equal(await store.send('BLPOP', 'jobs', 0.01), null);
    assert.equal(await store.send('BZPOPMIN', 'ranking', 0.01), null);
    assert.equal(await store.send('XREAD', 'BLOCK', 1, 'STREAMS', 'log', '$'), null);
  });

  test('many calls can block at once, and each gets its own element', async (store, { site }) => {
    const jobs = Array.from({ length: 10 }, () => store.send<readonly string[]>('BLPOP', 'jobs', 0));
    await untilBlocked(site, 10);
    const names = Array.from({ length: 10 }, (_, i) => `job ${i}`);
    await store.send('RPUSH', 'jobs', ...names);
    const received = (await Promise.all(jobs)).map(([, name]) => name as string);
    assert.deepEqual(received.sort(), names);
  });

  test('blocking commands work on streams and sorted sets', async (store, { site }) => {
    const entry = store.send('XREAD', 'BLOCK', 0, 'STREAMS', 'log', '$');
    const lowest = store.send('BZPOPMIN', 'ranking', 0);
    await untilBlocked(site, 2);
    await store.send('XADD', 'log', '5-0', 'field', 'value');
    await store.send('ZADD', 'ranking', 3, 'c');
    assert.deepEqual(await entry, [['log', [['5-0', ['field', 'value']]]]]);
    assert.deepEqual(await lowest, ['ranking', 'c', '3']);
  });

  test('a blocking call returns bytes on request', async (store, { site }) => {
    const job = store.bytes.send('BLPOP', 'jobs', 0);
    await untilBlocked(site, 1);
    await store.send('RPUSH', 'jobs', Buffer.from([0xff]));
    assert.deepEqual(await job, [Buffer.from('jobs'), Buffer.from([0xff])]);
  });

  test('an AbortSignal ends the call, in the server too', async (store, { site }) => {
    const controller = new AbortController();
    const reason = new Error('closing time');
    const job = store.with({ signal: controller.signal }).send('BLPOP', 'jobs', 0);
    await untilBlocked(site, 1);
    controller.abort(reason);
    const error = await rejectsWith(job, 'ABORTED');
    assert.equal(error.cause, reason);
    await store.send('RPUSH', 'jobs', 'kept');
    assert.equal(await store.send('LLEN', 'jobs'), 1);
    await untilBlocked(site, 0);
  });

  test('a call is not sent if its signal is already aborted', async (store) => {
    const view = store.with({ signal: AbortSignal.abort() });
    await rejectsWith(view.send('BLPOP', 'jobs', 0), 'ABORTED');
    await rejectsWith(view.send('GET', 'k'), 'ABORTED');
    assert.equal(await store.send('PING'), 'PONG');
  });

  test('a signal that does not abort changes nothing', async (store) => {
    const view = store.with({ signal: new AbortController().signal });
    assert.equal(await view.send('SET', 'k', 'v'), 'OK');
    await view.send('RPUSH', 'jobs', 'a');
    assert.deepEqual(await view.send('BLPOP', 'jobs', 0), ['jobs', 'a']);
  });

  test('a blocking call with wrong arguments fails', async (store) => {
    await store.send('SET', 'k', 'v');
    await rejectsWith(store.send('BLPOP', 'k', 0), 'WRONGTYPE');
    await rejectsWith(
      store.send('BLPOP', 'jobs', 'soon'),
      'ERR',
      'ERR timeout is not a float or out of range',
    );
  });

  test('a call blocks as usual after another one was aborted', async (store, { site }) => {
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const ended = store.with({ signal: controller.signal }).send('BLPOP', 'jobs', 0);
      await untilBlocked(site, 1);
      controller.abort();
      await rejectsWith(ended, 'ABORTED');
      const job = store.send('BLPOP', 'jobs', 0);
      await store.send('RPUSH', 'jobs', `${round}`);
      assert.deepEqual(await job, ['jobs', `${round}`]);
    }
  });
};

/** Waits until `count` clients are blocked in the site's servers. */
export async function untilBlocked(site: Surroundings['site'], count: number): Promise<void> {
  await until(`${count} clients wait`, async () => {
    const reports = await site.askAll('INFO', 'clients');
    const waiting = reports.map((report) => Number(/blocked_clients:(\d+)/.exec(String(report))?.[1]));
    return waiting.reduce((sum, each) => sum + each, 0) === count;
  });
}
