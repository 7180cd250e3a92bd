import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, systemClock } from './clock.js';

describe('system clock', () => {
  it('returns the same time in milliseconds and microseconds', () => {
    for (let round = 0; round < 1000; round++) {
      const before = systemClock.now();
      const micros = systemClock.micros();
      const after = systemClock.now();
      assert.ok(Number.isSafeInteger(micros));
      assert.ok(micros >= before * 1000 && micros < (after + 1) * 1000);
    }
  });
});

describe('manual clock', () => {
  it('changes only when it is set or advanced', () => {
    const clock = new ManualClock(1000);
    assert.equal(clock.now(), 1000);
    assert.equal(clock.micros(), 1_000_000);
    clock.advance(250);
    assert.equal(clock.now(), 1250);
    clock.advance(0.5);
    assert.equal(clock.now(), 1250);
    assert.equal(clock.micros(), 1_250_500);
  });
});
