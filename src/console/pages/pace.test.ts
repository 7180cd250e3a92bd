import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter, stepsAt } from './pace.js';

test('a walk is brisk in its first second, then as it was asked to be', () => {
  assert.equal(pauseAfter(0.3, 500, 'gentle'), 1);
  assert.equal(pauseAfter(0.3, 1500, 'gentle'), 50);
  assert.equal(pauseAfter(0.3, 1500, 'brisk'), 1);
});

test('a gentle walk takes fewer and longer steps', () => {
  assert.equal(stepsAt(500, 'gentle').keys, 100);
  assert.equal(stepsAt(1500, 'gentle').keys, 400);
  assert.equal(stepsAt(1500, 'brisk').keys, 100);
});

test('a slow server is left alone for longer, up to a limit', () => {
  assert.equal(pauseAfter(1.5, 1500, 'gentle'), 150);
  assert.equal(pauseAfter(90, 1500, 'gentle'), 200);
  assert.equal(pauseAfter(90, 1500, 'brisk'), 50);
});
