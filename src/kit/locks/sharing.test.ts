import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, codeOf, watch } from '../../../tests/support/kit-locks.js';
import type { Lock } from './index.js';

describe('The same holder', () => {
  it('can hold a lock several times; it is free when all are released', async () => {
    await using on = await bench();
    const outer = await on.here.acquire('x');
    const inner = await on.here.acquire('x', { holder: outer.holder });
    assert.equal(inner.token, outer.token);
    await outer.release();
    assert.equal(await on.here.tryAcquire('x'), undefined);
    await inner.release();
    assert.ok(await on.here.tryAcquire('x'));
  });

  it('does not wait for other waiters', async () => {
    await using on = await bench({ fair: true });
    const outer = await on.here.acquire('x');
    const waiting = watch(on.here.acquire('x'));
    await on.clock.run(1);
    const inner = await on.here.acquire('x', { holder: outer.holder });
    assert.equal(waiting.value(), undefined);
    await inner.release();
    await outer.release();
    await waiting.promise;
  });
});

describe('A read-write lock', () => {
  it('lets many clients read, or one write', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const readers = await Promise.all([both.read(), both.read(), both.read()]);
    assert.ok(readers.every((reader) => reader.isShared && reader.isHeld));
    const writing = watch(both.write());
    await on.clock.run(1);
    assert.equal(writing.value(), undefined);
    await Promise.all(readers.map((reader) => reader.release()));
    const writer = await writing.promise;
    assert.equal(await on.here.tryAcquire('x', { shared: true }), undefined);
    assert.ok(readers.every((reader) => reader.token < writer.token));
  });

  it('does not let readers overtake a waiting writer, and then admits all readers at once', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const reader = await both.read();
    const writing = watch(both.write());
    await on.clock.run(1);
    const later = [watch(both.read()), watch(both.read())];
    await on.clock.run(1);
    assert.deepEqual(
      later.map((reading) => reading.value()),
      [undefined, undefined],
    );
    await reader.release();
    const writer = await writing.promise;
    assert.deepEqual(
      later.map((reading) => reading.value()),
      [undefined, undefined],
    );
    await writer.release();
    const [one, two] = await Promise.all(later.map((reading) => reading.promise));
    assert.ok(one?.isHeld && two?.isHeld);
  });

  it('can be upgraded from read to write if there is no other reader, and back', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const reader = await both.read();
    const writer = await both.write({ holder: reader.holder });
    assert.equal(await on.here.tryAcquire('x', { shared: true }), undefined);
    await writer.release();
    assert.ok(await on.here.tryAcquire('x', { shared: true }));
  });

  it('refuses an upgrade from read to write while others read', async () => {
    await using on = await bench();
    const both = on.here.readWrite('x');
    const [reader] = await Promise.all([both.read(), both.read()]);
    const upgrade = both.write({ holder: (reader as Lock).holder });
    assert.equal(await codeOf(upgrade), 'UPGRADE');
  });
});
