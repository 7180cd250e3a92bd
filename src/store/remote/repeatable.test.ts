import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FLAG } from '../../commands/flag.js';
import { commandTable } from '../../engine/running/command-table.js';
import { changesNothing, isRepeatable, READ_ONLY } from './repeatable.js';

/** Flagged as readonly, but they concern a connection, or are containers whose subcommands differ. */
const NOT_LISTED = new Set(['READONLY', 'MEMORY', 'OBJECT', 'XINFO']);

it('The list of commands that only read is that of the command table', () => {
  const flagged = [...commandTable]
    .filter(({ flagBits }) => (flagBits & FLAG.readonly) !== 0)
    .map(({ name }) => name.toUpperCase())
    .filter((name) => !NOT_LISTED.has(name));
  assert.deepEqual([...READ_ONLY].sort(), flagged.sort());
});

it('What reads may be sent again, and a script only if it says so', () => {
  const request = (name: string, repeatable?: boolean) => ({
    command: { words: [name], ...(repeatable === undefined ? {} : { isRepeatable: repeatable }) },
    args: [],
  });
  assert.ok(isRepeatable(request('GET')));
  assert.ok(isRepeatable(request('PING')));
  assert.ok(!isRepeatable(request('SET')));
  assert.ok(!isRepeatable(request('EVALSHA')));
  assert.ok(isRepeatable(request('EVALSHA', true)));
  assert.ok(!changesNothing(request('EVALSHA', true)), 'it may have run anyway');
});
