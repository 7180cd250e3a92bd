import { setImmediate } from 'node:timers';
import type { StoreTime } from '../../../store/index.js';
import {
  KitError,
  LATE,
  milliseconds,
  newId,
  resolveOptions,
  shown,
  withinTime,
} from '../../foundation/index.js';
import { deliver } from '../adding/outbox.js';
import type { TaskHandler } from '../definition.js';
import type { QueueCore } from '../lua/scripts.js';
import type { CompleteWorkerOptions } from '../options.js';
import { Attempts } from './attempts.js';
import { GIVE_BACK_MS, Prefetch } from './prefetch.js';
import { LeaseRenewal } from './renewal.js';
import { RunningTask } from './running-task.js';
import { type Settlement, Steps } from './steps.js';
import { WorkerWakeups } from './worker-wakeups.js';

export interface StopOptions {
  /**
   * Time for handlers to finish, in ms. Then their tasks are returned to the queue or, if the server does not answer
   * within half a second, become free when their leases end. Default: no limit for handlers, and one more lease if the
   * server is unreachable.
   */
  readonly within?: number;
}

/** Options of a worker's `pause`. */
export interface PauseWorkerOptions {
  /** Max time to wait for running tasks, in ms; `Infinity` is allowed. The worker is paused in any case. Default: no limit. */
  readonly within?: number;
}

/**
 * Takes tasks from a queue, runs their handlers, and settles them. Made by `queue.work`.
 *
 * The flow: `#turn` decides what to do next. If there are tasks to settle, or there may be work, it takes a
 * step (one round trip that settles tasks and takes the next ones); otherwise it waits for a wake-up. At most one step
 * is pending; tasks that finish meanwhile are settled in the next one.
 */
export class Worker implements AsyncDisposable {
  readonly #core: QueueCore;
  readonly #options: CompleteWorkerOptions;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #attempts: Attempts;
  /** How many tasks fit: `concurrency` handlers, each with as many tasks as the largest batch. */
  readonly #capacity: number;
  readonly #steps: Steps;
  readonly #wakeups: WorkerWakeups;
  readonly #renewal: LeaseRenewal;
  readonly #prefetch: Prefetch;
  /** Tasks that this worker holds: running ones and those taken ahead. */
  readonly #held = new Map<string, RunningTask>();
  /** Taken ahead, in order. */
  #ready: RunningTask[] = [];
  #running = 0;
  /** Number of running handlers: fewer than tasks, if these are handled in batches. */
  #busy = 0;
  #settlements: Settlement[] = [];
  #isDelivering = false;
  #mayHaveWork = true;
  #wasIdle = true;
  #isStepping = false;
  #lastStep: Promise<void> | undefined;
  #isTurnPlanned = false;
  #isGiveBackPlanned = false;
  #cancelGiveBack: () => void = () => {};
  #isPaused = false;
  /** Called when a paused worker has no tasks left. */
  #onPaused: () => void = () => {};
  #isStopping = false;
  #isGiveUpPlanned = false;
  /** Cancel functions of the timers that end the worker if the server does not answer. */
  readonly #timers: (() => void)[] = [];
  #stopped: Promise<void> | undefined;
  #onStopped: () => void = () => {};
  readonly #ended: Promise<void>;

