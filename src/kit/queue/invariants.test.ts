import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueueTools, withQueue } from '../../../tests/support/kit-queue.js';
import { seededDraw } from '../../../tests/support/seeded-draw.js';
import type { ManualClock, Store } from '../../store/index.js';
import { defineTask, KitError, queue, type TaskOptions, type TaskQueue, type Worker } from './index.js';
import { publicId } from './record.js';

const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 30);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);

/** What the handler is to do: how often to fail, and for how long to work. */
interface Plan {
  readonly failures: number;
  readonly ms: number;
}

const KEEP_ALL = { keepCompleted: 1_000_000, keepEvents: 1_000_000, recoveries: 1_000_000 };

const BACKOFF = { backoff: { kind: 'fixed', delay: 300, jitter: 1 } } as const;
/** The second has a name that JSON writes with an escape. */
const JOBS = [
  defineTask<Plan, number>('job', undefined, BACKOFF),
  defineTask<Plan, number>('job "two"', undefined, BACKOFF),
];

/** A program that does to a queue whatever can be done to it, and remembers what must come of it. */
class Scenario {
  readonly #mail: TaskQueue;
  readonly #clock: ManualClock;
  readonly #store: Store;
  readonly #draw: () => number;
  readonly #workers: { readonly worker: Worker; readonly store: Store }[] = [];
  readonly #ids: string[] = [];
  readonly #removed = new Set<string>();
  #named = 0;
  readonly #completions = new Map<string, number>();

  constructor({ mail, clock, store }: QueueTools, draw: () => number) {
    this.#mail = mail;
    this.#clock = clock;
    this.#store = store;
    this.#draw = draw;
  }

  #below(limit: number): number {
    return Math.floor(this.#draw() * limit);
  }

