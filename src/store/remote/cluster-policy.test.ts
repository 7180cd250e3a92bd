import assert from 'node:assert/strict';
import { it } from 'node:test';
import { open } from '../open.js';
import { clusterPolicy, POLICIES } from './cluster-policy.js';

type Row = readonly [name: string, ...others: unknown[]];

/** The tips of every command and subcommand, by their names in capitals. */
async function tips(): Promise<Map<string, readonly string[]>> {
  await using store = await open();
  const found = new Map<string, readonly string[]>();
  const visit = (row: Row): void => {
    found.set(row[0].toUpperCase().replace('|', ' '), row[7] as readonly string[]);
    for (const subcommand of row[9] as readonly Row[]) visit(subcommand);
  };
  for (const row of (await store.send('COMMAND')) as readonly unknown[]) visit(row as Row);
  return found;
}

it('A command goes to the servers of a Cluster that its tips name', async () => {
  let checked = 0;
  for (const [name, list] of await tips()) {
    const audience = list.find((tip) => tip.startsWith('request_policy:all_'));
    if (audience === undefined || list.includes('response_policy:special')) continue;
    const policy = clusterPolicy({ command: { words: name.split(' ') }, args: [] });
    assert.equal(policy?.audience, audience.endsWith('nodes') ? 'all' : 'masters', name);
    checked++;
  }
  assert.ok(checked > 15, `${checked}`);
});

it('No other command goes to several servers, except those that have tips in later versions', async () => {
  const known = await tips();
  const without = Object.keys(POLICIES).filter(
    (name) => !known.get(name)?.some((tip) => tip.startsWith('request_policy:')),
  );
  assert.deepEqual(
    without.filter((name) => !/^(ACL|CONFIG) /.test(name)),
    [],
  );
});

it('A subcommand may be given as an argument, and other arguments are not taken for subcommands', () => {
  const request = { command: { words: ['config'.toUpperCase()] }, args: ['set', 'a', 'b'] };
  assert.equal(clusterPolicy(request)?.audience, 'all');
  assert.equal(clusterPolicy({ command: { words: ['GET'] }, args: ['DBSIZE'] }), undefined);
  assert.equal(clusterPolicy({ command: { words: ['CONFIG', 'GET'] }, args: ['SET'] }), undefined);
});
