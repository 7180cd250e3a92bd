import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { locks } from '../../src/kit/locks/index.js';
import { defineTask, queue } from '../../src/kit/queue/index.js';
import { open } from '../../src/store/index.js';
import { plain, RawClient } from '../oracle/support/index.js';
import { ask, startSentinelGroup, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { type Kind, until, untilEqual } from './support.js';

after(stopAllServers);

/** Writes numbers, and returns those that a replica has confirmed. Ends when the master does not answer. */
async function writeConfirmed(port: number, isOver: () => boolean): Promise<number[]> {
  const confirmed: number[] = [];
  try {
    const client = await RawClient.connect(port);
    for (let n = 1; !isOver(); n++) {
      await client.call(['RPUSH', 'confirmed', n], 1000);
      const count = plain(await client.call(['WAIT', '1', '1000'], 2000));
      if (Number(count) >= 1) confirmed.push(n);
    }
    client.close();
  } catch {
    // The master is gone.
  }
  return confirmed;
}

const ALL_FLEETS: readonly (readonly Kind[])[] = [
  ['sorrel', 'sorrel', 'redis'],
  ['redis', 'sorrel', 'sorrel'],
];

/** One takes some seconds; `npm run torture` runs all. */
const FLEETS = process.env['SORREL_TOPOLOGY_ROUNDS'] === undefined ? ALL_FLEETS.slice(0, 1) : ALL_FLEETS;

for (const kinds of FLEETS) {
  describe(`real Sentinels over ${kinds.join(', ')}`, whenRedisIsInstalled, () => {
    it('replace a killed master: locks and queues go on', async () => {
      const group = await startSentinelGroup([], kinds);
      const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
      await using store = await open(`redis+sentinel://${hosts}/${group.name}`, { commandTimeout: 1000 });
      const done = new Set<number>();
      const task = defineTask<number>('count');
      const mail = queue(store, 'mail');
      const worker = mail.work(task.handle(async (number) => void done.add(number)));
      try {
        const add = (number: number): Promise<unknown> =>
          until(
            'a task is added',
            () => mail.add(task, number, { id: `task-${number}` }),
            () => true,
          );
        for (let number = 0; number < 50; number++) await add(number);
        assert.ok((await store.wait(1, 10_000)) >= 1);
        await group.crashMaster();
        for (let number = 50; number < 100; number++) await add(number);
        await until(
          'all tasks are done',
          async () => done.size,
          (size) => size === 100,
        );
        const held = await until(
          'the lock is taken',
          () => locks(store).acquire('resource'),
          () => true,
        );
        await held.release();
      } finally {
        await worker.stop();
        await group.stop();
      }
    });

    it('replace a stopped master without losing confirmed writes, and make it a replica when it is back', async () => {
      const group = await startSentinelGroup([], kinds);
      try {
        const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
        await using store = await open(`redis+sentinel://${hosts}/${group.name}`, { commandTimeout: 1000 });
        const former = await group.masterPort();
        const master = group.servers.find(({ port }) => port === former);
        let isOver = false;
        const writing = writeConfirmed(former, () => isOver);
        await until(
          'some are written',
          () => ask(former, 'LLEN', 'confirmed'),
          (length) => Number(length) > 20,
        );
        for (const port of group.sentinelPorts) {
          await ask(port, 'SENTINEL', 'SET', group.name, 'down-after-milliseconds', '1000');
        }
        master?.process.kill('SIGSTOP');
        isOver = true;
        await until(
          'there is another master',
          () => group.masterPort(),
          (port) => port !== former,
        );
        const present = await group.masterPort();
        await until(
          'it is a master',
          () => ask(present, 'ROLE'),
          (role) => Array.isArray(role) && role[0] === 'master',
        );
        const confirmed = await writing;
        const kept = new Set(
          ((await ask(present, 'LRANGE', 'confirmed', '0', '-1')) as string[]).map(Number),
        );
        assert.deepEqual(
          confirmed.filter((n) => !kept.has(n)),
          [],
          'confirmed writes that are lost',
        );
        assert.ok(confirmed.length > 0);

        // The store is connected to the stopped master, and a Sentinel may still name it: that takes a call, which gets no answer.
        await using lock = await until(
          'the lock is taken',
          () => locks(store).acquire('resource'),
          () => true,
        );
        assert.ok(lock.isHeld);
        master?.process.kill('SIGCONT');
        await until(
          'the former master follows',
          () => ask(former, 'ROLE'),
          (role) =>
            Array.isArray(role) && role[0] === 'slave' && role[2] === present && role[3] === 'connected',
        );
        const members = group.servers.slice(0, kinds.length);
        const leader = members.find(({ port }) => port === present);
        await until(
          'the lock is released',
          () => lock.release(),
          () => true,
        );
        if (leader !== undefined) await untilEqual(leader, ...members.filter((each) => each !== leader));
      } finally {
        await group.stop();
      }
    });
  });
}
