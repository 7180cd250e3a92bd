import type { Engine } from './engine.js';
import type { Timers } from './timers.js';

/**
 * The engine's work between commands: deletes expired keys, evicts keys, frees the memory of deleted values and times
 * out blocked clients. Runs in slices of about a millisecond, and input is served between slices: a million keys that
 * expire at once stall no client.
 */
export class Background {
  /** DEBUG PAUSE-CRON: while true, ticks do nothing. */
  isPaused = false;
  /** DEBUG SET-ACTIVE-EXPIRE: while false, keys expire only when a command looks them up. */
  expires = true;
  readonly #engine: Engine;
  readonly #timers: Timers;
  #cancelTick: (() => void) | undefined;
  #cancelSlice: (() => void) | undefined;
  #cancelWake: (() => void) | undefined;
  #wakeAt = 0;
  #tickMs = 100;
  /** Keys have expired since the last slice with nothing left to do. */
  #isExpiring = false;
  #jobs: readonly (() => void)[] = [];

  constructor(engine: Engine, timers: Timers) {
    this.#engine = engine;
    this.#timers = timers;
    engine.settings.onChange('hz', (text) => {
      this.#tickMs = 1000 / Number(text);
    });
  }

  /** Starts the regular tick. */
  start(): void {
    this.#cancelTick ??= this.#timers.after(this.#tickMs, () => {
      this.#cancelTick = undefined;
      this.start();
      this.tick();
    });
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelSlice?.();
    this.#cancelWake?.();
    this.#cancelTick = this.#cancelSlice = this.#cancelWake = undefined;
  }

  /** Runs `job` at every tick; the returned function removes it. */
  everyTick(job: () => void): () => void {
    this.#jobs = [...this.#jobs, job];
    return () => {
      this.#jobs = this.#jobs.filter((each) => each !== job);
    };
  }

  tick(): void {
    if (this.isPaused) return;
    this.#engine.beginTurn();
    for (const job of this.#jobs) job();
    this.#slice();
    this.#engine.endTurn();
  }

  /** Schedules a check of blocked clients for this time. */
  wakeAt(unixMs: number): void {
    if (this.#wakeAt !== 0 && this.#wakeAt <= unixMs) return;
    this.#cancelWake?.();
    this.#wakeAt = unixMs;
    const delay = Math.max(0, unixMs - this.#engine.keyspace.clock.now());
    this.#cancelWake = this.#timers.after(delay, () => this.#wake());
  }

  /** The clock was moved forward: what is due by now is done now. */
  clockMoved(): void {
    this.#cancelWake?.();
    this.#wake();
    this.tick();
  }

  #wake(): void {
    this.#cancelWake = undefined;
    this.#wakeAt = 0;
    this.#engine.beginTurn();
    const { now } = this.#engine.keyspace;
    const deadline = this.#engine.blocking.expireWaits(now);
    const pauseEnd = this.#engine.pause.endIfDue(now);
    this.#engine.endTurn();
    if (deadline !== 0) this.wakeAt(deadline);
    if (pauseEnd !== 0) this.wakeAt(pauseEnd);
  }

  /** Schedules a slice before the next tick: there is memory to free or a key to evict. */
  workSoon(): void {
    this.#continueSoon();
  }

  /** Works for about a millisecond, and schedules another slice if there is more to do. */
  #slice(): void {
    const { keyspace } = this.#engine;
    let now = this.#elapsed();
    const end = now + SLICE_MS;
    let more = true;
    while (more && now < end) {
      // What expires while data is loaded is deleted, and recorded, afterwards.
      const expired = this.expires && !this.#engine.isLoading ? keyspace.expireDue(EXPIRE_STEP) : 0;
      if (expired > 0) this.#isExpiring = true;
      const releasing = keyspace.releaseSome(RELEASE_STEP);
      if (this.#isExpiring) this.#countExpiring(this.#elapsed() - now);
      const evicting = this.#engine.memoryLimit.continue();
      more = expired === EXPIRE_STEP || releasing || evicting;
      now = this.#elapsed();
    }
    if (!more) this.#endExpiring();
    if (keyspace.effects.recording) keyspace.effects.flush(true);
    if (this.#engine.blocking.hasReady) this.#engine.blocking.serveReady();
    if (more) this.#continueSoon();
  }

  /** As in Redis, the work since the first expired key is one event, although clients were served meanwhile. It grows until nothing is due. */
  #countExpiring(milliseconds: number): void {
    const { statistics, latencyMonitor } = this.#engine;
    statistics.expiringMs += milliseconds;
    latencyMonitor.extend(EXPIRE_EVENT, milliseconds);
  }

  #endExpiring(): void {
    if (!this.#isExpiring) return;
    this.#isExpiring = false;
    this.#engine.latencyMonitor.end(EXPIRE_EVENT);
  }

  /**
   * Continues to free expired values until it is known whether that is an event for the latency monitor, at most for `MAX_SETTLE_MS`. In
   * Redis, a client that sees that a key has expired also finds the event: the server does nothing else until the value is freed.
   */
  settleExpiring(): void {
    const { keyspace, latencyMonitor } = this.#engine;
    let now = this.#elapsed();
    const end = now + MAX_SETTLE_MS;
    let releasing = this.#isExpiring;
    while (releasing && now < end && latencyMonitor.isUndecided(EXPIRE_EVENT)) {
      const began = now;
      releasing = keyspace.releaseSome(RELEASE_STEP);
      now = this.#elapsed();
      this.#countExpiring(now - began);
    }
  }

  #elapsed(): number {
    return this.#timers.elapsed?.() ?? performance.now();
  }

  #continueSoon(): void {
    this.#cancelSlice ??= this.#timers.soon(() => {
      this.#cancelSlice = undefined;
      this.#engine.beginTurn();
      this.#slice();
      this.#engine.endTurn();
    });
  }
}

const EXPIRE_EVENT = 'expire-cycle';
const SLICE_MS = 1;
const EXPIRE_STEP = 100;
const RELEASE_STEP = 500;
const MAX_SETTLE_MS = 100;
