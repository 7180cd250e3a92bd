import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { rows as bitmap } from './bitmap/rows.js';
import { KEY_FLAG, namesIn } from './flag.js';
import { sortRows } from './generic/sort-rows.js';
import { transferRows } from './generic/transfer-rows.js';
import { rows as geo } from './geo/rows.js';
import { keyPositions } from './key-positions.js';
import { rows as pubsub } from './pubsub/rows.js';
import type { CommandSpec } from './row.js';
import { rows as scripting } from './scripting/rows.js';
import { combineRows as sortedSetCombineRows } from './sorted-set/combine-rows.js';
import { rows as stream } from './stream/rows.js';
import { rows as string } from './string/rows.js';
import { Command } from './table.js';

const ROWS: Readonly<Record<string, CommandSpec>> = {
  ...bitmap,
  ...geo,
  ...pubsub,
  ...scripting,
  ...sortedSetCombineRows,
  ...sortRows,
  ...stream,
  ...string,
  ...transferRows,
};

function commandOf(name: string): Command {
  const spec = ROWS[name];
  assert.ok(spec, `there is a row for ${name}`);
  return new Command(name, spec, () => {}, undefined);
}

/** The keys of a command line and what happens to them: `a:RO,access b:OW,update`. */
function keysOf(line: string, includeNotKeys = false): string {
  const words = line.split(' ');
  const args = words.map((word) => Bytes.of(word));
  const { positions, flags } = keyPositions(commandOf(words[0] as string), args, args.length, includeNotKeys);
  return positions
    .map((at, i) => `${words[at]}:${namesIn(KEY_FLAG, flags[i] as number).join(',')}`)
    .join(' ');
}

test('ranges are counted from the start, from the end and in steps', () => {
  assert.equal(keysOf('get k'), 'k:RO,access');
  assert.equal(keysOf('mget a b c'), 'a:RO,access b:RO,access c:RO,access');
  assert.equal(keysOf('mset a 1 b 2'), 'a:OW,update b:OW,update');
  assert.equal(keysOf('bitop and d a b'), 'd:OW,update a:RO,access b:RO,access');
});

test('the number of keys can be given by an argument', () => {
  assert.equal(keysOf('eval script 2 a b c'), 'a:RW,access,update b:RW,access,update');
  assert.equal(keysOf('zunionstore d 1 a'), 'd:OW,update a:RO,access');
  assert.equal(keysOf('eval script 0 a'), '');
  assert.equal(keysOf('eval script 3 a b'), '');
  assert.equal(keysOf('eval script -1 a'), '');
});

test('a count followed by other text still finds keys, but not their flags', () => {
  assert.equal(keysOf('eval script 1x a'), 'a:');
  assert.equal(keysOf('zunionstore d 2x a b'), 'a: b: d:');
  assert.equal(keysOf('eval script x a'), '');
});

test('keys after a keyword are found if the keyword is there', () => {
  assert.equal(keysOf('georadius k 1 2 3 km'), 'k:RO,access');
  assert.equal(keysOf('georadius k 1 2 3 km STORE d'), 'k:RO,access d:OW,update');
  assert.equal(keysOf('xread COUNT 1 streams a b 0 0'), 'a:RO,access b:RO,access');
  assert.equal(keysOf('xread streams a'), '');
});

test('SORT uses the last STORE that is not the argument of another option', () => {
  assert.equal(keysOf('sort k BY store GET store'), 'k:RO,access');
  assert.equal(keysOf('sort k STORE a LIMIT 0 store STORE b'), 'k:RO,access b:OW,update');
  assert.equal(keysOf('sort_ro k BY x'), 'k:RO,access');
});

test('MIGRATE moves the key, or those after KEYS when it is empty', () => {
  assert.equal(keysOf('migrate host 1 k 0 9'), 'k:RW,access,delete');
  assert.equal(keysOf('migrate host 1  0 9 AUTH keys KEYS a b'), 'a:RW,access,delete b:RW,access,delete');
  assert.equal(keysOf('migrate host 1 k 0 9 KEYS a b'), '');
});

test('the flags of SET and BITFIELD depend on their options', () => {
  assert.equal(keysOf('set k v'), 'k:OW,update');
  assert.equal(keysOf('set k v NX get'), 'k:RW,access,update');
  assert.equal(keysOf('bitfield k GET u8 0 OVERFLOW wrap'), 'k:RO,access');
  assert.equal(keysOf('bitfield k GET u8 0 SET u8 0 1'), 'k:RW,access,update');
});

test('shard channels are found only on request', () => {
  assert.equal(commandOf('ssubscribe').hasKeys, false);
  assert.equal(keysOf('ssubscribe a b'), '');
  assert.equal(keysOf('ssubscribe a b', true), 'a:not_key b:not_key');
  assert.equal(commandOf('publish').hasKeys, false);
  assert.equal(commandOf('get').hasKeys, true);
});
