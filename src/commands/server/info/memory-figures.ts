import type { EnginePort } from '../../engine-port.js';

/**
 * Memory usage for INFO and MEMORY. `used` is what `maxmemory` limits: data, clients, and a fixed amount for the
 * empty engine. V8's heap, code and buffers are in the figures of the allocator and in `resident`.
 */
export interface MemoryFigures {
  readonly used: number;
  /** Part of `used`: an empty engine. */
  readonly startup: number;
  readonly peak: number;
  readonly resident: number;
  readonly allocated: number;
  readonly active: number;
  /** Part of `used`: everything except keys and values: `startup`, clients, tables and queues. */
  readonly overhead: number;
  readonly clients: number;
  readonly system: number;
  readonly keys: number;
}

export function memoryFigures(engine: EnginePort): MemoryFigures {
  const { keyspace, statistics } = engine;
  const machine = engine.host.machine();
  const { usedMemory: used, startupMemory: startup } = engine;
  let keys = 0;
  let overhead = startup + engine.host.clientMemory;
  for (const db of keyspace.databases) {
    keys += db.size;
    overhead += db.keys.tableBytes + db.expiries.size * EXPIRY_BYTES;
  }
  return {
    used,
    startup,
    peak: Math.max(statistics.peakMemory, used),
    resident: machine.residentBytes,
    allocated: machine.allocatedBytes,
    active: machine.activeBytes,
    overhead,
    clients: engine.host.clientMemory,
    system: machine.systemBytes,
    keys,
  };
}

/** A place in the queue of expiries. */
export const EXPIRY_BYTES = 12;