  constructor(core: QueueCore, handlers: readonly TaskHandler[], options: CompleteWorkerOptions) {
    this.#core = core;
    this.#options = options;
    this.#handlers = byName(handlers, core.store.time);
    this.#attempts = new Attempts(core, this.#handlers, options);
    this.#capacity = options.concurrency * this.#attempts.largestBatch;
    this.#ended = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
    const kinds = [...this.#handlers.keys()];
    this.#steps = new Steps(core, newId(), kinds, options);
    this.#wakeups = new WorkerWakeups(core, kinds, options, {
      onWake: () => this.#woken(),
      hasRoom: () => this.#room > 0,
      onClosed: () => this.#storeClosed(),
    });
    this.#renewal = new LeaseRenewal(core, this.#held, options, () => this.#storeClosed());
    this.#prefetch = new Prefetch(options, this.#attempts.largestBatch > 1);
    this.#turn();
  }

  /** Whether the worker has been stopped, or its store closed. */
  get isStopped(): boolean {
    return this.#isStopping;
  }

  /** Number of running tasks. */
  get running(): number {
    return this.#running;
  }

  /** Resolves when the worker has ended: it was stopped, or its store was closed. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Whether the worker takes no tasks until `resume`. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /**
   * Takes no more tasks until `resume`, and returns those taken ahead to the queue. Resolves when the running ones are done and settled,
   * so a handler must not wait for it. Rejects with `TIMEOUT` if that takes longer than `within`. Other workers go on: `queue.pause`
   * pauses all.
   *
   * @example
   * await worker.pause(); // while the disk is full
   * worker.resume();
   */
  async pause(given: PauseWorkerOptions = {}): Promise<void> {
    const { within } = resolveOptions('pause', given, WITHIN_RULES);
    const { time } = this.#core.store;
    const until = time.monotonic() + within;
    if ((await withinTime(this.#pause(), { time, until, signal: undefined })) !== LATE) return;
    throw new KitError(
      'TIMEOUT',
      `the worker is paused, but its running tasks were not done and settled within ${within} ms`,
    );
  }

  async #pause(): Promise<void> {
    if (this.#isStopping) return this.#ended;
    const paused = new Promise<void>((resolve) => {
      const others = this.#onPaused;
      this.#onPaused = () => {
        others();
        resolve();
      };
    });
    if (!this.#isPaused) {
      this.#isPaused = true;
      this.#release(this.#ready.splice(0));
      // A pending step may still plan a timer, which is passed on to other workers.
      await this.#lastStep;
      await this.#wakeups.interrupt();
    }
    this.#turn();
    return paused;
  }

  /** Takes tasks again after `pause`. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#endPause();
    this.#woken();
  }

  #endPause(): void {
    const onPaused = this.#onPaused;
    this.#onPaused = () => {};
    onPaused();
  }

  /**
   * Takes no more tasks, waits until the running ones are done and settled, and returns those taken
   * ahead to the queue. Can be called several times.
   *
   * @example
   * process.once('SIGTERM', () => void worker.stop({ within: 10_000 }));
   */
  async stop(given: StopOptions = {}): Promise<void> {
    const { within } = resolveOptions('stop', given, WITHIN_RULES);
    if (this.#stopped === undefined) {
      this.#isStopping = true;
      this.#stopped = this.#ended;
      this.#release(this.#ready);
      this.#ready = [];
      void this.#wakeups.stop().finally(() => this.#turn());
    }
    this.#planGiveUp();
    if (within === Number.POSITIVE_INFINITY) return this.#stopped;
    const cancel = this.#core.store.time.after(within, () => this.#giveUp());
    return this.#stopped.finally(cancel);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  // ---- what to do next ----

  get #room(): number {
    if (this.#isStopping || this.#isPaused) return 0;
    return Math.max(0, Math.min(MAX_TAKEN, this.#capacity + this.#prefetch.count - this.#held.size));
  }

  #woken(): void {
    this.#mayHaveWork = true;
    this.#wasIdle = true;
    this.#turn();
  }

  #turn(): void {
    if (this.#isStepping) return;
    const room = this.#room;
    if (this.#settlements.length > 0 || (this.#mayHaveWork && room > 0)) this.#lastStep = this.#step(room);
    else if (room > 0) this.#wakeups.listen();
    else if (this.#held.size === 0) this.#idle();
  }

  /** There are no tasks, and the worker takes none. */
  #idle(): void {
    if (this.#isPaused) this.#endPause();
    if (this.#isStopping && this.#wakeups.isStopped) this.#end();
  }

  /** Handlers often finish in the same turn of the event loop: their tasks are settled together. */
  #turnSoon(): void {
    if (this.#isStepping || this.#isTurnPlanned) return;
    if (this.#running === 0 && this.#ready.length === 0) {
      this.#turn();
      return;
    }
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#turn();
    });
  }

  async #step(room: number): Promise<void> {
    this.#isStepping = true;
    const settlements = this.#settlements.splice(0, MAX_SETTLEMENTS);
    const watched = this.#wasIdle || this.#wakeups.isPlanned;
    this.#wasIdle = false;
    this.#mayHaveWork = false;
    const outcome = await this.#steps.take({ settlements, count: room, watched });
    this.#isStepping = false;
    if (outcome === 'closed') {
      this.#storeClosed();
      return;
    }
    for (const [index, { task }] of settlements.entries()) {
      if (!outcome.accepted[index]) task.lose(this.#options.onLost);
    }
    if (outcome.tasks.length === room && room > 0) this.#mayHaveWork = true;
    if (outcome.occurred) this.#mayHaveWork = true;
    this.#wakeups.at(outcome.waitMs);
    const now = this.#core.store.time.monotonic();
    this.#prefetch.isLimited = outcome.isLimited;
    if (outcome.mustDeliver) void this.#deliver();
    const handlerOf = (name: string): TaskHandler => this.#handlers.get(name) as TaskHandler;
    for (const taken of outcome.tasks) this.#begin(new RunningTask(this.#core, handlerOf, taken, now));
    this.#fill();
    if (this.#ready.length > 0 && this.#prefetch.givesBack) this.#planGiveBack();
    this.#turn();
  }

  // ---- tasks ----

  #begin(task: RunningTask): void {
    this.#held.set(task.key, task);
    this.#ready.push(task);
    this.#renewal.begin();
    if (this.#isStopping || this.#isPaused) {
      this.#release([task]);
      this.#ready.pop();
    }
  }

  #fill(): void {
    while (this.#busy < this.#options.concurrency && this.#ready.length > 0) {
      const task = this.#ready.shift() as RunningTask;
      // Disconnected for so long that it may be lost: do not start it. If it is still held, release it for other workers.
      if (task.isOver) this.#release([task]);
      else void this.#run(this.#batchWith(task));
    }
  }

  /** The task and, if its handler takes several, others of its kind that are ready. */
  #batchWith(task: RunningTask): readonly RunningTask[] {
    const { batch = 1 } = this.#attempts.handlerOf(task);
    if (batch === 1) return [task];
    const tasks = [task];
    const others: RunningTask[] = [];
    for (const other of this.#ready) {
      const fits = tasks.length < batch && other.name === task.name && !other.isOver;
      (fits ? tasks : others).push(other);
    }
    this.#ready = others;
    return tasks;
  }

  async #run(tasks: readonly RunningTask[]): Promise<void> {
    this.#busy++;
    this.#running += tasks.length;
    const settlements = await this.#attempts.run(tasks);
    this.#busy--;
    this.#running -= tasks.length;
    for (const settlement of settlements) this.#finish(settlement);
    if (this.#held.size === 0) this.#renewal.end();
    this.#fill();
    this.#turnSoon();
    this.#planGiveUp();
  }

  #finish(settlement: Settlement): void {
    const { task, ms } = settlement;
    this.#prefetch.observe(ms);
    const held = this.#held.get(task.key);
    if (held === task) {
      this.#held.delete(task.key);
      this.#settlements.push(settlement);
    } else if (held !== undefined) {
      // It was lost, and this worker has taken it again since.
      this.#steps.forget(task);
    }
  }

  /** Delivers messages to other queues. What cannot be delivered now is due again later. */
  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      await deliver(this.#core.scripts, this.#core.keyList);
    } catch (error) {
      if (!this.#isStopping) this.#options.onError(error);
    }
    this.#isDelivering = false;
  }

  /** Tasks taken ahead must not wait for a long one while other workers may be free. */
  #planGiveBack(afterMs = GIVE_BACK_MS): void {
    if (this.#isGiveBackPlanned) return;
    this.#isGiveBackPlanned = true;
    const { time } = this.#core.store;
    this.#cancelGiveBack = time.after(afterMs, () => {
      this.#isGiveBackPlanned = false;
      const [first] = this.#ready;
      if (first === undefined) return;
      const left = first.takenAt + GIVE_BACK_MS - time.monotonic();
      if (left > 0) {
        this.#planGiveBack(left);
        return;
      }
      this.#prefetch.misjudged();
      this.#release(this.#ready.splice(0));
      this.#turn();
    });
  }

  // ---- the end ----

  #release(tasks: readonly RunningTask[]): void {
    for (const task of tasks) {
      this.#held.delete(task.key);
      this.#settlements.push({ task, kind: 'release', payload: '', delay: 0, ms: 0 });
    }
    if (this.#held.size === 0) this.#renewal.end();
  }

  /**
   * If the server is unreachable when all handlers are done, settling is retried, but no longer than a lease:
   * then the server no longer accepts it from this worker.
   */
  #planGiveUp(): void {
    if (!this.#isStopping || this.#running > 0 || this.#isGiveUpPlanned) return;
    this.#isGiveUpPlanned = true;
    this.#timers.push(this.#core.store.time.after(this.#options.lease, () => this.#giveUp()));
  }

  #giveUp(): void {
    const unfinished = [...this.#held.values()];
    const reason = new KitError('CLOSED', 'the worker was stopped, and the time to finish its tasks is over');
    for (const task of unfinished) task.end(reason);
    this.#release(unfinished);
    this.#steps.giveUp();
    this.#turn();
    // One more step releases the tasks. If the server does not answer, their leases end.
    this.#timers.push(this.#core.store.time.after(LAST_STEP_MS, () => this.#end()));
  }

  #storeClosed(): void {
    this.#isStopping = true;
    const reason = new KitError(
      'CLOSED',
      'the store was closed while the worker was running: stop() it before',
    );
    for (const task of this.#held.values()) task.end(reason);
    this.#held.clear();
    this.#end();
  }

  #end(): void {
    for (const cancel of this.#timers.splice(0)) cancel();
    this.#cancelGiveBack();
    this.#renewal.end();
    void this.#wakeups.stop();
    this.#endPause();
    void Promise.allSettled([...this.#handlers.values()].map((handler) => handler.close?.()));
    this.#onStopped();
  }
}

const WITHIN_RULES = { within: milliseconds(Number.POSITIVE_INFINITY, { infinite: true }) };

const MAX_SETTLEMENTS = 500;
/** Max tasks taken in one step: a script can pass about 8,000 values to one command. */
const MAX_TAKEN = 2_000;
/** Timeout of a worker's last step, in ms. */
const LAST_STEP_MS = 500;

function byName(handlers: readonly TaskHandler[], time: StoreTime): Map<string, TaskHandler> {
  for (const handler of handlers) {
    if (typeof handler === 'object' && typeof handler?.run === 'function') continue;
    throw new KitError(
      'OPTION',
      `work: a handler must be the result of \`handle\` of a task definition, not ${shown(handler)}: ` +
        "work(defineTask('email').handle(async (data) => { … }))",
    );
  }
  const map = new Map(handlers.map((handler) => [handler.name, handler.open?.(time) ?? handler]));
  if (handlers.length === 0) throw new KitError('OPTION', 'work: a worker needs at least one handler');
  if (map.size < handlers.length) throw new KitError('OPTION', 'work: two handlers have the same task name');
  return map;
}
