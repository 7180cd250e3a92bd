import { type CommandSender, type DefaultShape, type Store, StoreError } from '../../store/index.js';
import { newId } from '../foundation/index.js';
import type { DiskState, Proof, Request } from './durable-write.js';

/** How much longer than its timeout a call may take if the server does not answer, in ms. */
export const GRACE = 500;
/** How long the mark stays, in ms. */
const MARK_TTL = 60_000;

/**
 * Asks the server of a key. WAIT covers what came before the last write of its own connection: so a mark is written there first, which follows all earlier writes of
 * all clients in the server's stream. A connection of its own does not hold up other calls.
 */
export async function proofOfServer(store: Store, mark: string, request: Request): Promise<Proof> {
  const { replicas, disk, timeout, signal } = request;
  const { time } = store;
  const end = time.monotonic() + timeout;
  const left = (): number => Math.max(1, Math.ceil(end - time.monotonic()));
  const view = store.with({ timeout: timeout + GRACE, ...(signal === undefined ? {} : { signal }) });
  let proof: Proof = { replicas: 0, disk: 'unproven' };
  // Nothing is watched for its changes: this is the way to a connection of its own.
  await view.transaction({ watch: [mark], attempts: 1 }, async (_, connection) => {
    await connection.send('SET', mark, newId(), 'PX', MARK_TTL);
    proof = {
      disk: disk ? await diskOf(connection, left()) : 'unproven',
      replicas: Number(await connection.send('WAIT', replicas, left())),
    };
    return undefined;
  });
  return proof;
}

/** Redis 7.2 and later can wait for its disk. That `aof_pending_bio_fsync` is 0 says nothing: the data may still be in a buffer. */
async function diskOf(connection: CommandSender<DefaultShape>, timeout: number): Promise<DiskState> {
  try {
    const [local] = (await connection.send('WAITAOF', 1, 0, timeout)) as readonly number[];
    return local === 1 ? 'synced' : 'late';
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (/appendonly is disabled/.test(error.message)) return 'off';
    if (/unknown command/.test(error.message) || error.code === 'NOPERM') return 'unproven';
    throw error;
  }
}
