import { clearImmediate, setImmediate } from 'node:timers';
import { ManualClock as StillClock } from '../../bytes/clock.js';
import type { Timers } from '../../engine/timers.js';

interface Alarm {
  readonly at: number;
  readonly work: () => void;
}

/**
 * A clock that only moves when the program moves it, for tests that depend on time. When it is moved, keys expire, blocked
 * calls time out and delayed work runs, each at its own time, without waiting.
 *
 * @example
 * import { ManualClock, open } from 'sorrel';
 *
 * const clock = new ManualClock();
 * await using store = await open('memory:', { clock });
 * await store.send('SET', 'session', 'alice', 'EX', 60);
 * clock.advance(60_001);
 * await store.send('GET', 'session'); // null
 */
export class ManualClock extends StillClock implements Timers {
  #alarms: Alarm[] = [];
  readonly #watchers = new Set<() => void>();

  after(ms: number, work: () => void): () => void {
    const alarm: Alarm = { at: this.now() + Math.max(0, ms), work };
    this.#alarms.push(alarm);
    return () => {
      const index = this.#alarms.indexOf(alarm);
      if (index >= 0) this.#alarms.splice(index, 1);
    };
  }

  soon(work: () => void): () => void {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }

  /** Calls the listener whenever the clock has been moved. The returned function removes it. */
  onMove(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /**
   * Moves the clock and runs everything that is due on the way, in order. Promises settle after this returns, so a wait
   * that the program starts in reaction begins at the new time. `run` lets the program react on the way.
   */
  override advance(milliseconds: number): void {
    const end = this.now() + milliseconds;
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) this.#ring(due);
    this.#moveTo(end);
  }

  /** Like `advance`, but lets the event loop run after each thing that was due, so that the program can react to it. */
  async run(milliseconds: number): Promise<void> {
    const end = this.now() + milliseconds;
    await turn();
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.#ring(due);
      await turn();
    }
    this.#moveTo(end);
    await turn();
  }

  #next(end: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.at > end) continue;
      if (first === undefined || alarm.at < first.at) first = alarm;
    }
    return first;
  }

  #ring(alarm: Alarm): void {
    this.#alarms.splice(this.#alarms.indexOf(alarm), 1);
    this.#moveTo(alarm.at);
    alarm.work();
  }

  #moveTo(at: number): void {
    const distance = at - this.now();
    if (distance <= 0) return;
    super.advance(distance);
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Two turns of the event loop, since an embedded store returns some results one turn late. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
