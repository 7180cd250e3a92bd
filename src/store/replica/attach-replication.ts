import type { ClientTls } from '../../commands/config/tls-options.js';
import { CommandError } from '../../commands/errors.js';
import { Replication } from '../../replication/replication.js';
import { socketWorld } from '../../replication/socket-world.js';
import type { Credentials } from '../address.js';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { nodeTls } from '../remote/open-remote.js';
import type { FollowedMaster } from './store-replication.js';

/** How masters are reached. */
export interface MasterAccess extends Credentials {
  /** Whether they are connected to by TLS. */
  readonly tls: boolean;
}

/** Gives the engine replication, with the password of its future master. */
export function attachReplication(
  embedded: EmbeddedEngine,
  access: MasterAccess,
  certificates: ClientTls = {},
): Replication {
  const { engine } = embedded;
  engine.settings.configure('masterauth', access.password ?? '');
  engine.settings.configure('masteruser', access.username ?? '');
  const world = socketWorld(engine, () => (access.tls ? nodeTls(certificates) : undefined));
  const replication = new Replication(engine, world, { mayFollow: false });
  embedded.onClose(() => replication.close());
  return replication;
}

/** `maxLag`: reads fail while the data may be older. */
export function refuseStale(embedded: EmbeddedEngine, followed: FollowedMaster, maxLag: number): void {
  const stale = new CommandError(
    `STALE The data may be older than maxLag (${maxLag} ms): the master is away or too far ahead`,
  );
  const detach = embedded.engine.attach({
    checks: { stale: ({ kind }) => (kind !== 'master' && followed.lag > maxLag ? stale : undefined) },
  });
  embedded.onClose(detach);
}

/** How often the master is asked for its offset, in ms. */
export function probePeriod(maxLag: number | undefined): number {
  return maxLag === undefined ? DEFAULT_PROBE_MS : Math.max(maxLag / 4, MIN_PROBE_MS);
}

const DEFAULT_PROBE_MS = 1000;
const MIN_PROBE_MS = 5;
