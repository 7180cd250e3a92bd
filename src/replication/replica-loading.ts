import type { Engine } from '../engine/engine.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { Pace } from '../persistence/pace.js';
import { RdbLoader } from '../rdb/rdb-loader.js';
import { ArrivingSnapshot } from './arriving-snapshot.js';
import type { ReceivedSnapshot } from './inbox.js';
import type { World } from './world.js';

export interface LoadingHost {
  /** Called between slices: whether to go on. */
  isWanted(): boolean;
  /** Called when the present data is about to be removed. */
  replacing(): void;
}

/**
 * Replaces the engine's data by a received snapshot, in slices. With `isAside` the present data is kept, and read by clients,
 * until the new data is complete (`repl-diskless-load swapdb`); otherwise it is removed first. Returns the snapshot's fields;
 * undefined if it was no longer wanted. Throws a `DamagedFile`.
 */
export async function loadReceived(
  engine: Engine,
  world: World,
  snapshot: ReceivedSnapshot,
  isAside: boolean,
  host: LoadingHost,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { keyspace, scripting, settings } = engine;
  const libraries: Buffer[] = [];
  const pace = new Pace(settings, 'key-load-delay');
  const target = isAside ? emptyCopy(keyspace) : keyspace;
  if (!isAside) {
    host.replacing();
    keyspace.empty();
    scripting.flushLibraries();
  }
  const arriving = snapshot instanceof ArrivingSnapshot ? snapshot : undefined;
  const abandon = (): undefined => {
    // Incomplete data is useless.
    if (!isAside) keyspace.empty();
    return undefined;
  };
  const loader = new RdbLoader(snapshot, target, {
    arriving,
    skipsExpired: false,
    replaces: false,
    isThorough: settings.text('sanitize-dump-payload') === 'yes',
    hasChecksum: settings.isOn('rdbchecksum'),
    onFunction: (code) => libraries.push(code.toBuffer()),
  });
  try {
    for (;;) {
      keyspace.passTime();
      if (target.effects.silently(() => loader.step(world.sliceEnd(SLICE_MS), pace.keys))) break;
      if (!host.isWanted()) return abandon();
      if (arriving !== undefined && loader.isStarved) await arriving.arrival();
      else await new Promise<void>((resolve) => void pace.schedule(world.timers, resolve));
      if (!host.isWanted()) return abandon();
    }
    if (isAside) {
      host.replacing();
      keyspace.empty();
      scripting.flushLibraries();
      keyspace.databases.forEach((db, index) => {
        db.swapContents(target.databases[index] ?? db);
      });
    }
    for (const code of libraries) scripting.functions.load(code.latin1Slice(), false);
    return loader.auxiliary;
  } catch (error) {
    abandon();
    throw error;
  } finally {
    snapshot.close();
  }
}

function emptyCopy({ databases, indexesSlots, clock, random }: Keyspace): Keyspace {
  const hashKey = databases[0]?.keyedHash;
  return new Keyspace({
    databases: databases.length,
    indexesSlots,
    clock,
    random,
    ...(hashKey && { hashKey }),
  });
}

/** Long enough to load quickly. Clients wait at most this long for their LOADING error. */
const SLICE_MS = 5;
