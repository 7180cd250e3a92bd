import { setImmediate } from 'node:timers';
import { KitError, milliseconds, newId, resolveOptions, shown } from '../foundation/index.js';
import { backoffDelay } from './backoff.js';
import type { TaskHandler } from './definition.js';
import { NoRetryError } from './no-retry-error.js';
import type { CompleteWorkerOptions } from './options.js';
import { GIVE_BACK_MS, Prefetch } from './prefetch.js';
import { problemOf, toJson } from './record.js';
import { LeaseRenewal } from './renewal.js';
import { RunningTask } from './running-task.js';
import type { QueueCore } from './scripts.js';
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
  readonly #steps: Steps;
  readonly #wakeups: WorkerWakeups;
  readonly #renewal: LeaseRenewal;
  readonly #prefetch: Prefetch;
  /** Tasks that this worker holds: running ones and those taken ahead. */
  readonly #held = new Map<string, RunningTask>();
  /** Taken ahead, in order. */
  #ready: RunningTask[] = [];
  #running = 0;
  #settlements: Settlement[] = [];
  #mayHaveWork = true;
  #wasIdle = true;
  #isStepping = false;
  #isTurnPlanned = false;
  #isGiveBackPlanned = false;
  #cancelGiveBack: () => void = () => {};
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
    this.#handlers = byName(handlers);
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
    this.#prefetch = new Prefetch(options);
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

  /**
   * Takes no more tasks, waits until the running ones are done and settled, and returns those taken
   * ahead to the queue. Can be called several times.
   *
   * @example
   * process.once('SIGTERM', () => void worker.stop({ within: 10_000 }));
   */
  async stop(given: StopOptions = {}): Promise<void> {
    const { within } = resolveOptions('stop', given, STOP_RULES);
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
    if (this.#isStopping) return 0;
    return Math.max(0, this.#options.concurrency + this.#prefetch.count - this.#held.size);
  }

  #woken(): void {
    this.#mayHaveWork = true;
    this.#wasIdle = true;
    this.#turn();
  }

  #turn(): void {
    if (this.#isStepping) return;
    const room = this.#room;
    if (this.#settlements.length > 0 || (this.#mayHaveWork && room > 0)) void this.#step(room);
    else if (room > 0) this.#wakeups.listen();
    else if (this.#isStopping && this.#held.size === 0 && this.#wakeups.isStopped) this.#end();
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
    for (const taken of outcome.tasks) this.#begin(new RunningTask(this.#core, taken, now));
    this.#fill();
    if (this.#ready.length > 0 && this.#prefetch.givesBack) this.#planGiveBack();
    this.#turn();
  }

  // ---- tasks ----

  #begin(task: RunningTask): void {
    this.#held.set(task.id, task);
    this.#ready.push(task);
    this.#renewal.begin();
    if (this.#isStopping) {
      this.#release([task]);
      this.#ready.pop();
    }
  }

  #fill(): void {
    while (this.#running < this.#options.concurrency && this.#ready.length > 0) {
      const task = this.#ready.shift() as RunningTask;
      // Disconnected for so long that it may be lost: do not start it. If it is still held, release it for other workers.
      if (task.isOver) this.#release([task]);
      else void this.#run(task);
    }
  }

  async #run(task: RunningTask): Promise<void> {
    const { time } = this.#core.store;
    const begun = time.monotonic();
    this.#running++;
    const settlement = await this.#handle(task);
    this.#running--;
    this.#prefetch.observe(time.monotonic() - begun);
    if (this.#held.get(task.id) === task) {
      this.#held.delete(task.id);
      if (this.#held.size === 0) this.#renewal.end();
      this.#settlements.push(settlement);
    } else if (this.#held.has(task.id)) {
      // It was lost, and this worker has taken it again since.
      this.#steps.forget(task);
    }
    this.#fill();
    this.#turnSoon();
    this.#planGiveUp();
  }

  async #handle(task: RunningTask): Promise<Settlement> {
    try {
      // The server returns only tasks of kinds that the worker handles.
      const handler = this.#handlers.get(task.name) as TaskHandler;
      const result = await handler.run(task.data, task);
      return { task, kind: 'completed', payload: toJson(result), delay: 0 };
    } catch (error) {
      return this.#failure(task, error);
    }
  }

  #failure(task: RunningTask, error: unknown): Settlement {
    const { a: attempts = 1, b: backoff } = task.header;
    const isHopeless =
      error instanceof NoRetryError || (error instanceof KitError && error.code === 'INVALID');
    const payload = problemOf(error);
    if (isHopeless || task.attempt >= attempts) return { task, kind: 'dead', payload, delay: 0 };
    const delay = backoffDelay(backoff, task.attempt, this.#options.random);
    return { task, kind: 'retry', payload, delay };
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
      this.#held.delete(task.id);
      this.#settlements.push({ task, kind: 'release', payload: '', delay: 0 });
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
    this.#onStopped();
  }
}

const STOP_RULES = { within: milliseconds(Number.POSITIVE_INFINITY, { infinite: true }) };

const MAX_SETTLEMENTS = 500;
/** Timeout of a worker's last step, in ms. */
const LAST_STEP_MS = 500;

function byName(handlers: readonly TaskHandler[]): Map<string, TaskHandler> {
  for (const handler of handlers) {
    if (typeof handler === 'object' && typeof handler?.run === 'function') continue;
    throw new KitError(
      'OPTION',
      `work: a handler must be the result of \`handle\` of a task definition, not ${shown(handler)}: ` +
        "work(defineTask('email').handle(async (data) => { … }))",
    );
  }
  const map = new Map(handlers.map((handler) => [handler.name, handler]));
  if (handlers.length === 0) throw new KitError('OPTION', 'work: a worker needs at least one handler');
  if (map.size < handlers.length) throw new KitError('OPTION', 'work: two handlers have the same task name');
  return map;
}
