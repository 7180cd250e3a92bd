import type { SnapshotOutput } from '../persistence/snapshot/snapshot-format.js';
import type { Replica } from './replica.js';

/**
 * Sends one snapshot to several replicas while it is being taken: nothing is written to disk, and little is kept in memory.
 * The snapshot goes on as fast as the slowest replica; one that stops reading is dropped by its timeout.
 */
export class ReplicasOutput implements SnapshotOutput {
  readonly keepsNothing = true;
  isFull = false;
  onRoom: () => void = () => {};
  onFailure: (error: Error) => void = () => {};
  readonly #replicas: Set<Replica>;
  readonly #mark: Buffer;
  readonly #now: () => number;
  #finished: (() => void) | undefined;
  /** Replicas for which the snapshot waits, because too many bytes are unsent. */
  readonly #slow = new Set<Replica>();

  /** `mark` is a random text that ends the snapshot, whose length is not known before. */
  constructor(replicas: Iterable<Replica>, mark: string, now: () => number) {
    this.#replicas = new Set(replicas);
    this.#mark = Buffer.from(mark);
    this.#now = now;
    for (const replica of this.#replicas) replica.hasSnapshotBegun = true;
    this.write(Buffer.from(`$EOF:${mark}\r\n`));
  }

  get replicas(): ReadonlySet<Replica> {
    return this.#replicas;
  }

  /** The replica is gone. Without replicas the snapshot is aborted. */
  drop(replica: Replica): void {
    this.#replicas.delete(replica);
    if (this.#replicas.size === 0) this.onFailure(new Error('the last replica is gone'));
    else this.#released(replica);
  }

  write(chunk: Buffer): void {
    for (const replica of this.#replicas) {
      const { sink } = replica.session;
      if (sink.sendNow === undefined) sink.send(Buffer.from(chunk));
      else sink.sendNow(chunk);
      if (sink.pending < MAX_UNSENT || this.#slow.has(replica)) continue;
      this.#slow.add(replica);
      this.isFull = true;
      this.#whenSent(replica, () => this.#released(replica));
    }
  }

  #whenSent({ session: { sink } }: Replica, work: () => void): void {
    if (sink.whenSent === undefined) work();
    else sink.whenSent(work);
  }

  #released(replica: Replica): void {
    replica.progressAt = this.#now();
    this.#slow.delete(replica);
    if (this.isFull && this.#slow.size === 0) {
      this.isFull = false;
      this.onRoom();
    }
    this.#finished?.();
  }

  /** Resolves when all replicas have been sent everything. */
  finish(): Promise<void> {
    this.write(this.#mark);
    return new Promise((resolve) => {
      this.#finished = () => {
        for (const replica of this.#replicas) {
          const { sink } = replica.session;
          if (sink.pending === 0 || sink.whenSent === undefined) continue;
          this.#whenSent(replica, () => this.#released(replica));
          return;
        }
        this.#finished = undefined;
        resolve();
      };
      this.#finished();
    });
  }

  async discard(): Promise<void> {
    this.#finished = undefined;
  }
}

/** The maximum number of unsent bytes of a replica before the snapshot waits. */
const MAX_UNSENT = 1 << 18;
