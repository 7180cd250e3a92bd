import type { Store } from '../../../src/store/index.js';

/** The location of the data of one kind of store: one or several servers, or an engine in this process. */
export interface StoreSite {
  /** Opens a store on the site's data, with its own connection. The caller closes it. */
  open(): Promise<Store>;
  /** Sends a command to every server that has keys, on separate connections. Returns all replies. */
  askAll(...words: [string, ...string[]]): Promise<unknown[]>;
  /** Stops what was started only for this site. */
  stop(): Promise<void>;
  /** The address for `open`; undefined if there is none. */
  readonly address?: string;
}

export interface StoreKind {
  /** `in memory`, `on a Redis Cluster` … */
  readonly name: string;
  /** Why it cannot be started here; false if it can. */
  readonly skip: string | false;
  /** All keys of a command must be in one slot, and there is only one database. */
  readonly isCluster: boolean;
  /** The engine is in this process, perhaps in another thread. */
  readonly isEmbedded: boolean;
  /** The client library does not support channel names that are not UTF-8. */
  readonly hasTextChannels?: true;
  start(): Promise<StoreSite>;
}
