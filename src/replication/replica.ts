import type { ReplicaDeclaration } from '../commands/replication-port.js';
import type { Session } from '../commands/session.js';
import type { StreamReader } from './shared-buffer.js';

/** What a replica has declared with REPLCONF. */
export class ReplicaTraits {
  listeningPort = 0;
  address = '';
  readsUnknownLength = false;
  takesNewId = false;
  snapshotOnly = false;
  /** The parts of a snapshot that it wants; undefined is all. */
  parts: readonly string[] | undefined;

  declare({ listeningPort, address, capability, snapshotOnly, parts }: ReplicaDeclaration): void {
    if (listeningPort !== undefined) this.listeningPort = listeningPort;
    if (address !== undefined) this.address = address;
    if (capability === 'eof') this.readsUnknownLength = true;
    if (capability === 'psync2') this.takesNewId = true;
    if (snapshotOnly !== undefined) this.snapshotOnly = snapshotOnly;
    if (parts !== undefined) this.parts = parts;
  }
}

/**
 * A connected replica, as its master sees it. It is `waiting` for a snapshot to begin; `receiving` one; then `online`, and
 * sent the stream.
 */
export class Replica {
  readonly session: Session;
  readonly traits: ReplicaTraits;
  /** Sent SYNC: it sends no acknowledgements. */
  readonly isOld: boolean;
  state: 'waiting' | 'receiving' | 'online' = 'waiting';
  /** The offset that it has acknowledged, and when it last did; Unix ms. */
  acknowledged = 0;
  acknowledgedAt: number;
  /** Whether bytes of its snapshot were sent: nothing else may be sent before its end. */
  hasSnapshotBegun = false;
  /** Its snapshot was stored, and is now being sent. */
  isSentFile = false;
  /** When it last took bytes of a snapshot, in Unix ms. */
  progressAt: number;
  /** Its place in the stream. */
  reader: StreamReader | undefined;
  /** After a snapshot of unknown length, the stream is sent when the replica has acknowledged the snapshot. */
  startsOnAcknowledgement = false;
  /** Since when more bytes wait for it than the soft limit; Unix ms, 0 if not. */
  overSoftSince = 0;
  #isWaitingToSend = false;

  constructor(session: Session, traits: ReplicaTraits, isOld: boolean, now: number) {
    this.session = session;
    this.traits = traits;
    this.isOld = isOld;
    this.acknowledgedAt = now;
    this.progressAt = now;
  }

  get host(): string {
    const { address } = this.session;
    if (this.traits.address !== '') return this.traits.address;
    return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  }

  get port(): number {
    return this.traits.listeningPort;
  }

  /** How logs name it. */
  get name(): string {
    return this.port === 0 ? `client id #${this.session.id}` : `${this.host}:${this.port}`;
  }

  /** How INFO and logs name its state. */
  get stateName(): string {
    if (this.state === 'online') return 'online';
    return this.isSentFile ? 'send_bulk' : 'wait_bgsave';
  }

  /** Seconds since its last acknowledgement. */
  lag(now: number): number {
    return Math.max(0, Math.floor(now / 1000) - Math.floor(this.acknowledgedAt / 1000));
  }

  /** Bytes that it has not been sent yet. */
  pending(streamEnd: number): number {
    const unread = this.reader === undefined ? 0 : streamEnd - this.reader.position;
    return unread + this.session.sink.pending;
  }

  /** Sends what is new in the stream. What the network does not take stays in the shared buffer. */
  pump(): void {
    const { reader, session } = this;
    const { sink } = session;
    if (this.#isWaitingToSend || this.state !== 'online' || this.startsOnAcknowledgement) return;
    while (reader !== undefined && (sink.pending < MAX_PENDING || sink.whenSent === undefined)) {
      const bytes = reader.next(MAX_PENDING);
      if (bytes === undefined) return;
      // The buffer reuses its memory.
      if (sink.sendNow === undefined) sink.send(Buffer.from(bytes));
      else sink.sendNow(bytes);
    }
    this.#isWaitingToSend = true;
    sink.whenSent?.(() => {
      this.#isWaitingToSend = false;
      this.pump();
    });
  }

  close(): void {
    this.reader?.close();
    this.reader = undefined;
  }
}

/** The maximum number of bytes that wait in a connection. */
const MAX_PENDING = 1 << 18;
