import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, codeOf } from '../../../tests/support/kit-locks.js';
import type { KitError } from './index.js';

describe('Several locks at once', () => {
  it('are taken in the order of their names, and released together', async () => {
    await using on = await bench();
    const set = await on.here.acquireAll(['b', 'a', 'b']);
    assert.deepEqual(
      set.locks.map((lock) => lock.name),
      ['a', 'b'],
    );
    assert.ok(set.get('b').isHeld && set.isHeld);
    assert.throws(() => set.get('c'), /'c' is not one of these locks: a, b/);
    assert.equal(await on.here.tryAcquire('a'), undefined);
    assert.equal(await set.release(), true);
    assert.ok(await on.here.tryAcquire('a'));
  });

  it('do not cause a deadlock', async () => {
    await using on = await bench();
    let inside = 0;
    let done = 0;
    const work = Array.from({ length: 20 }, async (_, i) => {
      await using set = await on.here.acquireAll(i % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a']);
      assert.equal(++inside, 1);
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(set.isHeld);
      inside--;
      done++;
    });
    for (let ms = 0; done < work.length && ms < 5_000; ms++) await on.clock.run(1);
    await Promise.all(work);
  });

  it('are all released if one cannot be acquired', async () => {
    await using on = await bench();
    await on.here.acquire('b');
    assert.equal(await codeOf(on.here.acquireAll(['a', 'b'], { wait: 0 })), 'TIMEOUT');
    assert.ok(await on.here.tryAcquire('a'));
  });

  it('are lost when one of them is lost', async () => {
    await using on = await bench();
    const set = await on.here.acquireAll(['a', 'b']);
    await on.store.send('DEL', 'lock:{b}:state');
    await on.clock.run(10_000);
    assert.equal(set.isHeld, false);
    assert.equal((set.signal.reason as KitError).code, 'LOST');
    assert.equal(await set.release(), false);
  });

  it('need at least one name', async () => {
    await using on = await bench();
    assert.equal(await codeOf(on.here.acquireAll([])), 'OPTION');
  });
});
