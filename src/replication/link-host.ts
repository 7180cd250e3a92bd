import type { Engine } from '../engine/engine.js';
import type { Persistence } from '../persistence/persistence.js';
import type { ReplicationStream } from './stream.js';
import type { World } from './world.js';

/** What a link to a master needs from its server. */
export interface LinkHost {
  readonly engine: Engine;
  readonly world: World;
  readonly stream: ReplicationStream;
  readonly files: Persistence | undefined;
  /** The port on which other servers can connect to this one; 0 if there is none. */
  readonly listeningPort: number;
  /** All data is replaced now: our own replicas also need a full synchronisation. */
  dataIsReplaced(): void;
  /** The link is up, or the master continues our history under another id. */
  connected(isRenamed: boolean): void;
  /** The state has changed. */
  changed(): void;
}

/** As ROLE names them. `connect`: not connected; `handshake`: introducing ourselves; `sync`: receiving and loading a snapshot. */
export type LinkState = 'connect' | 'connecting' | 'handshake' | 'sync' | 'connected';

/** What is logged when the master is silent for too long in this state, in Redis's words. */
export const TIMEOUTS: Readonly<Record<LinkState, string>> = {
  connect: 'Timeout connecting to the MASTER...',
  connecting: 'Timeout connecting to the MASTER...',
  handshake: 'Timeout connecting to the MASTER...',
  sync: "Timeout receiving bulk data from MASTER... If the problem persists try to set the 'repl-timeout' parameter in redis.conf to a larger value.",
  connected: 'MASTER timeout: no data nor PING received...',
};
