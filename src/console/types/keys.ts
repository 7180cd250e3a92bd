import type { WireBytes } from './wire-bytes.js';

/** How far a scan is. */
export interface ScanProgress {
  /** 0 to 1, by the position in the servers' tables. */
  readonly share: number;
  /** Keys found so far. */
  readonly found: number;
  /** Where to continue; null at the end. */
  readonly cursor: string | null;
}

export type KeyType = 'string' | 'list' | 'set' | 'zset' | 'hash' | 'stream';

/** What a row of the list of keys shows. */
export interface KeyBrief {
  /** One of `KeyType`, the name of a module's type, or `none` if the key is gone. */
  readonly type: string;
  /** In ms; null if it does not expire. */
  readonly ttl: number | null;
}

export interface KeyFacts extends KeyBrief {
  readonly encoding: string;
  /** Elements; for a string, bytes. */
  readonly length: number;
  /** In bytes, estimated by the server from a few elements; null if it does not tell. */
  readonly memory: number | null;
  /** Seconds since the last use, or how often it is used, by the eviction policy; null if the server does not tell. */
  readonly idle: number | null;
  readonly frequency: number | null;
  /** A string that is a HyperLogLog. */
  readonly isHyperLogLog: boolean;
  /** The server that has the key; only in a Cluster. */
  readonly server?: string;
  readonly slot?: number;
}

/** A value that may have been cut: long ones are sent only in part. */
export interface CutBytes {
  readonly value: WireBytes;
  /** The whole length in bytes. */
  readonly length: number;
}

/** Part of a string. */
export interface StringPart {
  readonly kind: 'string';
  readonly offset: number;
  readonly part: WireBytes;
  readonly length: number;
}

export interface ListElements {
  readonly kind: 'list';
  readonly start: number;
  readonly elements: readonly CutBytes[];
  readonly length: number;
}

export interface SetMembers {
  readonly kind: 'set';
  readonly members: readonly CutBytes[];
  /** Where to continue; null at the end. */
  readonly cursor: string | null;
}

export interface HashFields {
  readonly kind: 'hash';
  readonly fields: readonly { readonly field: CutBytes; readonly value: CutBytes }[];
  readonly cursor: string | null;
}

export interface SortedSetMembers {
  readonly kind: 'zset';
  readonly members: readonly {
    readonly member: CutBytes;
    readonly score: string;
    readonly rank: number | null;
  }[];
  readonly cursor: string | null;
  readonly length: number;
}

export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly { readonly field: CutBytes; readonly value: CutBytes }[];
}

export interface StreamEntries {
  readonly kind: 'stream';
  readonly entries: readonly StreamEntry[];
  /** The id to continue with; null at the end. */
  readonly cursor: string | null;
  readonly length: number;
}

export type ValuePage =
  | StringPart
  | ListElements
  | SetMembers
  | HashFields
  | SortedSetMembers
  | StreamEntries;

export interface StreamGroup {
  readonly name: WireBytes;
  readonly consumers: number;
  readonly pending: number;
  readonly lastDelivered: string;
  readonly lag: number | null;
}

export interface PendingEntry {
  readonly id: string;
  readonly consumer: WireBytes;
  readonly idle: number;
  readonly deliveries: number;
}

export interface GeoMember {
  readonly member: WireBytes;
  readonly longitude: number;
  readonly latitude: number;
}

/** A key as it is exported: what DUMP returned. */
export interface ExportedKey {
  readonly key: WireBytes;
  /** In ms; 0 if it does not expire. */
  readonly ttl: number;
  /** In base64. */
  readonly dump: string;
}
