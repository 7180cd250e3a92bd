import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueueTools, withQueue } from '../../../tests/support/kit-queue.js';
import { seededDraw } from '../../../tests/support/seeded-draw.js';
import { defineTask, type TaskOptions } from './index.js';
import { coreOf } from './internals.js';
import { keyList, type QueueCore, receiptKey } from './lua/scripts.js';

const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 30);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);
const GROUPS = ['a', 'b', 'c'];
const job = defineTask<number>('job');

interface ModelTask {
  readonly id: string;
  readonly priority: number;
  readonly lifo: boolean;
  readonly group: string | undefined;
  readonly key: string | undefined;
}

/** What a queue does, in plain words: lists, searched from the beginning. One kind of task, one worker that never dies. */
class Model {
  readonly #plain: ModelTask[] = [];
  readonly #others: ModelTask[] = [];
  readonly #lanes = new Map<string, ModelTask[]>();
  readonly #turns = new Map<string, number>();
  readonly #delayed: { readonly task: ModelTask; readonly due: number }[] = [];
  readonly #keys = new Map<string, string>();
  readonly active = new Map<string, ModelTask>();
  #turn = 0;
  #turnOfOthers = 0;
  isPaused = false;
  maxActive = Number.POSITIVE_INFINITY;
  #maxPerGroup = Number.POSITIVE_INFINITY;

  existing(key: string | undefined): string | undefined {
    return key === undefined ? undefined : this.#keys.get(key);
  }

  add(task: ModelTask, due: number, now: number): void {
    if (task.key !== undefined) this.#keys.set(task.key, task.id);
    if (due > now) this.#delay(task, due);
    else this.#enqueue(task);
  }

  /** Changes a task that has not started. False if there is none of this id. */
  reschedule(
    id: string,
    { priority, due }: { readonly priority: number | undefined; readonly due: number | undefined },
    now: number,
  ): boolean {
    const later = this.#delayed.find((one) => one.task.id === id);
    const lists = [this.#plain, this.#others, ...this.#lanes.values()];
    const list = lists.find((tasks) => tasks.some((task) => task.id === id));
    const former = later?.task ?? list?.find((task) => task.id === id);
    if (former === undefined) return false;
    const task = { ...former, priority: priority ?? former.priority };
    const isDelayed = due === undefined ? later !== undefined : due > now;
    if (later === undefined && !isDelayed && task.priority === former.priority) return true;
    if (later !== undefined) this.#delayed.splice(this.#delayed.indexOf(later), 1);
    else list?.splice(list.indexOf(former), 1);
    // A group without waiting tasks has no turn.
    if (isDelayed && task.group !== undefined && list?.length === 0) this.#turns.delete(task.group);
    if (isDelayed) this.#delay(task, due ?? later?.due ?? 0);
    else this.#enqueue(task);
    return true;
  }

  /** All tasks that have not started, and those that have. */
  get ids(): string[] {
    const waiting = [...this.#plain, ...this.#others, ...[...this.#lanes.values()].flat()];
    return [...waiting, ...this.#delayed.map(({ task }) => task), ...this.active.values()].map(
      ({ id }) => id,
    );
  }

  get waiting(): number {
    return this.#plain.length + this.#others.length + [...this.#lanes.values()].flat().length;
  }

  get delayed(): number {
    return this.#delayed.length;
  }

  settle(id: string, kind: 'completed' | 'retry' | 'dead' | 'release', delay: number, now: number): void {
    const task = this.active.get(id) as ModelTask;
    this.active.delete(id);
    this.#open(task.group);
    if (kind === 'retry' && delay > 0) this.#delay(task, now + delay);
    else if (kind === 'retry') this.#enqueue(task);
    else if (kind !== 'release' && task.key !== undefined) this.#keys.delete(task.key);
  }

  /** Released tasks go before all later ones. */
  putBack(tasks: readonly ModelTask[]): void {
    for (const task of [...tasks].sort(byId).reverse()) {
      if (task.group === undefined && task.priority === 0) this.#plain.unshift(task);
      else this.#enqueue(task);
    }
  }

  promoteDue(now: number): void {
    const due = this.#delayed
      .filter((one) => one.due <= now)
      .sort((a, b) => a.due - b.due || byId(a.task, b.task));
    for (const one of due) {
      this.#delayed.splice(this.#delayed.indexOf(one), 1);
      this.#enqueue(one.task);
    }
  }

  limitGroups(max: number): void {
    this.#maxPerGroup = max;
    for (const group of new Set([...this.active.values()].map((task) => task.group))) this.#open(group);
  }

  take(count: number): string[] {
    const room = this.isPaused ? 0 : Math.min(count, this.maxActive - this.active.size);
    const taken: ModelTask[] = [];
    while (taken.length < room) {
      const task = this.#next();
      if (task === undefined) break;
      taken.push(task);
      this.active.set(task.id, task);
    }
    return taken.map(({ id }) => id);
  }

  #next(): ModelTask | undefined {
    for (;;) {
      const [first] = [...this.#turns].sort((a, b) => a[1] - b[1]);
      const hasOthers = this.#plain.length + this.#others.length > 0;
      if (first === undefined || (hasOthers && this.#turnOfOthers < first[1])) {
        const task = this.#nextUngrouped();
        if (
          task !== undefined &&
          this.waiting > this.#plain.length + this.#others.length &&
          first !== undefined
        ) {
          this.#turnOfOthers = ++this.#turn;
        }
        return task;
      }
      const [group] = first;
      const lane = this.#lanes.get(group) ?? [];
      if (!this.#mayStart(group) || lane.length === 0) {
        this.#turns.delete(group);
        continue;
      }
      const task = lane.shift() as ModelTask;
      // It counts as active from now on.
      const isLast = this.#countOf(group) + 1 >= this.#maxPerGroup || lane.length === 0;
      if (isLast) this.#turns.delete(group);
      else this.#turns.set(group, ++this.#turn);
      return task;
    }
  }

  #nextUngrouped(): ModelTask | undefined {
    const above = this.#others.findIndex(({ priority }) => priority > 0);
    if (above === 0) return this.#others.shift();
    return this.#plain.shift() ?? this.#others.shift();
  }

  #enqueue(task: ModelTask): void {
    const { group, priority, lifo } = task;
    if (group !== undefined) {
      const lane = this.#lanes.get(group) ?? [];
      this.#lanes.set(
        group,
        [...lane, task].sort((a, b) => b.priority - a.priority || byId(a, b)),
      );
      if (this.#mayStart(group) && !this.#turns.has(group)) this.#turns.set(group, ++this.#turn);
    } else if (priority !== 0) {
      this.#others.push(task);
      this.#others.sort((a, b) => b.priority - a.priority || byId(a, b));
    } else if (lifo) this.#plain.unshift(task);
    else this.#plain.push(task);
  }

  #delay(task: ModelTask, due: number): void {
    this.#delayed.push({ task, due });
  }

