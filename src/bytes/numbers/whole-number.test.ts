import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWholeNumber } from './whole-number.js';

test('a whole number has digits only, and is at most the max', () => {
  assert.equal(parseWholeNumber('0'), 0);
  assert.equal(parseWholeNumber('007'), 7);
  assert.equal(parseWholeNumber('9007199254740991'), Number.MAX_SAFE_INTEGER);
  assert.equal(parseWholeNumber('16383', 16383), 16383);
  for (const text of ['', ' ', '-1', '+1', '1.0', '1e3', '0x10', '1 ', '9007199254740992', '²']) {
    assert.equal(parseWholeNumber(text), undefined, text);
  }
  assert.equal(parseWholeNumber('16384', 16383), undefined);
});
