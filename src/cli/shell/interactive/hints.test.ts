import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionsFor, hintFor } from './hints.js';
import { hasPassword } from './history.js';

test('a hint shows the arguments that are still to come', () => {
  assert.equal(hintFor('getrange'), ' key start end');
  assert.equal(hintFor('getrange '), 'key start end');
  assert.equal(hintFor('GETRANGE k '), 'start end');
  assert.equal(hintFor('getrange k 0 1 '), undefined);
  assert.equal(hintFor('config set '), 'parameter value [parameter value ...]');
  assert.equal(hintFor('set k v '), SET_OPTIONS);
  assert.equal(hintFor('set k v nx '), SET_OPTIONS);
  assert.equal(hintFor('nothing'), undefined);
  assert.equal(hintFor(''), undefined);
});

const SET_OPTIONS =
  '[NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]';

test('completion offers commands, subcommands and topics of help, in the letter case of what is typed', () => {
  assert.deepEqual(completionsFor('getr'), ['getrange']);
  assert.deepEqual(completionsFor('GETR'), ['GETRANGE']);
  assert.ok(completionsFor('config ').includes('config get'));
  assert.deepEqual(completionsFor('help @str'), ['help @stream', 'help @string']);
  assert.deepEqual(completionsFor('xyz'), []);
});

test('lines with passwords are recognised', () => {
  for (const line of [
    'auth secret',
    '3 AUTH user secret',
    'hello 3 auth user secret',
    'config set requirepass secret',
    'config set maxmemory 1 masterauth secret',
    'acl setuser x on >secret',
    'migrate h 1 k 0 1 auth secret',
    'auth "unbalanced',
  ]) {
    assert.ok(hasPassword(line), line);
  }
  for (const line of ['get auth', 'config set maxmemory 1', 'hello 3', 'acl list', '']) {
    assert.ok(!hasPassword(line), line);
  }
});
