import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widen } from '../bytes/wide-buffer.js';
import { NameIndex } from './name-index.js';

function indexOf(...names: string[]): NameIndex<string> {
  const index = new NameIndex<string>();
  for (const name of names) index.add(name, name);
  return index;
}

test('a name is found in the middle of a buffer, in any case', () => {
  const index = indexOf('get', 'set', 'getset');
  const buffer = Buffer.from('*2\r\n$3\r\ngEt\r\n$6\r\nGETSET\r\n');
  assert.equal(index.lookup(buffer, 8, 11), 'get');
  assert.equal(index.lookup(buffer, 17, 23), 'getset');
  assert.equal(index.lookup(buffer, 17, 20), 'get');
  assert.equal(index.lookup(buffer, 17, 22), undefined);
});

test('only letters are compared without case', () => {
  const index = indexOf('sort_ro', 'restore-asking');
  assert.equal(index.byName('SORT_RO'), 'sort_ro');
  assert.equal(index.byName('sort\x7fro'), undefined);
  assert.equal(index.byName('restore\rasking'), undefined);
});

test('nothing is found in an empty index or under an empty name', () => {
  assert.equal(indexOf().byName('get'), undefined);
  assert.equal(indexOf('get').byName(''), undefined);
});

test('names of letters are found by words in wide buffers, and nothing else is taken for one', () => {
  const names = [
    'get',
    'mget',
    'lpush',
    'rpush',
    'zrange',
    'rpushx',
    'xautoclaim',
    'evalsha',
    'lmovetwo',
    'sort_ro',
  ];
  const index = indexOf(...names);
  const find = (text: string): string | undefined => {
    const buffer = widen(Buffer.from(`*1\r\n${text}\r\n`, 'latin1'));
    return index.lookup(buffer, 4, 4 + text.length);
  };
  for (const name of names) {
    for (const text of [name, name.toUpperCase()]) {
      assert.equal(find(text), name);
      for (let i = 0; i < text.length; i++) {
        for (let byte = 0; byte < 256; byte++) {
          const other = text.slice(0, i) + String.fromCharCode(byte) + text.slice(i + 1);
          const lowered = other.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
          assert.equal(find(other), names.includes(lowered) ? lowered : undefined, JSON.stringify(other));
        }
      }
    }
  }
  assert.equal(find('ge'), undefined);
  assert.equal(find('gett'), undefined);
  assert.equal(find(''), undefined);
});

test('hundreds of names are found, and are listed in order', () => {
  const names = Array.from({ length: 500 }, (_, i) => `command-${(i * 7919) % 1000}-${i}`);
  const index = indexOf(...names);
  assert.equal(index.size, 500);
  for (const name of names) assert.equal(index.byName(name.toUpperCase()), name);
  assert.deepEqual([...index], names);
});

test('a name can be added only once', () => {
  assert.throws(() => indexOf('get', 'GET'), /duplicate name/);
});
