import type { Store } from '../../../src/store/index.js';

/** Where stores of one kind keep their data: a running server or several, or an engine in this process. */
export interface StoreSite {
  /** A store on the site's data, with a connection of its own. The caller closes it. */
  open(): Promise<Store>;
  /** The reply of every server that has keys, to a command on a connection that no test uses. */
  askAll(...words: [string, ...string[]]): Promise<unknown[]>;
  /** Ends what was started for this site alone. */
  stop(): Promise<void>;
  /** What to give to `open`; undefined where no address leads to the data. */
  readonly address?: string;
}

export interface StoreKind {
  /** `in memory`, `on a Redis Cluster` … */
  readonly name: string;
  /** Why it cannot be started here; false if it can. */
  readonly skip: string | false;
  /** Keys of one command must be in one slot, and there is one database. */
  readonly isCluster: boolean;
  /** The engine is in this process, be it in another thread. */
  readonly isEmbedded: boolean;
  /** The client library knows no channels whose names are not UTF-8. */
  readonly hasTextChannels?: true;
  start(): Promise<StoreSite>;
}
