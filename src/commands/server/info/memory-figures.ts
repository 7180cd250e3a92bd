import { totalmem } from 'node:os';
import { memoryUsage } from 'node:process';
import type { EnginePort } from '../../engine-port.js';

/**
 * Where the memory goes, for INFO and MEMORY. `used` is what the data takes and what `maxmemory` limits; the rest of
 * the process (V8's heap, code, buffers) shows in the figures of the allocator and in `resident`.
 */
export interface MemoryFigures {
  readonly used: number;
  readonly peak: number;
  readonly resident: number;
  readonly allocated: number;
  readonly active: number;
  /** Of `used`: tables and queues rather than keys and values. */
  readonly overhead: number;
  readonly clients: number;
  readonly system: number;
  readonly keys: number;
}

export function memoryFigures(engine: EnginePort): MemoryFigures {
  const { keyspace, statistics } = engine;
  const { rss, heapTotal, heapUsed, external } = memoryUsage();
  const used = keyspace.usedBytes;
  let keys = 0;
  let overhead = 0;
  for (const db of keyspace.databases) {
    keys += db.size;
    overhead += db.keys.tableBytes + db.expiries.size * EXPIRY_BYTES;
  }
  return {
    used,
    peak: Math.max(statistics.peakMemory, used),
    resident: rss,
    allocated: heapUsed + external,
    active: heapTotal + external,
    overhead,
    clients: clientBytes(engine),
    system: totalmem(),
    keys,
  };
}

/** What clients' buffers take. */
function clientBytes(engine: EnginePort): number {
  let total = 0;
  for (const { sink } of engine.sessions.values()) {
    const figures = sink.figures?.();
    if (figures !== undefined) total += figures.queryBuffer + figures.queryBufferFree + figures.output;
  }
  return total;
}

/** A place in the queue of expiries. */
const EXPIRY_BYTES = 12;
