import type { Engine } from '../engine/engine.js';
import type { Replication } from '../replication/replication.js';

interface Shared {
  readonly replication: Replication;
  users: number;
}

const sharedByEngine = new WeakMap<Engine, Shared>();

/** A listener's use of the engine's replication, which all its listeners share. */
export interface ReplicationShare {
  readonly replication: Replication;
  /** The last listener to leave closes the replication. */
  leave(): void;
}

/**
 * All listeners of an engine share one replication: a replica that is connected to one of them stays when another is closed.
 * Undefined if the engine has a replication that belongs to another part.
 */
export function shareReplication(engine: Engine, create: () => Replication): ReplicationShare | undefined {
  let shared = sharedByEngine.get(engine);
  if (shared === undefined) {
    if (engine.hasReplication) return undefined;
    shared = { replication: create(), users: 0 };
    sharedByEngine.set(engine, shared);
  }
  const { replication } = shared;
  shared.users++;
  let isOver = false;
  return {
    replication,
    leave: () => {
      if (isOver) return;
      isOver = true;
      const now = sharedByEngine.get(engine) as Shared;
      now.users--;
      if (now.users > 0) return;
      sharedByEngine.delete(engine);
      replication.close();
    },
  };
}
