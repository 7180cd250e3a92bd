import type { StoreTime } from '../../../store/index.js';

/** A callback at a given time. */
export interface Alarm {
  /** When, by `time.monotonic()`. Kept by `Alarms`. */
  due: number;
  ring(): void;
}

/** The period that one timer covers, in ms. */
const SLOT = 256;
/** Alarms do not keep the process running: the connection of the holder or waiter does, if needed. */
const BACKGROUND = { background: true };

/**
 * Alarms, most of which are cancelled before they ring: renewals of leases that are released soon, timeouts of waits that
 * end with a message. All alarms of a quarter of a second share one timer, so setting and cancelling an alarm is cheap.
 * They still ring on time.
 */
export class Alarms {
  readonly #time: StoreTime;
  readonly #slots = new Map<number, Slot>();

  private constructor(time: StoreTime) {
    this.#time = time;
  }

  static readonly #known = new WeakMap<StoreTime, Alarms>();

  /** The shared alarms of this clock. */
  static of(time: StoreTime): Alarms {
    let alarms = Alarms.#known.get(time);
    if (alarms === undefined) {
      alarms = new Alarms(time);
      Alarms.#known.set(time, alarms);
    }
    return alarms;
  }

  /** Sets an alarm that is not set. */
  set(alarm: Alarm, due: number): void {
    const number = Math.floor(due / SLOT);
    let slot = this.#slots.get(number);
    if (slot === undefined) {
      slot = new Slot(this.#time, () => this.#slots.delete(number));
      this.#slots.set(number, slot);
    }
    alarm.due = due;
    slot.add(alarm);
  }

  /** Cancels an alarm, if it is set. */
  cancel(alarm: Alarm): void {
    this.#slots.get(Math.floor(alarm.due / SLOT))?.delete(alarm);
  }
}

/** Alarms due at about the same time, and the timer for the first of them. */
class Slot {
  readonly #time: StoreTime;
  readonly #onEnd: () => void;
  readonly #alarms = new Set<Alarm>();
  #first = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => {};

  constructor(time: StoreTime, onEnd: () => void) {
    this.#time = time;
    this.#onEnd = onEnd;
  }

  add(alarm: Alarm): void {
    this.#alarms.add(alarm);
    if (alarm.due < this.#first) this.#wait(alarm.due);
  }

  /** The timer is kept: at worst it finds nothing to do. */
  delete(alarm: Alarm): void {
    this.#alarms.delete(alarm);
  }

  #wait(until: number): void {
    this.#cancelTimer();
    this.#first = until;
    const left = Math.max(0, until - this.#time.monotonic());
    this.#cancelTimer = this.#time.after(left, () => this.#ring(), BACKGROUND);
  }

  #ring(): void {
    const now = this.#time.monotonic();
    this.#first = Number.POSITIVE_INFINITY;
    for (const alarm of [...this.#alarms].filter(({ due }) => due <= now)) {
      // An alarm may have cancelled another one.
      if (this.#alarms.delete(alarm)) alarm.ring();
    }
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#alarms) next = Math.min(next, due);
    if (next < Number.POSITIVE_INFINITY) this.#wait(next);
    else this.#onEnd();
  }
}
