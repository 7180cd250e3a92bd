import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Plain } from '../oracle/support/reply.js';
import { type Server, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { follow, type Kind, replicationOf, startServer, tryAsk, until, untilUp } from './support.js';

after(stopAllServers);

type Answers = readonly (readonly [question: string, answer: unknown])[];

/** What a master answers before, during and after failovers to a replica that is stopped. */
async function answersOf(kind: Kind): Promise<Answers> {
  const announced = ['--replica-announce-ip', 'replica-a', '--replica-announce-port', '7777'];
  const [master, replica] = await Promise.all([startServer(kind), startServer('redis', announced)]);
  const answers: [string, Plain | undefined][] = [];
  const ask = async (question: string): Promise<void> => {
    answers.push([question, await tryAsk(master.port, ...question.split(' '))]);
  };
  const show = async (...names: readonly string[]): Promise<void> => {
    const info = await replicationOf(master.port);
    for (const name of names) answers.push([name, info.get(name)]);
  };
  try {
    await follow(replica, master.port);
    await untilUp(replica);
    await untilState(master, 'slave0', /state=online/);
    replica.process.kill('SIGSTOP');
    await ask('SET key value');
    await ask('FAILOVER TO replica-a 1');
    await ask('FAILOVER TO replica-b 7777');
    await ask('FAILOVER TO replica-a 99999999999');
    await ask('FAILOVER TO REPLICA-A 7777 FORCE');
    await ask('FAILOVER FORCE TIMEOUT 10');
    await ask('FAILOVER TO replica-a 7777 TO replica-a 7777');
    await ask('FAILOVER TIMEOUT 10 TIMEOUT 10');
    await ask('FAILOVER TO replica-a 7777 FORCE FORCE TIMEOUT 10');
    await ask('FAILOVER ABORT');

    await ask('FAILOVER TO REPLICA-A 7777');
    await show('role', 'master_failover_state');
    await ask('GET key');
    await ask('FAILOVER');
    await ask('REPLICAOF NO ONE');
    await ask('REPLICAOF host 99999');
    await ask('PSYNC ? -1');
    await ask('FAILOVER ABORT');
    await show('role', 'master_failover_state');
    await ask('SET key other');

    await ask('FAILOVER TIMEOUT 100');
    await untilState(master, 'master_failover_state', /no-failover/);
    await show('role');

    // Nothing can be connected to by this name.
    await ask('FAILOVER TO replica-a 7777 FORCE TIMEOUT 100');
    await untilState(master, 'master_failover_state', /failover-in-progress/);
    await show('role', 'master_host', 'master_port', 'master_link_status');
    await ask('SYNC');
    await ask('FAILOVER ABORT');
    await show('role', 'master_failover_state');
    await ask('SET key last');
    return answers;
  } finally {
    replica.process.kill('SIGCONT');
    await Promise.all([master.stop(), replica.stop()]);
  }
}

async function untilState(master: Server, name: string, wanted: RegExp): Promise<void> {
  await until(
    `${name} of ${master.name} is ${wanted}`,
    () => replicationOf(master.port),
    (info) => wanted.test(info.get(name) ?? ''),
  );
}

it('a failover is refused, shown, aborted and forced as by Redis', whenRedisIsInstalled, async () => {
  const [ours, real] = await Promise.all([answersOf('sorrel'), answersOf('redis')]);
  assert.deepEqual(ours, real);
});
