import type { Address, World } from '../replication/world.js';
import type { BusConnection } from './bus-link.js';

/** What happens on a connection of the bus. After `closed` nothing more is reported. */
export interface BusEvents {
  /** Only of a connection that we opened. */
  connected(): void;
  /** The chunk is only valid during the call. */
  received(chunk: Buffer): void;
  closed(reason: string): void;
}

/** What a node of a cluster needs of the world beside clock, timers, chance and connections. */
export interface ClusterWorld extends World {
  /** Opens a connection to the bus of another node. Nothing is reported before this returns. */
  connectBus(address: Address, events: BusEvents): BusConnection;
  /** Replaces the file with the nodes. Throws if it cannot be written. `synced`: it must be on disk when this returns. */
  saveNodes(text: string, synced: boolean): void;
  /** The file could not be written, so that the node could forget a vote: it must not go on. */
  die(message: string): void;
}
