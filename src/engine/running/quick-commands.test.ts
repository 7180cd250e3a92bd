import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLAG } from '../../commands/flag.js';
import { commandTable } from './command-table.js';
import { COUNTING_COMMANDS, countingCommandsOf, QUICK_COMMANDS, quickArgumentsOf } from './quick-commands.js';

/** Documented complexities that make a command quick unless the request is long. */
const QUICK_COMPLEXITY = /^(O\(1\)|O\(log\(N\)\)|O\(N\) where N is the number of keys)/;

test('QUICK_COMMANDS lists the commands with a quick documented complexity, without blocking and admin commands', () => {
  const documented = [...commandTable]
    .flatMap((command) => [command, ...(command.subcommands ?? [])])
    .filter(({ flagBits }) => (flagBits & (FLAG.blocking | FLAG.admin)) === 0)
    .filter(({ spec }) => QUICK_COMPLEXITY.test(spec.docs.complexity ?? ''))
    .map(({ fullName }) => fullName);
  assert.deepEqual([...QUICK_COMMANDS].sort(), documented.sort());
});

test('a renamed command is still quick', () => {
  const renamed = commandTable.renamed([{ from: 'get', to: 'fetch' }]);
  const get = commandTable.byName('get');
  assert.ok(get);
  assert.equal(renamed.byName('fetch'), get);
  assert.equal(quickArgumentsOf(renamed)[get.id], quickArgumentsOf(commandTable)[get.id]);
  assert.equal(commandTable.byName('fetch'), undefined, 'the table of other engines is unchanged');
});

test('commands that declare their elements exist, and are none of the quick ones', () => {
  assert.equal(
    countingCommandsOf(commandTable).reduce((sum, each) => sum + each, 0),
    COUNTING_COMMANDS.size,
  );
  for (const name of COUNTING_COMMANDS) assert.equal(QUICK_COMMANDS.has(name), false, name);
});
