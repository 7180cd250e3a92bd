import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open } from '../../../store/index.js';
import { KitError, Wakeups } from '../index.js';

describe('Wake-ups', () => {
  it('deliver each message to its waiter, over one subscription', async () => {
    await using store = await open('memory:');
    const wakeups = new Wakeups(store, 'test');
    await using one = await wakeups.expect('a1');
    await using two = await wakeups.expect('b2');
    assert.equal(await store.send('PUBLISH', wakeups.channel, 'b2 for two'), 1);
    await store.send('PUBLISH', wakeups.channel, 'a1');
    await store.send('PUBLISH', wakeups.channel, 'c3 for no waiter');
    assert.deepEqual(await one.next({ atMost: 60_000 }), { kind: 'message', text: '' });
    assert.deepEqual(await two.next({ atMost: 60_000 }), { kind: 'message', text: 'for two' });
  });

  it('keep messages that arrive while no waiter reads', async () => {
    await using store = await open('memory:');
    const wakeups = new Wakeups(store, 'test');
    await using wait = await wakeups.expect('a1');
    await store.send('PUBLISH', wakeups.channel, 'a1 first');
    await store.send('PUBLISH', wakeups.channel, 'a1 second');
    assert.deepEqual(await wait.next({ atMost: 60_000 }), { kind: 'message', text: 'first' });
    assert.deepEqual(await wait.next({ atMost: 60_000 }), { kind: 'message', text: 'second' });
  });

  it('end at the timeout, or with the signal', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    await using wait = await new Wakeups(store, 'test').expect('a1');
    const timed = wait.next({ atMost: 5_000 });
    await clock.run(5_000);
    assert.deepEqual(await timed, { kind: 'time' });
    const abort = new AbortController();
    const aborted = wait.next({ atMost: 5_000, signal: abort.signal });
    abort.abort('enough');
    await assert.rejects(aborted, (error) => error instanceof KitError && error.code === 'ABORTED');
    await assert.rejects(wait.next({ atMost: 1, signal: abort.signal }), {
      code: 'ABORTED',
      cause: 'enough',
    });
  });

  it('do not subscribe before a waiter listens, and report whether messages may have been missed', async () => {
    await using store = await open('memory:');
    const wakeups = new Wakeups(store, 'test');
    const place = wakeups.place('a1');
    assert.equal(await store.send('PUBLISH', wakeups.channel, 'a1 too early'), 0);
    assert.equal(await place.listen(), false, 'look again');
    assert.equal(await place.listen(), true);
    const other = wakeups.place('b2');
    await store.send('PUBLISH', wakeups.channel, 'b2 in time');
    assert.equal(await other.listen(), true);
    assert.deepEqual(await other.next({ atMost: 60_000 }), { kind: 'message', text: 'in time' });
    place.close();
    other.close();
  });

  it('end the subscription a second after the last wait, and begin another with the next', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    const wakeups = new Wakeups(store, 'test');
    const listeners = () => store.send('PUBLISH', wakeups.channel, 'x');
    (await wakeups.expect('a1')).close();
    await clock.run(999);
    assert.equal(await listeners(), 1);
    const again = await wakeups.expect('a2');
    await clock.run(60_000);
    assert.equal(await listeners(), 1, 'the next waiter subscribes');
    again.close();
    await clock.run(1_000);
    assert.equal(await listeners(), 0);
    await using last = await wakeups.expect('a3');
    await store.send('PUBLISH', wakeups.channel, 'a3 news');
    assert.deepEqual(await last.next({ atMost: 1 }), { kind: 'message', text: 'news' });
  });

  it('wake all waiters to check when the subscription was renewed', async () => {
    await using store = await open('memory:');
    const wakeups = new Wakeups(store, 'test');
    await using wait = await wakeups.expect('a1');
    await store.send('CLIENT KILL', 'TYPE', 'pubsub');
    assert.deepEqual(await wait.next({ atMost: 60_000 }), { kind: 'message', text: '' });
    assert.equal(await store.send('PUBLISH', wakeups.channel, 'a1 after'), 1);
    assert.deepEqual(await wait.next({ atMost: 60_000 }), { kind: 'message', text: 'after' });
  });
});
