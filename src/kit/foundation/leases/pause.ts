import type { StoreTime } from '../../../store/index.js';
import { type Alarm, Alarms } from './alarms.js';

/** A wait that is ended by `goOn`, by its timeout or by a signal; then it can begin again. */
export class Pause implements Alarm {
  due = 0;
  readonly #time: StoreTime;
  readonly #alarms: Alarms;
  #end: (() => void) | undefined;

  constructor(time: StoreTime, alarms = Alarms.of(time)) {
    this.#time = time;
    this.#alarms = alarms;
  }

  /** Ends the wait, if there is one. */
  goOn(): void {
    this.#end?.();
  }

  /** The timeout. */
  ring(): void {
    this.#end?.();
  }

  /** Waits for `goOn`, but at most this many ms, or until the signal aborts. */
  pause(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#alarms.cancel(this);
        this.#end = undefined;
        signal?.removeEventListener('abort', end);
        resolve();
      };
      this.#end = end;
      this.#alarms.set(this, this.#time.monotonic() + atMost);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
