import type { Settings } from '../../commands/config/settings.js';
import type { LatencyEvent, LatencyMonitorPort, LatencySample } from '../../commands/statistics-port.js';

interface Series extends LatencyEvent {
  readonly samples: LatencySample[];
  longest: number;
}

/** Latency spikes of `latency-monitor-threshold` ms or more, by event: one sample per second, at most 160. */
export class LatencyMonitor implements LatencyMonitorPort {
  /** In ms; Infinity while the monitor is off. */
  threshold = Number.POSITIVE_INFINITY;
  readonly events = new Map<string, Series>();

  readonly #now: () => number;
  readonly #settle: () => void;
  /** Events that are measured in parts and have not ended: how long each took so far. */
  readonly #unfinished = new Map<string, number>();

  /** `now` returns Unix ms. `settle` continues work that is measured in parts until it is known whether it is an event. */
  constructor(settings: Settings, now: () => number, settle: () => void = () => {}) {
    this.#now = now;
    this.#settle = settle;
    settings.onChange('latency-monitor-threshold', (text) => {
      this.threshold = text === '0' ? Number.POSITIVE_INFINITY : Number(text);
    });
  }

  /** Starts measuring work that is not a command. Costs nothing while the monitor is off. */
  start(): number {
    return this.threshold === Number.POSITIVE_INFINITY ? NOT_MEASURED : performance.now();
  }

  /** The ms since `start`; 0 if the monitor was off. */
  since(start: number): number {
    return start === NOT_MEASURED ? 0 : performance.now() - start;
  }

  /** Adds the event, under several names, if it took long enough. */
  note(milliseconds: number, ...names: readonly string[]): void {
    if (milliseconds < this.threshold) return;
    for (const name of names) this.add(name, milliseconds, this.#now());
  }

  /** Adds to the duration of an event that is measured in parts. It is added once it is long enough, and grows until `end`. */
  extend(name: string, milliseconds: number): void {
    if (this.threshold === Number.POSITIVE_INFINITY) return;
    const total = (this.#unfinished.get(name) ?? 0) + milliseconds;
    this.#unfinished.set(name, total);
    this.note(total, name);
  }

  end(name: string): void {
    this.#unfinished.delete(name);
  }

  /** Whether the event has begun, but is not long enough yet. */
  isUndecided(name: string): boolean {
    const total = this.#unfinished.get(name) ?? RESET;
    return total !== RESET && total < this.threshold;
  }

  /** Adds an event whose duration is at or above the threshold. */
  add(name: string, milliseconds: number, now: number): void {
    const latency = Math.floor(milliseconds);
    const time = Math.floor(now / 1000);
    let series = this.events.get(name);
    if (series === undefined) {
      series = { name, samples: [], longest: 0 };
      this.events.set(name, series);
    }
    series.longest = Math.max(series.longest, latency);
    const last = series.samples.at(-1);
    if (last !== undefined && last.time === time) {
      if (latency > last.latency) series.samples[series.samples.length - 1] = { time, latency };
      return;
    }
    series.samples.push({ time, latency });
    if (series.samples.length > MAX_SAMPLES) series.samples.shift();
  }

  settle(): void {
    if (this.threshold !== Number.POSITIVE_INFINITY) this.#settle();
  }

  reset(name: string): boolean {
    // What is left of an event that was reset would look like another one.
    if (this.#unfinished.has(name)) this.#unfinished.set(name, RESET);
    return this.events.delete(name);
  }
}

const MAX_SAMPLES = 160;
const NOT_MEASURED = -1;
/** Stays the same whatever is added. */
const RESET = Number.NEGATIVE_INFINITY;
