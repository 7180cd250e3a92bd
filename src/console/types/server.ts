import type { WireBytes } from './wire-bytes.js';

/** A connection, from CLIENT LIST. */
export interface ClientRow {
  readonly server: string;
  readonly id: string;
  readonly address: string;
  readonly name: string;
  readonly user: string;
  readonly database: number;
  readonly age: number;
  readonly idle: number;
  readonly flags: string;
  readonly command: string;
  readonly memory: number;
}

export interface SlowRow {
  readonly server: string;
  readonly id: number;
  /** Unix time in ms. */
  readonly at: number;
  readonly microseconds: number;
  readonly words: readonly WireBytes[];
  readonly client: string;
}

export interface FunctionLibrary {
  readonly name: string;
  readonly engine: string;
  readonly functions: readonly {
    readonly name: string;
    readonly description: string;
    readonly flags: readonly string[];
  }[];
  readonly code: string;
}

export interface UserRow {
  readonly name: string;
  readonly isOn: boolean;
  readonly rules: string;
}

/** A refusal, from ACL LOG. */
export interface RefusalRow {
  readonly server: string;
  readonly count: number;
  readonly reason: string;
  readonly object: string;
  readonly user: string;
  readonly ageSeconds: number;
}

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  /** The values of servers that differ from the first one. */
  readonly others: readonly { readonly server: string; readonly value: string }[];
}

export interface PersistenceState {
  readonly server: string;
  /** Unix time in ms; 0 if there was none since the start. */
  readonly lastSave: number;
  readonly changes: number;
  readonly isSaving: boolean;
  readonly lastStatus: string;
  readonly save: string;
  readonly aofEnabled: boolean;
  readonly aofSize: number;
  readonly aofStatus: string;
  readonly isRewriting: boolean;
  readonly isLoading: boolean;
}

/** A server in the picture of replication. */
export interface ReplicationNode {
  readonly name: string;
  readonly role: 'master' | 'replica' | 'sentinel';
  /** The name of its master. */
  readonly master: string | undefined;
  readonly state: string;
  readonly offset: number;
  /** Bytes behind its master. */
  readonly behind: number;
  readonly lagSeconds: number;
}

export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  readonly role: 'master' | 'replica';
  readonly masterId: string | undefined;
  readonly flags: readonly string[];
  readonly link: string;
  readonly slots: readonly SlotRange[];
  readonly keys: number | null;
}

export interface ClusterState {
  readonly state: string;
  readonly slotsAssigned: number;
  readonly slotsOk: number;
  readonly epoch: number;
  readonly nodes: readonly ClusterNode[];
}
