import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { queue, type TaskQueue } from '../../src/kit/queue/index.js';
import { whenRedisIsInstalled } from '../support/fleet/index.js';
import { seededDraw } from '../support/seeded-draw.js';
import { QueueCrew, type QueueWorker, until } from './programs/queue-crew.js';
import { chore, QUEUE_OPTIONS } from './programs/queue-task.js';

const LIMIT = { timeout: 300_000 };
const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 150);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);

/** How likely each blow is in a round. A process takes long to start: few are killed. */
const KILL = 0.04;
const STOP = 0.4;
const WORKERS = 4;
/** One worker has to go on. */
const MAX_STOPPED = 2;

describe('Task queues of several processes', { skip: whenRedisIsInstalled.skip }, () => {
  let crew: QueueCrew;
  before(async () => {
    crew = await QueueCrew.start();
  });
  after(() => crew?.[Symbol.asyncDispose]());

  it('killed, stopped and cut off workers lose no task and complete none twice', LIMIT, async () => {
    const draw = seededDraw(SEED);
    const mail = queue(crew.store, 'chaos', QUEUE_OPTIONS);
    const working = Array.from({ length: WORKERS }, () => crew.hire('chaos'));
    let stopped: { readonly worker: QueueWorker; readonly until: number }[] = [];
    const blows = { kill: 0, stop: 0, cut: 0 };

    const ids: string[] = [];
    const add = async (count: number): Promise<void> => {
      const texts = Array.from(
        { length: count },
        () => (draw() < 0.2 ? 'fail' : 'work') + '.'.repeat(draw() * 8),
      );
      const tasks = await Promise.all(texts.map((text) => mail.add(chore, text)));
      ids.push(...tasks.map((task) => task.id));
    };
    const isGoingOn = async (completedBefore: number): Promise<boolean> => {
      const { completed, waiting, active, delayed } = await mail.counts();
      return completed > completedBefore || waiting + active + delayed === 0;
    };
    const goOn = (those: typeof stopped): void => {
      for (const { worker } of those) {
        worker.child.kill('SIGCONT');
        working.push(worker);
      }
      stopped = stopped.filter((one) => !those.includes(one));
    };
    const strike = async (): Promise<void> => {
      // As many numbers in every round, whatever happens: the same seed gives the same blows.
      const [blow, place] = [draw(), draw()];
      const victim = working[Math.floor(place * working.length)] as QueueWorker;
      if (blow < KILL) {
        working.splice(working.indexOf(victim), 1, crew.hire('chaos'));
        await crew.kill(victim);
        blows.kill++;
      } else if (blow < STOP && stopped.length < MAX_STOPPED) {
        victim.child.kill('SIGSTOP');
        working.splice(working.indexOf(victim), 1);
        stopped.push({ worker: victim, until: await crew.leaseEnd() });
        blows.stop++;
      } else {
        await crew.store.send('CLIENT', 'KILL', 'TYPE', 'normal');
        blows.cut++;
      }
    };

    await add(200);
    for (const worker of working) await crew.ready('chaos', worker);
    for (let round = 0; round < ROUNDS; round++) {
      await add(5 + Math.floor(draw() * 10));
      await strike();
      const { completed } = await mail.counts();
      await until('work goes on', () => isGoingOn(completed));
      const now = await crew.serverTime();
      goOn(stopped.filter((one) => one.until < now));
    }
    goOn(stopped);
    await until('all are completed', async () => {
      const { waiting, active, delayed } = await mail.counts();
      return waiting + active + delayed === 0;
    });
    assert.equal((await mail.counts()).dead, 0);
    assert.deepEqual(await completions(mail, ids.length), new Map(ids.map((id) => [id, 1])), `seed ${SEED}`);
    const begun = (await crew.log('chaos')).filter((line) => line.startsWith('begin'));
    assert.ok(begun.length >= ids.length);
    assert.ok(Object.values(blows).every((times) => times > 0) || ROUNDS < 100, JSON.stringify(blows));
    for (const worker of working) await crew.dismiss('chaos', worker);
  });

  it('a process that was stopped longer than its lease is told that its task is gone', LIMIT, async () => {
    const mail = queue(crew.store, 'paused', QUEUE_OPTIONS);
    const has = async (line: string): Promise<boolean> => (await crew.log('paused')).includes(line);
    const first = crew.hire('paused');
    await crew.ready('paused', first);
    const task = await mail.add(chore, 'hold');
    await until('it has the task', () => has(`begin hold ${first.self}`));
    first.child.kill('SIGSTOP');
    const second = crew.hire('paused');
    await until('another one has it', () => has(`begin hold ${second.self}`));
    await crew.store.send('RPUSH', 'paused:go', 'go');
    assert.equal(await task.result(), 'hold done');
    first.child.kill('SIGCONT');
    await until('it was told', () => has(`lost ${task.id} ${first.self}`));
    assert.deepEqual(await completions(mail, 1), new Map([[task.id, 1]]));
    for (const worker of [first, second]) await crew.dismiss('paused', worker);
  });

  it('one worker after the other, each killed, keeps the order', LIMIT, async () => {
    const mail = queue(crew.store, 'order', QUEUE_OPTIONS);
    const texts = Array.from({ length: 150 }, (_, i) => `sequence ${i}`);
    await mail.addAll(
      chore,
      texts.map((text) => [text]),
    );
    const begun = async (): Promise<string[]> => {
      const lines = (await crew.log('order')).filter((line) => line.startsWith('begin'));
      return [...new Set(lines.map((line) => line.split(' ').slice(1, 3).join(' ')))];
    };
    for (let deaths = 0; deaths < 3; deaths++) {
      const worker = crew.hire('order', { concurrency: 1 });
      await until('it works', async () => (await begun()).length > (deaths + 1) * 10);
      await crew.kill(worker);
      const end = await crew.leaseEnd();
      await until('its lease is over', async () => (await crew.serverTime()) > end);
    }
    const last = crew.hire('order', { concurrency: 1 });
    await until('all are completed', async () => (await mail.counts()).completed === texts.length);
    assert.deepEqual(await begun(), texts);
    await crew.dismiss('order', last);
  });
});

/** How often the completion of each task was accepted, by the stream of events. */
async function completions(mail: TaskQueue, expected: number): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  let total = 0;
  // What marks the end: nothing that happened before can come after it.
  await mail.pause();
  for await (const { type, id = '' } of mail.events({ from: 'start' })) {
    if (type === 'paused') break;
    if (type !== 'completed') continue;
    times.set(id, (times.get(id) ?? 0) + 1);
    total++;
  }
  await mail.resume();
  assert.equal(total, expected);
  return times;
}
