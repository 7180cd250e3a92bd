import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { methodOf } from '../../scripts/store-commands/method.js';
import { allCommands, methodTable, typedCommands, untyped } from '../../scripts/store-commands/table.js';
import { commandMethods } from '../../src/store/commands/index.js';
import { examples } from './examples.js';
import { variants } from './variants.js';

const methods = [...typedCommands().values()].flat().map(([command, row]) => methodOf(command, row));

function advice(wrong: object): string {
  return `add a row to scripts/store-commands/table-*.ts, or a reason to \`untyped\`: ${JSON.stringify(wrong)}`;
}

describe('the typed commands', () => {
  const names = allCommands().map(({ fullName }) => fullName);

  it('are all commands but those for which there is a reason', () => {
    assert.ok(names.length > 300);
    const neither = names.filter((name) => !(name in methodTable) && !(name in untyped));
    const both = names.filter((name) => name in methodTable && name in untyped);
    assert.deepEqual({ neither, both }, { neither: [], both: [] }, advice({ neither, both }));
  });

  it('and the reasons are about commands that exist', () => {
    const known = new Set(names);
    const unknown = [...Object.keys(methodTable), ...Object.keys(untyped)].filter((name) => !known.has(name));
    assert.deepEqual(unknown, []);
  });

  it('have one method each', () => {
    assert.deepEqual(Object.keys(commandMethods).sort(), methods.map(({ name }) => name).sort());
  });

  it('have one example each', () => {
    assert.deepEqual(
      examples.map(({ name }) => name),
      methods.map(({ name }) => name),
    );
  });

  it('are tried in each case in which options change the reply', () => {
    const tried = new Set([...variants, ...examples].map(({ name }) => name));
    const untried = methods.flatMap(({ name, row }) =>
      (row.when ?? [])
        .filter(([given]) => !given.some((option) => tried.has(`${name}.${option}`)))
        .map(([given]) => `${name}.${given.join('|')}`),
    );
    assert.deepEqual(untried, []);
  });
});
