import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './pace.js';

test('a walk is brisk in its first second, then as it was asked to be', () => {
  assert.equal(pauseAfter(0.3, 500, 'gentle'), 1);
  assert.equal(pauseAfter(0.3, 1500, 'gentle'), 12);
  assert.equal(pauseAfter(0.3, 1500, 'brisk'), 1);
});

test('a slow server is left alone for longer, up to a limit', () => {
  assert.equal(pauseAfter(2, 1500, 'gentle'), 80);
  assert.equal(pauseAfter(90, 1500, 'gentle'), 100);
  assert.equal(pauseAfter(90, 1500, 'brisk'), 50);
});
