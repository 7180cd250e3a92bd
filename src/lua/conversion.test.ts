import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesFromText, listFromTable, tableFromList, textFromBytes } from './conversion.js';

describe('conversion between Lua and JavaScript', () => {
  it('converts tables to lists and lists to tables', () => {
    assert.deepEqual(listFromTable(tableFromList(['a', 2, true])), ['a', 2, true]);
    assert.deepEqual(listFromTable(tableFromList([1, undefined, 3])), [1]);
    assert.deepEqual(listFromTable(tableFromList([])), []);
  });

  it('stores text as the bytes of UTF-8', () => {
    assert.equal(bytesFromText('é€'), '\xc3\xa9\xe2\x82\xac');
    assert.equal(textFromBytes(bytesFromText('é€😀')), 'é€😀');
  });
});
