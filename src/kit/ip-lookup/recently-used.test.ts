import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentlyUsed } from './recently-used.js';

describe('What was used recently', () => {
  it('stays as long as there is room for it', () => {
    const values = new RecentlyUsed<string>(1_000);
    for (let round = 0; round < 3; round++) {
      for (let key = 0; key < 1_000; key++) {
        assert.equal(values.get(key), round === 0 ? undefined : `value ${key}`);
        values.set(key, `value ${key}`);
      }
    }
  });

  it('stays when other values are only used once', () => {
    const values = new RecentlyUsed<number>(10);
    for (let key = 0; key < 10; key++) values.set(key, key);
    for (let once = 100; once < 200; once++) {
      assert.equal(values.get(3), 3);
      values.set(once, once);
    }
    const there = Array.from({ length: 200 }, (_, key) => key).filter((key) => values.get(key) === key);
    assert.equal(there.length, 10);
  });

  it('is nothing if nothing may be kept, and has the last value of a key', () => {
    const none = new RecentlyUsed<number>(0);
    none.set(1, 1);
    assert.equal(none.get(1), undefined);
    const values = new RecentlyUsed<number>(2);
    for (const value of [1, 2, 3]) values.set(1, value);
    assert.equal(values.get(1), 3);
  });
});
