import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { latin1Text, SHORT, shortText } from './short-text.js';

const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => (i * 167 + 13) % 256));

describe('The text of bytes', () => {
  it('has one character per byte, whatever its length, also at the end of the buffer', () => {
    for (let length = 0; length <= SHORT + 4; length++) {
      for (let start = 0; start + length <= bytes.length; start++) {
        const expected = bytes.latin1Slice(start, start + length);
        assert.equal(latin1Text(bytes, start, start + length), expected);
        if (length <= SHORT) assert.equal(shortText(bytes, start, length), expected);
      }
    }
  });
});