  #chance(part: number): boolean {
    return this.#draw() < part;
  }

  /** A task to wait for. Ids of our own are refused after their task was removed. */
  #earlier(): string {
    const id = this.#any();
    return this.#removed.has(id) && id.startsWith('own-') ? this.#earlier() : id;
  }

  #any(): string {
    return this.#ids[this.#below(this.#ids.length)] ?? '0';
  }

  /** Of some kinds of task, or of all. */
  async startWorker(jobs = JOBS.filter(() => this.#chance(0.7))): Promise<void> {
    if (jobs.length === 0) return;
    const store = await this.#store.duplicate();
    const handlers = jobs.map((job) =>
      job.handle(async ({ failures, ms }, task) => {
        assert.equal(task.name, job.name);
        if (this.#chance(0.3)) await task.progress(ms).catch(() => {});
        if (ms > 0) await this.#store.time.sleep(ms);
        if (task.attempt <= failures) throw new Error(`failure ${task.attempt}`);
        return ms;
      }),
    );
    const options = { concurrency: 1 + this.#below(4), lease: 2_000, random: this.#draw };
    this.#workers.push({ worker: queue(store, 'mail', KEEP_ALL).work(handlers, options), store });
  }

  async add(): Promise<void> {
    const tasks = Array.from({ length: 1 + this.#below(6) }, () => [this.#plan(), this.#options()] as const);
    for (const { id, isNew } of await this.#mail.addAll(this.#job(), tasks)) if (isNew) this.#ids.push(id);
    const plain = await this.#mail.add(this.#job(), this.#plan());
    this.#ids.push(plain.id);
  }

  #job(): (typeof JOBS)[number] {
    return JOBS[this.#below(JOBS.length)] as (typeof JOBS)[number];
  }

  #plan(): Plan {
    return { failures: this.#below(4), ms: this.#chance(0.5) ? 0 : this.#below(5_000) };
  }

  #options(): TaskOptions {
    const attempts = 1 + this.#below(4);
    const kind = this.#below(10);
    if (kind === 6) return { attempts, group: `group ${this.#below(3)}`, priority: this.#below(3) };
    if (kind === 7) return { attempts, id: `own-${++this.#named}`, lifo: this.#chance(0.5) };
    if (kind === 8)
      return { attempts, throttle: { key: `key ${this.#below(4)}`, per: this.#below(5_000) + 1 } };
    if (kind === 9)
      return { attempts, group: `group ${this.#below(3)}`, delay: this.#below(5_000), timeLimit: 2_500 };
    if (kind === 0) return { attempts, delay: this.#below(20_000) };
    if (kind === 1) return { attempts, priority: this.#below(5) - 2 };
    if (kind === 2) return { attempts, key: `key ${this.#below(4)}` };
    if (kind === 3 && this.#ids.length > 0) return { attempts, after: [this.#earlier(), this.#earlier()] };
    if (kind === 4 && this.#ids.length > 0)
      return { attempts, after: [this.#earlier()], key: `key ${this.#below(4)}` };
    return { attempts };
  }

  async disturb(): Promise<void> {
    const mail = this.#mail;
    const kind = this.#below(13);
    const id = this.#any();
    if (kind === 0 && (await mail.remove(id))) this.#removed.add(id);
    else if (kind === 1) await mail.promote(id);
    else if (kind === 11)
      await mail.reschedule(id, { priority: this.#below(5) - 2, delay: this.#below(4_000) });
    else if (kind === 2) await mail.retry(id).catch(ignoreTakenKey);
    else if (kind === 3) await (this.#chance(0.5) ? mail.pause() : mail.resume());
    else if (kind === 4) await mail.limit(this.#chance(0.5) ? { tasks: 3, per: 1_000 } : undefined);
    else if (kind === 5) await this.startWorker();
    else if (kind === 8) await mail.limitActive(this.#chance(0.5) ? { tasks: 2 } : undefined);
    else if (kind === 9)
      await mail.limitGroups(this.#chance(0.7) ? { tasks: 1 + this.#below(2) } : undefined);
    else if (kind === 10) await mail.update(id, this.#job(), this.#plan()).catch(ignoreOtherKind);
    else if (kind === 6) void this.#workers.shift()?.worker.stop({ within: this.#below(3_000) });
    // As if it had been killed.
    else if (kind === 7) await this.#workers.shift()?.store.close();
    await this.#clock.run(this.#below(4_000));
    await this.#checkLimits();
  }

  /** Counters of groups are what they count; limits may have been lowered since, so they are not compared here. */
  async #checkLimits(): Promise<void> {
    const counted = (await this.#store.send('HGETALL', 'queue:{mail}:active:groups')) as string[];
    const groups: Record<string, number> = {};
    for (const { group } of await this.#mail.list('active', { limit: 10_000 })) {
      if (group !== undefined) groups[group] = (groups[group] ?? 0) + 1;
    }
    const found = counted.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(counted[i + 1])]] : []));
    assert.deepEqual(Object.fromEntries(found), groups);
  }

  /** Lets everything come to its end: nothing may be left over but what is kept on purpose. */
  async finish(): Promise<void> {
    const mail = this.#mail;
    await mail.resume();
    await mail.limit(undefined);
    await mail.limitActive(undefined);
    await this.startWorker(JOBS);
    await this.#settle();
    // Those that died hold others back.
    for (let dead = await mail.list('dead'); dead.length > 0; dead = await mail.list('dead')) {
      for (const { id } of dead) if (await mail.remove(id)) this.#removed.add(id);
      await this.#settle();
    }
    const stopping = Promise.all(this.#workers.map(({ worker }) => worker.stop({ within: 1_000 })));
    await this.#clock.run(10_000);
    await stopping;
  }

  async #settle(): Promise<void> {
    for (let minutes = 0; minutes < 60; minutes++) {
      await this.#clock.run(60_000);
      const { waiting, delayed, active } = await this.#mail.counts();
      if (waiting + delayed + active === 0) return;
    }
    assert.fail(`something does not end: ${JSON.stringify(await this.#mail.counts())}`);
  }

  async check(): Promise<void> {
    const entries = (await this.#store.send('XRANGE', 'queue:{mail}:events', '-', '+')) as [
      string,
      string[],
    ][];
    for (const line of entries.flatMap(([, fields]) => (fields[1] ?? '').split('\n'))) {
      const [type, told = ''] = line.split(' ');
      const id = publicId(told);
      if (type === 'completed') this.#completions.set(id, (this.#completions.get(id) ?? 0) + 1);
    }
    for (const id of this.#ids) {
      const times = this.#completions.get(id) ?? 0;
      if (this.#removed.has(id)) assert.ok(times <= 1, `${id} was completed ${times} times`);
      else assert.equal(times, 1, `${id} was completed ${times} times`);
    }
    const { completed, ...others } = await this.#mail.counts();
    const none = {
      ...{ waiting: 0, setAside: 0, delayed: 0, active: 0, blocked: 0, dead: 0 },
      ...{ schedules: 0, isPaused: false },
    };
    assert.deepEqual(others, none);
    const left = ((await this.#store.send('KEYS', '*')) as string[]).map((key) =>
      key.slice('queue:{mail}:'.length),
    );
    const kept = [
      ...['completed', 'events', 'meta', 'outcomes', 'starts', 'tasks', 'wake'],
      ...['tasks:names', 'unique:ids', 'unique:until', 'waiting:kinds'],
    ];
    assert.deepEqual(
      left.filter((part) => !kept.includes(part) && !part.startsWith('wake:')),
      [],
    );
    assert.equal(await this.#store.send('HLEN', 'queue:{mail}:tasks'), completed);
    assert.equal(await this.#store.send('HLEN', 'queue:{mail}:outcomes'), completed);
  }
}

test('whatever is done to a queue, no task is lost, none completed twice, nothing left behind', async () => {
  const draw = seededDraw(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    await withQueue(async (tools) => {
      const scenario = new Scenario(tools, draw);
      await scenario.startWorker();
      for (let i = 0; i < 30; i++) {
        if (draw() < 0.4) await scenario.add();
        else await scenario.disturb();
      }
      await scenario.finish();
      await scenario.check();
    }, KEEP_ALL).catch((error: unknown) => {
      throw new Error(`seed ${SEED}, round ${round}: ${String(error)}`, { cause: error });
    });
  }
});

function ignoreOtherKind(error: unknown): void {
  if (!(error instanceof KitError) || error.code !== 'OPTION') throw error;
}

function ignoreTakenKey(error: unknown): void {
  if ((error as { code?: string }).code !== 'KEY_TAKEN') throw error;
}
