import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { clusterOf, idOf, simulatedCluster } from './simulated.js';

it('many changes of slots are written to the node file together, and a new epoch is synchronised', async () => {
  const { simulation, masters } = await simulatedCluster(0);
  const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
  const { world } = clusterOf(first);
  const save = mock.method(world, 'saveNodes');
  const saved = (): { readonly text: string; readonly synced: boolean }[] =>
    save.mock.calls.map(({ arguments: [text, synced] }) => ({ text, synced }));
  for (let slot = 0; slot < 100; slot++) first.run('CLUSTER', 'SETSLOT', slot, 'MIGRATING', idOf(second));
  assert.equal(saved().length, 1, 'the first change is written at once');
  await simulation.pass(200);
  assert.equal(saved().length, 2);
  assert.match(saved()[1]?.text ?? '', /\[99->-/);
  assert.ok(saved().every(({ synced }) => !synced));

  save.mock.resetCalls();
  first.run('CLUSTER', 'SETSLOT', 6000, 'IMPORTING', idOf(second));
  first.run('CLUSTER', 'SETSLOT', 6000, 'NODE', idOf(first));
  const own = / myself,master .* connected 0-5460 6000 /;
  assert.ok(saved().some(({ text, synced }) => synced && own.test(text)));
  simulation.close();
});

it('a replica that is started again with its data continues the stream of its master', async () => {
  const { simulation, masters, replicas } = await simulatedCluster([1, 0, 0]);
  const [master] = masters as [(typeof masters)[0]];
  const replica = replicas[0]?.[0] as (typeof masters)[0];
  assert.equal(master.run('SET', '{06S}1', 'a'), '+OK\r\n');
  await simulation.passUntil(() => replica.offset === master.offset);
  replica.save();
  replica.crash();
  assert.equal(master.run('SET', '{06S}2', 'b'), '+OK\r\n');
  replica.log.length = 0;
  replica.start();
  await simulation.passUntil(
    () => replica.replication.link?.isUp === true && replica.digest === master.digest,
  );
  assert.ok(replica.log.some((line) => line.includes('partial resynchronization with master')));
  assert.ok(!replica.log.some((line) => line.includes('Full resync')));
  simulation.close();
});
