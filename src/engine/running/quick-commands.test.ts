import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLAG } from '../../commands/flag.js';
import { commandTable } from './command-table.js';
import { QUICK_COMMANDS, quickArgumentsOf } from './quick-commands.js';

/** Documented efforts that are short unless the request itself is long. */
const QUICK_COMPLEXITY = /^(O\(1\)|O\(log\(N\)\)|O\(N\) where N is the number of keys)/;

test('the commands said to be quick are those whose documented effort is, and that neither wait nor administer', () => {
  const documented = [...commandTable]
    .flatMap((command) => [command, ...(command.subcommands ?? [])])
    .filter(({ flagBits }) => (flagBits & (FLAG.blocking | FLAG.admin)) === 0)
    .filter(({ spec }) => QUICK_COMPLEXITY.test(spec.docs.complexity ?? ''))
    .map(({ fullName }) => fullName);
  assert.deepEqual([...QUICK_COMMANDS].sort(), documented.sort());
});

test('a renamed command is as quick as before', () => {
  const renamed = commandTable.renamed([{ from: 'get', to: 'fetch' }]);
  const get = commandTable.byName('get');
  assert.ok(get);
  assert.equal(renamed.byName('fetch'), get);
  assert.equal(quickArgumentsOf(renamed)[get.id], quickArgumentsOf(commandTable)[get.id]);
  assert.equal(commandTable.byName('fetch'), undefined, 'the table that other engines use is as it was');
});
