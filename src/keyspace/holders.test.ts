import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Holders } from './holders.js';

test('something is held until the last party has released it, in any order', () => {
  const changes: boolean[] = [];
  const holders = new Holders((isHeld) => changes.push(isHeld));
  const [first, second] = [{}, {}];
  holders.hold(first);
  holders.hold(second);
  holders.hold(first);
  holders.release(first);
  assert.equal(holders.isHeld, true);
  holders.release(first);
  assert.equal(holders.isHeld, true);
  holders.release(second);
  assert.equal(holders.isHeld, false);
  assert.deepEqual(changes, [true, false]);
});
