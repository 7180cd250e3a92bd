import type { Clock } from '../../src/bytes/clock.js';
import type { Timers } from '../../src/engine/timers.js';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
  isCancelled: boolean;
}

/** A clock and timers of a world in which time passes only from event to event. */
export class VirtualTime implements Clock, Timers {
  #now = 1_700_000_000_000;
  #order = 0;
  /** A binary heap by time, then by order of scheduling. */
  readonly #events: Event[] = [];

  now(): number {
    return Math.floor(this.#now);
  }

  micros(): number {
    return Math.floor(this.#now * 1000);
  }

  after(ms: number, work: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, ms), order: this.#order++, work, isCancelled: false };
    this.#push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  elapsed(): number {
    return this.now();
  }

  soon(work: () => void): () => void {
    return this.after(0, work);
  }

  /** Runs the next event, if it is not after `until`. False if there is none; the time is then `until`. */
  step(until: number): boolean {
    for (;;) {
      const next = this.#events[0];
      if (next === undefined || next.at > until) {
        this.#now = Math.max(this.#now, until);
        return false;
      }
      this.#pop();
      if (next.isCancelled) continue;
      this.#now = next.at;
      next.work();
      return true;
    }
  }

  #push(event: Event): void {
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(events[parent] as Event, event)) break;
      events[at] = events[parent] as Event;
      at = parent;
    }
    events[at] = event;
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop() as Event;
    if (events.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1] as Event, events[child] as Event)) child++;
      if (isBefore(last, events[child] as Event)) break;
      events[at] = events[child] as Event;
      at = child;
    }
    events[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
