// Imported, since the globals may be a test runner's fake timers, which must not stop the polling.
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

/** The functions of the process that a wait needs. */
export interface WaitHost {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  /** Calls `work` in the next turn of the event loop. While work is due, the loop does not sleep. */
  soon(work: () => void): void;
}

const processHost: WaitHost = {
  now: performance.now.bind(performance),
  soon: (work) => void setImmediate(work),
};

/**
 * The wait of one connection for its replies. Putting a process to sleep and waking it up takes longer than a round trip to a
 * server on the same machine. So for a moment the event loop does not sleep but looks for the reply repeatedly (it *polls*),
 * provided that replies come clearly sooner then: not if the server is far away or slow, or if other processes, perhaps the
 * server itself, need the processor. This is tried out with some waits of every few thousand
 * ([decision 15](../../../docs/adr/0015-polling-for-replies.md)).
 */
export class ReplyWait {
  readonly #host: WaitHost;
  /** The durations of the latest trial's waits, in ms. */
  readonly #slept = new Float64Array(TRIALS);
  readonly #polled = new Float64Array(TRIALS);
  /** Waits since the latest trial began. */
  #waits = 0;
  #isWorthwhile = false;
  #isWaiting = false;
  #isPolling = false;
  #begun = 0;
  #turnsLeft = 0;
  #isTurning = false;

  constructor(host = processHost) {
    this.#host = host;
  }

  /** Requests were written. */
  begin(): void {
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      if (this.#isInTrial) this.#begun = this.#host.now();
      this.#isPolling = this.#isInTrial ? this.#waits >= TRIALS : this.#isWorthwhile;
    }
    if (!this.#isPolling) return;
    this.#turnsLeft = MAX_TURNS;
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#host.soon(this.#turn);
  }

  /** All replies have come. */
  end(): void {
    this.#isWaiting = false;
    if (this.#isInTrial) {
      const durations = this.#isPolling ? this.#polled : this.#slept;
      durations[this.#waits % TRIALS] = this.#host.now() - this.#begun;
      if (this.#waits === 2 * TRIALS - 1) {
        const most = this.#isWorthwhile ? STILL_WORTHWHILE : WORTHWHILE;
        this.#isWorthwhile = median(this.#polled) < most * median(this.#slept);
      }
    }
    if (++this.#waits === WAITS_PER_TRIAL) this.#waits = 0;
  }

  get #isInTrial(): boolean {
    return this.#waits < 2 * TRIALS;
  }

  readonly #turn = (): void => {
    if (this.#isWaiting && this.#isPolling && this.#turnsLeft-- > 0) this.#host.soon(this.#turn);
    else this.#isTurning = false;
  };
}

/** Sorts the values. */
function median(values: Float64Array): number {
  return values.sort()[values.length >> 1] as number;
}

/** How long a wait polls: 80 µs if the turns have nothing else to do. A local round trip takes 20 to 50 µs. */
const MAX_TURNS = 64;
/** Waits of each kind in a trial, first those that sleep: after a polled one, the processors are awake, and sleeping looks better. */
const TRIALS = 16;
const WAITS_PER_TRIAL = 1_024;
/** Between processes that compete for processors, each gains a few percent by polling, and all together lose. */
const WORTHWHILE = 2 / 3;
/** More than to begin with, so that results near the limit do not change the decision at each trial. */
const STILL_WORTHWHILE = 3 / 4;
