import type { Worker } from 'node:worker_threads';
import { ManualClock } from '../embedded/manual-clock.js';
import { StoreError } from '../store-error.js';
import type { ClockStart, ToThread } from './port-messages.js';

/**
 * Moves the clock of an engine's thread together with a clock of this thread. The call that moves it waits until the other
 * thread has followed, so that a command sent afterwards sees the new time.
 */
export class ThreadClock {
  readonly start: ClockStart;
  readonly #clock: ManualClock;
  #moves = 0;
  #end: () => void = () => {};

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.start = { micros: clock.micros(), followed: new Int32Array(new SharedArrayBuffer(4)) };
  }

  /** Makes the thread follow from now on. It must have been started with `start` and be ready. */
  lead(worker: Pick<Worker, 'postMessage'>): void {
    this.#end = this.#clock.onMove(() => this.#move(worker));
    if (this.#clock.micros() !== this.start.micros) this.#move(worker);
  }

  #move(worker: Pick<Worker, 'postMessage'>): void {
    const { followed } = this.start;
    const move = ++this.#moves;
    worker.postMessage({ advanceTo: this.#clock.micros() } satisfies ToThread);
    for (let at = Atomics.load(followed, 0); at < move; at = Atomics.load(followed, 0)) {
      if (Atomics.wait(followed, 0, at, MAX_WAIT_MS) !== 'timed-out') continue;
      throw new StoreError('TIMEOUT', "the engine's thread is too busy to follow the clock");
    }
  }

  end(): void {
    this.#end();
  }
}

/** The clock of the engine's thread, and the function that moves it. */
export function followingClock({ micros, followed }: ClockStart): {
  readonly clock: ManualClock;
  follow(micros: number): void;
} {
  const clock = new ManualClock(micros / 1000);
  // The other thread must not wait for this one after it has ended.
  process.once('exit', () => {
    Atomics.store(followed, 0, 0x7fffffff);
    Atomics.notify(followed, 0);
  });
  return {
    clock,
    follow: (target) => {
      try {
        clock.advance((target - clock.micros()) / 1000);
      } finally {
        Atomics.add(followed, 0, 1);
        Atomics.notify(followed, 0);
      }
    },
  };
}

const MAX_WAIT_MS = 60_000;
