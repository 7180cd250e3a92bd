import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATEGORY, FLAG, namesIn, printedFlags } from './flag.js';
import { at, type CommandRows, counted, key, keys, through } from './row.js';
import { type Command, CommandTable, family } from './table.js';

const docs = { summary: '', since: '1.0.0', group: 'generic' } as const;
const nothing = (): void => {};

const rows = {
  get: { arity: 2, flags: ['readonly', 'fast'], keys: [key(1, 'RO', 'access')], docs },
  copy: { arity: -3, flags: ['write'], keys: [key(1, 'RO'), key(2, 'OW')], docs },
  bitop: { arity: -4, keys: [key(2, 'OW'), keys(at(3), through(-1), 'RO')], docs },
  mset: { arity: -3, keys: [keys(at(1), through(-1, 2), 'OW')], docs },
  zunionstore: { arity: -4, keys: [key(1, 'OW'), keys(at(2), counted, 'RO')], docs },
  eval_ro: { arity: -3, flags: ['readonly', 'may_replicate'], categories: ['scripting'], docs },
  config: {
    arity: -2,
    docs,
    subcommands: {
      get: { arity: -3, flags: ['admin', 'stale'], docs },
      set: { arity: -4, flags: ['admin'], docs },
    },
  },
  never: { arity: 1, docs, subcommands: { sub: { arity: 2, docs } } },
} satisfies CommandRows;

const handlers = {
  get: nothing,
  copy: nothing,
  bitop: nothing,
  mset: nothing,
  zunionstore: nothing,
  eval_ro: nothing,
};
const bound = family(rows, { ...handlers, config: { get: nothing } });
const table = CommandTable.of([bound]);

function command(name: string): Command {
  const found = table.byName(name);
  assert.ok(found, `${name} is registered`);
  return found;
}

test('rows without a handler are not registered but are listed as missing', () => {
  assert.deepEqual(bound.missing, ['config|set', 'never', 'never|sub']);
  assert.equal(table.byName('never'), undefined);
  assert.equal(table.byName('config|set'), undefined);
  assert.equal(table.size, 7);
});

test('a handler without a row does not compile', () => {
  // @ts-expect-error there is no such row
  family(rows, { nosuch: nothing });
  // @ts-expect-error there is no such subcommand
  family(rows, { config: { nosuch: nothing } });
});

test('subcommands are found in their container and by their full name', () => {
  const sub = command('config').subcommands?.byName('GET');
  assert.equal(sub?.fullName, 'config|get');
  assert.equal(command('CONFIG|GET'), sub);
  assert.equal(sub?.parent, command('config'));
  assert.equal(table.byName('config|get|x'), undefined);
  assert.equal(table.byName('get|x'), undefined);
});

test('every command has a unique id', () => {
  const ids = [...table].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('the legacy range joins adjacent key specifications', () => {
  const range = ({ firstKey, lastKey, keyStep }: Command) => [firstKey, lastKey, keyStep];
  assert.deepEqual(range(command('get')), [1, 1, 1]);
  assert.deepEqual(range(command('copy')), [1, 2, 1]);
  assert.deepEqual(range(command('bitop')), [2, -1, 1]);
  assert.deepEqual(range(command('mset')), [1, -1, 2]);
  assert.deepEqual(range(command('zunionstore')), [1, 1, 1]);
  assert.deepEqual(range(command('config')), [0, 0, 0]);
});

test('a specification that is not a range makes keys movable', () => {
  assert.equal(command('bitop').movableKeys, false);
  assert.equal(command('zunionstore').movableKeys, true);
  assert.notEqual(command('zunionstore').flagBits & FLAG.movablekeys, 0);
});

test('categories follow from flags', () => {
  const categories = (name: string) => namesIn(CATEGORY, command(name).categoryBits);
  assert.deepEqual(categories('get'), ['read', 'fast']);
  assert.deepEqual(categories('copy'), ['write', 'slow']);
  assert.deepEqual(categories('config|get'), ['admin', 'slow', 'dangerous']);
  assert.deepEqual(categories('eval_ro'), ['slow', 'scripting']);
});

test("flags are printed in Redis's order, without the engine's own", () => {
  assert.deepEqual(printedFlags(command('eval_ro').flagBits), ['readonly']);
  assert.deepEqual(printedFlags(command('config|get').flagBits), ['admin', 'stale']);
});

test('arity is exact, or the minimum if negative', () => {
  assert.deepEqual(
    [1, 2, 3].map((argc) => command('get').accepts(argc)),
    [false, true, false],
  );
  assert.deepEqual(
    [2, 3, 9].map((argc) => command('copy').accepts(argc)),
    [false, true, true],
  );
});
