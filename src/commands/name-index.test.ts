import assert from 'node:assert/strict';
import { test } from 'node:test';
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
