import type { LatencyHistogram } from '../../commands/statistics-port.js';

/**
 * A histogram of durations from 1 ns to 1 s, with an error below one percent and in fixed memory. Every power of two is
 * divided into 128 equal slots (256 below 256 ns). Redis's histograms have the same slots, so that the same durations
 * give the same figures.
 */
export class DurationHistogram implements LatencyHistogram {
  readonly slots = new Uint32Array(SLOTS);

  get total(): number {
    let total = 0;
    for (const count of this.slots) total += count;
    return total;
  }

  percentile(share: number): number {
    const wanted = Math.max(1, Math.floor((Math.min(share, 100) / 100) * this.total + 0.5));
    let counted = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      counted += this.slots[slot] as number;
      if (counted >= wanted) return highestIn(slot);
    }
    return 0;
  }

  cumulative(): readonly (readonly [number, number])[] {
    const total = this.total;
    const found: [number, number][] = [];
    let slot = 0;
    let counted = 0;
    let reported = 0;
    for (let level = FIRST_LEVEL; counted < total; level *= 2) {
      const last = slotOf(level);
      for (; slot <= last; slot++) counted += this.slots[slot] as number;
      if (counted > reported) found.push([Math.floor(highestIn(last) / 1000), counted]);
      reported = counted;
    }
    return found;
  }
}

/** The slot of a duration in ns. */
export function slotOf(nanoseconds: number): number {
  const value = Math.max(1, Math.min(nanoseconds, LONGEST) | 0);
  const power = 24 - Math.clz32(value | 255);
  return (power << 7) + (value >>> power);
}

/** The longest duration, in ns, that falls into the slot. */
function highestIn(slot: number): number {
  const power = slot < 256 ? 0 : (slot >> 7) - 1;
  const part = slot < 256 ? slot : (slot & 127) + 128;
  return (part + 1) * 2 ** power - 1;
}

const LONGEST = 1_000_000_000;
const SLOTS = slotOf(LONGEST) + 129;
/** The first bound that LATENCY HISTOGRAM prints, in ns. */
const FIRST_LEVEL = 1024;
