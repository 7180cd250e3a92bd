import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { flow, queue } from '../../src/kit/queue/index.js';
import { whenRedisIsInstalled } from '../support/fleet/index.js';
import { seededDraw } from '../support/seeded-draw.js';
import { QueueCrew, type QueueWorker, until } from './programs/queue-crew.js';
import { chore, QUEUE_OPTIONS } from './programs/queue-task.js';

const LIMIT = { timeout: 300_000 };
const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 20);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);

const ACTIVE = 5;
const PER_GROUP = 2;
const GROUPS = ['ann', 'bob', 'eve'];
const MANY = 200;

/** Worker processes that are killed and stopped, one blow per round; at least one goes on. */
class Blows {
  readonly working: QueueWorker[] = [];
  readonly #crew: QueueCrew;
  readonly #name: string;
  #stopped: { readonly worker: QueueWorker; readonly until: number }[] = [];
  kills = 0;
  stops = 0;

  constructor(crew: QueueCrew, name: string, count: number) {
    this.#crew = crew;
    this.#name = name;
    for (let i = 0; i < count; i++) this.working.push(crew.hire(name));
  }

  async strike(blow: number, place: number): Promise<void> {
    const victim = this.working[Math.floor(place * this.working.length)] as QueueWorker;
    if (blow < 0.06) {
      this.working.splice(this.working.indexOf(victim), 1, this.#crew.hire(this.#name));
      await this.#crew.kill(victim);
      this.kills++;
    } else if (blow < 0.5 && this.#stopped.length < 2 && this.working.length > 1) {
      victim.child.kill('SIGSTOP');
      this.working.splice(this.working.indexOf(victim), 1);
      this.#stopped.push({ worker: victim, until: await this.#crew.leaseEnd() });
      this.stops++;
    }
    const now = await this.#crew.serverTime();
    this.goOn((end) => end < now);
  }

  goOn(isTime: (end: number) => boolean): void {
    for (const one of this.#stopped.filter((each) => isTime(each.until))) {
      one.worker.child.kill('SIGCONT');
      this.working.push(one.worker);
      this.#stopped = this.#stopped.filter((other) => other !== one);
    }
  }
}

describe('Limits, groups and flows of several processes', { skip: whenRedisIsInstalled.skip }, () => {
  let crew: QueueCrew;
  before(async () => {
    crew = await QueueCrew.start();
  });
  after(() => crew?.[Symbol.asyncDispose]());

  it('killed and stopped workers exceed no limit, lose no task and keep groups in turn', LIMIT, async () => {
    const draw = seededDraw(SEED);
    const mail = queue(crew.store, 'limits', QUEUE_OPTIONS);
    await mail.limitActive({ tasks: ACTIVE });
    await mail.limitGroups({ tasks: PER_GROUP });
    const blows = new Blows(crew, 'limits', 4);
    const ids: string[] = [];
    const add = async (count: number): Promise<void> => {
      const tasks = Array.from({ length: count }, (_, i) => {
        const group = GROUPS[Math.floor(draw() * 4)];
        const text = `${draw() < 0.1 ? 'fail' : 'work'} ${i}${'.'.repeat(draw() * 8)}`;
        return [text, group === undefined ? {} : { group }] as const;
      });
      for (const { id } of await mail.addAll(chore, tasks)) ids.push(id);
    };
    // One group has far more than the others, and was first.
    const many = await mail.addAll(
      chore,
      Array.from({ length: MANY }, (_, i) => [`much ${i}`, { group: 'ann' }] as const),
    );
    await add(100);
    const early = new Set(ids);
    for (const { id } of many) ids.push(id);
    for (const worker of blows.working) await crew.ready('limits', worker);
    for (let round = 0; round < ROUNDS; round++) {
      await add(5);
      await blows.strike(draw(), draw());
      const { completed } = await mail.counts();
      await until('work goes on', async () => {
        const counts = await mail.counts();
        return counts.completed > completed || counts.waiting + counts.active + counts.delayed === 0;
      });
    }
    blows.goOn(() => true);
    await until('all are completed', async () => (await mail.counts()).completed === ids.length);
    assert.ok(blows.stops > 0 && (blows.kills > 0 || ROUNDS < 100), JSON.stringify(blows));
    const groups = new Map<string, string>();
    for await (const { id, group } of mail.iterate('completed')) groups.set(id, group ?? '');
    assert.equal(groups.size, ids.length);
    await checkHistory(mail, groups, early);
    assert.equal(await crew.store.send('EXISTS', 'queue:{limits}:active:groups'), 0);
    for (const worker of blows.working) await crew.dismiss('limits', worker);
  });

  it('flows across queues survive the death of any worker', LIMIT, async () => {
    const draw = seededDraw(SEED);
    const [parents, children] = ['parents', 'children'].map((name) =>
      queue(crew.store, name, QUEUE_OPTIONS),
    ) as [ReturnType<typeof queue>, ReturnType<typeof queue>];
    const blows = [new Blows(crew, 'parents', 2), new Blows(crew, 'children', 2)] as const;
    for (const [index, own] of blows.entries()) {
      for (const worker of own.working) await crew.ready(index === 0 ? 'parents' : 'children', worker);
    }
    let flows = 0;
    for (let round = 0; round < ROUNDS / 3; round++) {
      for (let i = 0; i < 5; i++) {
        const child = (text: string) => flow(chore, text, [], { queue: children });
        await parents.addFlow(flow(chore, `work ${i}`, { one: child('work.'), two: child('work..') }));
        flows++;
      }
      for (const own of blows) await own.strike(draw() * 0.6, draw());
    }
    for (const own of blows) own.goOn(() => true);
    await until('all parents are completed', async () => (await parents.counts()).completed === flows);
    const { blocked, dead } = await parents.counts();
    assert.deepEqual({ blocked, dead }, { blocked: 0, dead: 0 });
    await until('all children are settled', async () => {
      const { waiting, active, delayed } = await children.counts();
      return waiting + active + delayed === 0;
    });
    // None was delivered twice, since all records are kept.
    assert.equal((await children.counts()).completed, flows * 2);
    for (const [index, own] of blows.entries()) {
      for (const worker of own.working) await crew.dismiss(index === 0 ? 'parents' : 'children', worker);
    }
  });

  it('a killed sandbox loses nothing, and so does its killed worker', LIMIT, async () => {
    const mail = queue(crew.store, 'sandboxes', QUEUE_OPTIONS);
    const worker = crew.hire('sandboxes', { isSandboxed: true });
    await crew.ready('sandboxes', worker);
    const pids = async (): Promise<number[]> =>
      (await mail.log('mine')).map((line) => Number(line.split(' ')[1]));
    const task = await mail.add(chore, 'hold', { id: 'mine', recoveries: 10 });
    await until('it runs', async () => (await pids()).length === 1);
    process.kill((await pids())[0] ?? 0, 'SIGKILL');
    await until('it runs again', async () => (await pids()).length === 2);
    await crew.kill(worker);
    const orphan = (await pids())[1] ?? 0;
    await until('the sandbox ends with its worker', async () => !isRunning(orphan));
    const next = crew.hire('sandboxes', { isSandboxed: true });
    await until('it runs in another one', async () => (await pids()).length === 3);
    await mail.update('mine', chore, 'let go');
    process.kill((await pids())[2] ?? 0, 'SIGKILL');
    assert.equal(await task.result(), 'let go done');
    await crew.dismiss('sandboxes', next);
  });
});

/**
 * Replays the events: a task is active from `started` until it is settled or taken over. No limit is exceeded at any moment;
 * while tasks of other groups wait, the group with most tasks does not get more than its share.
 */
async function checkHistory(
  mail: ReturnType<typeof queue>,
  groups: ReadonlyMap<string, string>,
  early: ReadonlySet<string>,
): Promise<void> {
  /** Tasks of the other groups that were added after those of the first one, until they start. */
  const behind = new Set([...early].filter((id) => ['bob', 'eve'].includes(groups.get(id) ?? '')));
  let before = 0;
  const active = new Set<string>();
  const inGroup = new Map<string, number>();
  const change = (id: string, by: number): void => {
    const group = groups.get(id) ?? '';
    inGroup.set(group, (inGroup.get(group) ?? 0) + by);
    if (by > 0) active.add(id);
    else active.delete(id);
  };
  let most = 0;
  await mail.pause();
  for await (const { type, id = '' } of mail.events({ from: 'start' })) {
    if (type === 'paused') break;
    if (type === 'started') {
      assert.ok(!active.has(id), `${id} was given to two workers`);
      change(id, 1);
      behind.delete(id);
      if (behind.size > 0 && groups.get(id) === 'ann') before++;
    } else if (active.has(id) && ['completed', 'retrying', 'recovered', 'released', 'dead'].includes(type)) {
      change(id, -1);
    }
    assert.ok(active.size <= ACTIVE, `${active.size} tasks are active`);
    most = Math.max(most, active.size);
    for (const group of GROUPS)
      assert.ok((inGroup.get(group) ?? 0) <= PER_GROUP, `${group} exceeds its limit`);
  }
  assert.equal(most, ACTIVE, 'the limit was reached');
  assert.ok(before < MANY / 2, `${before} tasks of the first group before those of the others`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
