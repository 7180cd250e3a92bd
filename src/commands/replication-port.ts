import type { Reply } from '../resp/reply.js';
import type { Call } from './call.js';
import type { Session } from './session.js';

/** The properties that a replica reports (REPLCONF) before it requests the data. */
export interface ReplicaDeclaration {
  /** The port and address to show instead of those of the connection. */
  readonly listeningPort?: number;
  readonly address?: string;
  /** It can read a snapshot whose length is not known in advance (`eof`); it takes a new replication id (`psync2`). */
  readonly capability?: string;
  /** It wants only the snapshot, and no changes after it. */
  readonly snapshotOnly?: boolean;
  /** It wants only these parts of a snapshot: `functions`, or nothing. */
  readonly parts?: readonly string[];
}

/** PSYNC: the history that a replica has, and the number of the next byte it needs; or SYNC, which always gets all data. */
export interface SyncRequest {
  readonly id: string;
  readonly next: number;
  /** SYNC of old replicas: no reply before the snapshot, and the replica sends no acknowledgements. */
  readonly isOld: boolean;
  /** The master that asks has chosen this replica as its successor. */
  readonly isFailover: boolean;
}

export interface FailoverRequest {
  readonly target: { readonly host: string; readonly port: number } | undefined;
  readonly force: boolean;
  /** In ms; 0 is none. */
  readonly timeout: number;
}

/** Copies of the data on other servers. All methods throw the error that the client gets. */
export interface ReplicationPort {
  readonly isReplica: boolean;
  /** Whether a FAILOVER is going on: REPLICAOF must not change the role. */
  readonly isFailingOver: boolean;
  /** The number of replicas that acknowledged within `min-replicas-max-lag` seconds. */
  readonly goodReplicas: number;
  /** The number of bytes of the replication stream so far. */
  readonly offset: number;
  /** Bytes of the stream that are kept in memory, and how many of them only because replicas are slow. */
  readonly bufferBytes: number;
  readonly slowReaderBytes: number;
  /** The fields of INFO replication. */
  info(): readonly (readonly [name: string, value: string | number])[];
  /** The reply of ROLE. */
  role(reply: Reply): void;
  /** REPLICAOF host port: false if that is the master already. */
  follow(host: string, port: number): boolean;
  /** REPLICAOF NO ONE */
  lead(): void;
  declare(session: Session, declaration: ReplicaDeclaration): void;
  /** REPLCONF ACK: the session's replica has applied the stream up to this offset. */
  acknowledged(session: Session, offset: number): void;
  /** REPLCONF GETACK of our master. */
  acknowledge(session: Session): void;
  synchronize(session: Session, request: SyncRequest): void;
  /** WAIT: replies when that many replicas have everything written so far, or at the deadline (Unix ms; 0 is never). */
  wait(call: Call, replicas: number, deadline: number): void;
  /** Clients are about to be sent their replies. */
  beforeReplies(): void;
  failover(request: FailoverRequest): void;
  abortFailover(): void;
  /** DEBUG CHANGE-REPL-ID */
  changeIds(): void;
  /** The session of a replica is closed. */
  replicaClosed(session: Session): void;
}
