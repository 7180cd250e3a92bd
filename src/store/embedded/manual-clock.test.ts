import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open } from '../open.js';
import { ManualClock } from './manual-clock.js';

describe('a manual clock', () => {
  it('runs due work in order, each at its time', () => {
    const clock = new ManualClock(0);
    const rung: [name: string, at: number][] = [];
    clock.after(20, () => rung.push(['second', clock.now()]));
    clock.after(10, () => {
      rung.push(['first', clock.now()]);
      clock.after(15, () => rung.push(['third', clock.now()]));
    });
    const cancel = clock.after(5, () => rung.push(['cancelled', clock.now()]));
    cancel();
    clock.advance(30);
    assert.deepEqual(rung, [
      ['first', 10],
      ['second', 20],
      ['third', 25],
    ]);
    assert.equal(clock.now(), 30);
  });

  it('lets a program that waits repeatedly run on the way', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    const wakings: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await store.time.sleep(100);
        wakings.push(clock.now());
      }
    };
    const looping = loop();
    await clock.run(1000);
    await looping;
    assert.deepEqual(wakings, [100, 200, 300]);
  });

  it('expires keys, also those that are not accessed, and publishes the events', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock, settings: { 'notify-keyspace-events': 'Ex' } });
    await using expired = await store.psubscribe('__keyevent@*__:expired');
    store.sync.set('key', 'value', { px: 100 });
    clock.advance(100);
    assert.equal(store.sync.dbsize(), 1);
    clock.advance(1);
    assert.equal(store.sync.dbsize(), 0);
    const { value } = await expired.next();
    assert.equal(value.message, 'key');
  });

  it('makes blocked calls time out', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    let isOver = false;
    const waiting = store.blpop('list', 10).finally(() => {
      isOver = true;
    });
    await clock.run(9_999);
    assert.equal(isOver, false);
    await clock.run(1);
    assert.equal(await waiting, null);
  });

  it('ends a sleep when its signal aborts', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    const controller = new AbortController();
    const sleeping = store.time.sleep(1000, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(sleeping, { code: 'ABORTED', cause: new Error('enough') });
  });
});