  #open(group: string | undefined): void {
    if (group === undefined || this.#turns.has(group) || !this.#mayStart(group)) return;
    if ((this.#lanes.get(group) ?? []).length > 0) this.#turns.set(group, ++this.#turn);
  }

  #mayStart(group: string): boolean {
    return this.#countOf(group) < this.#maxPerGroup;
  }

  #countOf(group: string): number {
    return [...this.active.values()].filter((task) => task.group === group).length;
  }
}

function byId(a: ModelTask, b: ModelTask): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Does the same to a queue and to the model, and compares what is taken. */
class Comparison {
  readonly #tools: QueueTools;
  readonly #core: QueueCore;
  readonly #model = new Model();
  readonly #draw: () => number;
  readonly #tokens = new Map<string, string>();
  #step = 0;

  constructor(tools: QueueTools, draw: () => number) {
    this.#tools = tools;
    this.#core = coreOf(tools.mail) as QueueCore;
    this.#draw = draw;
  }

  #below(limit: number): number {
    return Math.floor(this.#draw() * limit);
  }

  async add(): Promise<void> {
    const { mail, clock } = this.#tools;
    const group = GROUPS[this.#below(6)];
    const isLifo = group === undefined && this.#draw() < 0.2;
    const priority = isLifo || this.#draw() < 0.6 ? 0 : this.#below(5) - 2;
    const delay = this.#draw() < 0.2 ? this.#below(50) : 0;
    const key = this.#draw() < 0.2 ? `key ${this.#below(3)}` : undefined;
    const options: TaskOptions = {
      ...{ priority, delay, lifo: isLifo },
      ...(group === undefined ? {} : { group }),
      ...(key === undefined ? {} : { key }),
    };
    const { id, isNew } = await mail.add(job, 0, options);
    const existing = this.#model.existing(key);
    assert.deepEqual([isNew, isNew ? undefined : id], [existing === undefined, existing]);
    const now = clock.now();
    if (isNew) this.#model.add({ id, priority, lifo: isLifo, group, key }, now + delay, now);
  }

  async reschedule(): Promise<void> {
    const { mail, clock } = this.#tools;
    const { ids } = this.#model;
    const id = ids[this.#below(ids.length)];
    if (id === undefined) return;
    const priority = this.#draw() < 0.7 ? this.#below(5) - 2 : undefined;
    const delay = priority === undefined || this.#draw() < 0.5 ? this.#below(50) : undefined;
    const now = clock.now();
    const due = delay === undefined ? undefined : now + delay;
    const isAbsolute = this.#draw() < 0.5;
    const change = {
      ...(priority === undefined ? {} : { priority }),
      ...(due === undefined ? {} : isAbsolute ? { at: new Date(due) } : { delay: due - now }),
    };
    const expected = this.#model.reschedule(id, { priority, due }, now);
    assert.equal(await mail.reschedule(id, change), expected);
    if (priority !== undefined && expected) assert.equal((await mail.get(id))?.priority, priority);
  }

  async step(): Promise<void> {
    const { clock } = this.#tools;
    const model = this.#model;
    const now = clock.now();
    const settlements: (string | number)[] = [];
    const back: ModelTask[] = [];
    for (const task of [...model.active.values()]) {
      if (this.#draw() < 0.5) continue;
      const kind = (['completed', 'completed', 'retry', 'dead', 'release'] as const)[
        this.#below(5)
      ] as 'retry';
      const delay = kind === 'retry' && this.#draw() < 0.5 ? this.#below(30) : 0;
      const { id, key: k, group: g } = task;
      const extras = k === undefined && g === undefined ? '' : JSON.stringify({ k, g });
      settlements.push(id, this.#tokens.get(id) ?? '', kind, '{}', delay, extras);
      model.settle(id, kind, delay, now);
      if ((kind as string) === 'release') back.push(task);
    }
    model.putBack(back);
    model.promoteDue(now);
    const count = this.#below(5);
    const expected = model.take(count);
    assert.deepEqual(await this.#advance(count, settlements), expected);
  }

  async #advance(count: number, settlements: readonly (string | number)[]): Promise<string[]> {
    const step = ++this.#step;
    const reply = await this.#core.scripts.advance({
      keys: keyList(this.#core.keys, receiptKey(this.#core.keys, 'w')),
      ...{ worker: 'w', step, keepMs: 0, lease: 1e12, keep: 10, keepAge: '', keepDead: 1e6, keepDeadAge: '' },
      ...{ keepMetrics: 0, bound: 10, renews: '0', recoveries: 5, kinds: '"job"', count, watched: '0' },
      ...{ ended: '', spent: 0, settlements },
    });
    const [flags, , , taken] = reply as readonly [string, number, number, readonly string[]];
    assert.equal(flags, '1'.repeat(settlements.length / 6));
    const ids = taken.filter((_, index) => index % 2 === 0);
    for (const id of ids) this.#tokens.set(id, `w:${step}`);
    return ids;
  }

  async change(): Promise<void> {
    const { mail, clock } = this.#tools;
    const kind = this.#below(4);
    if (kind === 0) {
      this.#model.isPaused = this.#draw() < 0.3;
      await (this.#model.isPaused ? mail.pause() : mail.resume());
    } else if (kind === 1) {
      const max = this.#draw() < 0.5 ? 1 + this.#below(6) : undefined;
      this.#model.maxActive = max ?? Number.POSITIVE_INFINITY;
      await mail.limitActive(max === undefined ? undefined : { tasks: max });
    } else if (kind === 2) {
      const max = this.#draw() < 0.7 ? 1 + this.#below(3) : undefined;
      await mail.limitGroups(max === undefined ? undefined : { tasks: max });
      this.#model.limitGroups(max ?? Number.POSITIVE_INFINITY);
    } else await clock.advance(this.#below(30));
  }

  async check(): Promise<void> {
    const { waiting, delayed, active } = await this.#tools.mail.counts();
    const { waiting: expected, delayed: later, active: held } = this.#model;
    assert.deepEqual([waiting, delayed, active], [expected, later, held.size]);
  }
}

test('a queue takes the tasks that a plain model takes, in the same order', async () => {
  const draw = seededDraw(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    await withQueue(async (tools) => {
      const comparison = new Comparison(tools, draw);
      for (let i = 0; i < 150; i++) {
        const chance = draw();
        if (chance < 0.45) await comparison.add();
        else if (chance < 0.55) await comparison.reschedule();
        else if (chance < 0.85) await comparison.step();
        else await comparison.change();
        await comparison.check();
      }
    }).catch((error: unknown) => {
      throw new Error(`seed ${SEED}, round ${round}: ${String(error)}`, { cause: error });
    });
  }
});
