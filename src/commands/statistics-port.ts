export const DEFAULT_PEAK_RESET_MS = 5000;

/** DEBUG REPLYBUFFER: how the sizes that CLIENT LIST shows follow the replies. */
export interface ReplyBufferTuning {
  /** The time after which the largest reply is forgotten; negative for never. */
  peakResetMs: number;
  isResizing: boolean;
}

/** The statistics since the start, or since CONFIG RESETSTAT. Commands are given by `Command.id`. */
export interface StatisticsPort {
  readonly connectionsReceived: number;
  readonly rejectedConnections: number;
  /** Dropped for `maxmemory-clients`. */
  readonly evictedClients: number;
  /** The time spent on expired keys and their memory. */
  readonly expiringMs: number;
  /** See `ConnectionFigures.replySize`. */
  readonly replyBufferShrinks: number;
  readonly replyBufferExpands: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly errorReplies: number;
  /** Unexpected errors: defects. */
  readonly unexpectedErrors: number;
  readonly peakMemory: number;
  readonly commandsProcessed: number;
  /** Per second, over the last 1.6 seconds. */
  readonly commandRate: number;
  readonly inputRate: number;
  readonly outputRate: number;
  /** By error code. */
  readonly errors: ReadonlyMap<string, number>;
  calls(id: number): number;
  /** Time spent, in µs. */
  micros(id: number): number;
  rejected(id: number): number;
  failed(id: number): number;
  /** The distribution of run times; undefined if none was recorded. */
  latencies(id: number): LatencyHistogram | undefined;
}

/** How long calls of one command took, in ns with two significant digits. */
export interface LatencyHistogram {
  readonly total: number;
  /** The percentile (0 to 100) of the run times, in ns. */
  percentile(share: number): number;
  /** Cumulative counts by powers of two: the bound in µs, and how many calls took at most that long. */
  cumulative(): readonly (readonly [micros: number, calls: number])[];
}

export interface SlowLogEntry {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly micros: number;
  readonly args: readonly string[];
  readonly address: string;
  readonly clientName: string;
}

export interface SlowLogPort {
  readonly length: number;
  /** Newest first. */
  entries(max: number): readonly SlowLogEntry[];
  reset(): void;
}

export interface LatencySample {
  /** Unix seconds. */
  readonly time: number;
  /** The longest within that second, in ms. */
  readonly latency: number;
}

/** Spikes of one kind, oldest first. */
export interface LatencyEvent {
  readonly name: string;
  readonly samples: readonly LatencySample[];
  /** The longest ever, in ms. */
  readonly longest: number;
}

export interface LatencyMonitorPort {
  readonly events: ReadonlyMap<string, LatencyEvent>;
  /** To be called before events are read: adds one that has begun. */
  settle(): void;
  reset(name: string): boolean;
}
