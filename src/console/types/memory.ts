import type { WireBytes } from './wire-bytes.js';

/** An estimate from a sample: with 95 % certainty the true number is within `error` of it. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

export interface MemoryGroup {
  /** A prefix with its separator, a type, or an encoding. Empty: keys without a prefix. */
  readonly name: string;
  readonly keys: Estimate;
  readonly bytes: Estimate;
}

export interface BigKey {
  readonly key: WireBytes;
  readonly type: string;
  readonly encoding: string;
  readonly bytes: number;
}

/** What larger limits for packed encodings would save. */
export interface EncodingSaving {
  readonly type: string;
  readonly setting: string;
  readonly current: number;
  /** For each limit: the bytes that would be saved, by the sample. */
  readonly limits: readonly { readonly entries: number; readonly saved: number }[];
}

export interface MemoryReport {
  readonly sampled: number;
  readonly total: number;
  readonly isDone: boolean;
  readonly bytes: Estimate;
  readonly prefixes: readonly MemoryGroup[];
  readonly types: readonly MemoryGroup[];
  readonly encodings: readonly MemoryGroup[];
  readonly biggest: readonly BigKey[];
  readonly savings: readonly EncodingSaving[];
}
