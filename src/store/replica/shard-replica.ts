import { Bytes } from '../../bytes/bytes.js';
import { keySlot, SLOTS } from '../../bytes/crc16.js';
import type { Database } from '../../keyspace/database.js';
import type { EffectsListener } from '../../keyspace/effects.js';
import type { SlotKeys } from '../../keyspace/slot-keys.js';
import type { Replication } from '../../replication/replication.js';
import { EmbeddedEngine } from '../embedded/embedded-engine.js';
import type { EmbeddedOptions } from '../options.js';
import { attachReplication, type MasterAccess, probePeriod, refuseStale } from './attach-replication.js';
import type { ClusterMaster } from './cluster-view.js';
import { ASK_PLACE, placeIn } from './master-place.js';
import { type NodeConnections, nameOf } from './node-connections.js';
import { FollowedMaster } from './store-replication.js';

/** A replica of one master of a Cluster, in an engine of its own. After a failover it follows the successor. */
export class ShardReplica implements EffectsListener {
  readonly embedded: EmbeddedEngine;
  readonly followed: FollowedMaster;
  master: ClusterMaster;
  /** Whether all data has arrived once. */
  isReady = false;
  #isClosed = false;
  readonly #replication: Replication;
  readonly #db: Database;
  /** When a key of each slot was last removed, by the monotonic clock. */
  readonly #removedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

  constructor(
    master: ClusterMaster,
    options: EmbeddedOptions,
    access: MasterAccess,
    connections: NodeConnections,
  ) {
    this.master = master;
    this.embedded = new EmbeddedEngine(options);
    this.embedded.join();
    const { engine } = this.embedded;
    engine.keyspace.indexSlots();
    this.#db = engine.database(0);
    this.#replication = attachReplication(this.embedded, access, options.tls);
    this.#replication.start({ master: master.address });
    this.followed = new FollowedMaster(
      this.#replication,
      this.embedded.time,
      async (limits) => placeIn(await connections.ask(this.master.address, ASK_PLACE, limits)),
      probePeriod(options.maxLag),
    );
    this.embedded.onClose(() => this.followed.close());
    let isReplaced = false;
    this.followed.on('change', ({ state }) => {
      if (state === 'synchronizing') isReplaced = true;
      if (state !== 'connected') return;
      this.isReady = true;
      if (isReplaced) this.flushing();
      isReplaced = false;
    });
    this.embedded.onClose(engine.keyspace.effects.subscribe(this));
    if (options.maxLag !== undefined) refuseStale(this.embedded, this.followed, options.maxLag);
  }

  /** The master has another address, or another node has taken its place. */
  follow(master: ClusterMaster): void {
    const hasMoved = nameOf(master.address) !== nameOf(this.master.address);
    this.master = master;
    if (hasMoved) this.#replication.followAddress(master.address);
  }

  /** The number of keys in a slot, whether the master owns it or not. */
  keysIn(slot: number): number {
    return (this.#db.slotKeys as SlotKeys).count(slot);
  }

  has(key: Bytes): boolean {
    return this.#db.find(key) !== 0;
  }

  get size(): number {
    return this.#db.size;
  }

  /** Calls `visit` with the keys of a slot. They are only valid during the call. */
  visitKeysIn(slot: number, visit: (key: Bytes) => void): void {
    const { keys } = this.#db;
    const slotKeys = this.#db.slotKeys as SlotKeys;
    for (let entry = slotKeys.first(slot); entry !== 0; entry = slotKeys.following(entry)) {
      visit(keys.key(entry, view));
    }
  }

  removedAt(slot: number): number {
    return this.#removedAt[slot] as number;
  }

  keyChanged(db: Database, key: Bytes): void {
    if (db.find(key) !== 0) return;
    this.#removedAt[keySlot(key.buf, key.start, key.end)] = this.embedded.time.monotonic();
  }

  flushing(): void {
    this.#removedAt.fill(this.embedded.time.monotonic());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.embedded.leave();
  }
}

const view = new Bytes();
