import type { Engine } from '../engine/engine.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { RdbLoader } from '../rdb/rdb-loader.js';
import type { ReceivedSnapshot } from './inbox.js';
import type { World } from './world.js';

/**
 * Replaces the engine's data by a received snapshot, in slices. With `isAside` the present data is kept, and read by clients,
 * until the new data is complete (`repl-diskless-load swapdb`); otherwise it is removed first. Returns the snapshot's fields;
 * undefined if `onSlice` ended the loading. Throws a `DamagedFile`.
 */
export async function loadReceived(
  engine: Engine,
  world: World,
  snapshot: ReceivedSnapshot,
  isAside: boolean,
  onSlice: () => boolean,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { keyspace, scripting, settings } = engine;
  const libraries: Buffer[] = [];
  const target = isAside ? emptyCopy(keyspace) : keyspace;
  if (!isAside) {
    keyspace.empty();
    scripting.flushLibraries();
  }
  const loader = new RdbLoader(snapshot, target, {
    skipsExpired: false,
    replaces: false,
    isThorough: settings.text('sanitize-dump-payload') === 'yes',
    hasChecksum: settings.isOn('rdbchecksum'),
    onFunction: (code) => libraries.push(code.toBuffer()),
  });
  try {
    for (;;) {
      keyspace.passTime();
      if (target.effects.silently(() => loader.step(world.sliceEnd(SLICE_MS)))) break;
      if (!onSlice()) return undefined;
      await new Promise<void>((resolve) => void world.timers.soon(resolve));
      if (!onSlice()) return undefined;
    }
    if (isAside) {
      keyspace.empty();
      scripting.flushLibraries();
      keyspace.databases.forEach((db, index) => {
        db.swapContents(target.databases[index] ?? db);
      });
    }
    for (const code of libraries) scripting.functions.load(code.latin1Slice(), false);
    return loader.auxiliary;
  } catch (error) {
    // Incomplete data is useless.
    if (!isAside) keyspace.empty();
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
