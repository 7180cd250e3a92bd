import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { bitmaps } from '../bitmap/index.js';
import { connection } from '../connection/index.js';
import { generic } from '../generic/index.js';
import { geo } from '../geo/index.js';
import { lists } from '../list/index.js';
import { pubsub } from '../pubsub/index.js';
import { scripting } from '../scripting/index.js';
import { server } from '../server/index.js';
import { sets } from '../set/index.js';
import { sortedSets } from '../sorted-set/index.js';
import { streams } from '../stream/index.js';
import { strings } from '../string/index.js';
import { type Command, CommandTable } from '../table.js';
import { QuickCheck } from './quick-check.js';
import { type Selector, Verdict } from './selector.js';
import { User } from './user.js';
import { applyUserRule } from './user-rules.js';

const commandTable = CommandTable.of([
  ...[
    bitmaps,
    connection,
    generic,
    geo,
    lists,
    pubsub,
    scripting,
    server,
    sets,
    sortedSets,
    streams,
    strings,
  ],
]);
const commands = [...commandTable].flatMap((command) => [command, ...(command.subcommands ?? [])]);
const context = { table: commandTable, allowsAllChannels: false };

function selectorOf(rules: string): Selector {
  const user = new User('u', commandTable.idLimit, false);
  for (const rule of rules.split(' ')) applyUserRule(user, rule, context);
  return user.ownSelector;
}

function find(name: string): Command {
  const found = commands.find(({ fullName }) => fullName === name);
  assert.ok(found, name);
  return found;
}

function allows(rules: string, line: string): boolean {
  const words = line.split(' ');
  return new QuickCheck(selectorOf(rules)).allows(
    find(words[0] as string),
    words.map(Bytes.of),
    words.length,
  );
}

test('most commands with one key, and commands without keys, are allowed without a full check', () => {
  assert.ok(allows('+@read ~key:*', 'get key:1'));
  assert.ok(allows('+@read ~a ~key:*', 'get key:1'));
  assert.ok(allows('+@read %R~key:*', 'get key:1'));
  assert.ok(allows('+@write ~key:*', 'set key:1 value'));
  assert.ok(allows('+@write ~key:*', 'bitfield key:1'));
  assert.ok(allows('+@all', 'dbsize'));
  assert.ok(allows('-@all', 'auth x'));
  assert.ok(allows('+@all allkeys', 'mget a b'));
});

test('what is not certain is left to the full check', () => {
  assert.ok(!allows('+@read ~key:*', 'get other'));
  assert.ok(!allows('+@read ~key:*', 'set key:1 value'));
  assert.ok(!allows('+@read %W~key:*', 'get key:1'));
  assert.ok(!allows('+@write %W~key:*', 'set key:1 value'));
  assert.ok(!allows('+@read ~key:*', 'mget key:1 other'));
  assert.ok(!allows('+@read ~key:*', 'get'));
  assert.ok(!allows('+@all', 'publish channel x'));
});

test('it never allows what the full check refuses', () => {
  const keys = ['a', 'key:1', 'k', ''];
  const rules = [
    '+@all ~key:*',
    '+@all %R~key:*',
    '+@all %W~key:* %R~a',
    '+@read ~k* -get',
    '+@all allkeys',
    '+@all &*',
  ];
  let allowed = 0;
  for (const selector of rules.map(selectorOf)) {
    const quick = new QuickCheck(selector);
    for (const command of commands) {
      for (const key of keys) {
        for (const rest of [[], ['get'], [key], ['a', '1', 'store', 'b'], ['2', 'a', 'b']]) {
          const args = [...command.fullName.split('|'), key, ...rest].map(Bytes.of);
          if (!quick.allows(command, args, args.length)) continue;
          allowed++;
          assert.equal(selector.check(command, args, args.length), Verdict.allowed, args.join(' '));
        }
      }
    }
  }
  assert.ok(allowed > 1000);
});

test('a decision ends with a change of the rules', () => {
  const user = new User('u', commandTable.idLimit, false);
  const args = ['get', 'key:1'].map(Bytes.of);
  const change = (rule: string): number => {
    const staged = new User('u', commandTable.idLimit, false);
    staged.become(user);
    applyUserRule(staged, rule, context);
    user.become(staged);
    return user.check(find('get'), args, args.length);
  };
  change('+get');
  assert.equal(change('~key:*'), Verdict.allowed);
  assert.equal(change('resetkeys'), Verdict.key);
  assert.equal(change('~key:*'), Verdict.allowed);
  assert.equal(change('-get'), Verdict.command);
});
