import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffDelay } from './backoff.js';

const DAY = 86_400_000;

test('a fixed back-off waits the same time after each failure', () => {
  const backoff = { kind: 'fixed', delay: 500, max: DAY, jitter: 0 } as const;
  assert.deepEqual(
    [1, 2, 9].map((failures) => backoffDelay(backoff, failures, () => 1)),
    [500, 500, 500],
  );
});

test('an exponential back-off doubles the time up to its limit', () => {
  const backoff = { kind: 'exponential', delay: 100, max: 1_000, jitter: 0 } as const;
  assert.deepEqual(
    [1, 2, 3, 4, 5, 2_000].map((failures) => backoffDelay(backoff, failures, () => 1)),
    [100, 200, 400, 800, 1_000, 1_000],
  );
});

test('jitter takes away up to its part of the time', () => {
  const backoff = { kind: 'fixed', delay: 1_000, max: DAY, jitter: 0.5 } as const;
  assert.equal(
    backoffDelay(backoff, 1, () => 0),
    1_000,
  );
  assert.equal(
    backoffDelay(backoff, 1, () => 0.5),
    750,
  );
  assert.equal(
    backoffDelay(backoff, 1, () => 1),
    500,
  );
});

test('without back-off there is no wait', () => {
  assert.equal(
    backoffDelay(undefined, 3, () => 1),
    0,
  );
});
