import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  ask,
  noRedisReason,
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
} from '../support/fleet/index.js';

after(stopAllServers);

const REPLICA = ['--repl-diskless-sync-delay', '0'];

async function offsets({ port }: Server): Promise<Readonly<Record<string, number>>> {
  const info = String(await ask(port, 'INFO', 'replication'));
  return Object.fromEntries(
    [...info.matchAll(/^(\w+_offset):(\d+)/gm)].map(([, name, at]) => [name, Number(at)]),
  );
}

for (const [kind, start] of Object.entries({ Sorrel: startSorrel, Redis: startRedis })) {
  const skip = kind === 'Redis' ? (noRedisReason ?? false) : false;
  test(`a paused replica (${kind}) receives its master's writes, and applies them after the pause`, {
    skip,
  }, async () => {
    const master = await startSorrel(REPLICA);
    const replica = await start(REPLICA);
    await ask(replica.port, 'REPLICAOF', '127.0.0.1', `${master.port}`);
    while (!/master_link_status:up/.test(String(await ask(replica.port, 'INFO', 'replication'))));
    // The first write selects the database, which no pause holds back.
    await ask(master.port, 'SET', 'before', '1');
    while ((await ask(replica.port, 'GET', 'before')) !== '1');
    while ((await offsets(replica))['slave_repl_offset'] !== (await offsets(master))['master_repl_offset']);
    await ask(replica.port, 'CLIENT', 'PAUSE', '100000', 'WRITE');
    const { slave_repl_offset: paused } = await offsets(replica);
    await ask(master.port, 'SET', 'during', '2');
    while (
      (await offsets(replica))['slave_read_repl_offset'] !== (await offsets(master))['master_repl_offset']
    );
    assert.equal((await offsets(replica))['slave_repl_offset'], paused);
    assert.equal(await ask(replica.port, 'GET', 'during'), null);
    await ask(master.port, 'SET', 'later', '3');
    await ask(replica.port, 'CLIENT', 'UNPAUSE');
    while ((await ask(replica.port, 'GET', 'later')) !== '3');
    assert.equal(await ask(replica.port, 'GET', 'during'), '2');
    while ((await offsets(replica))['slave_repl_offset'] !== (await offsets(master))['master_repl_offset']);
  });
}
