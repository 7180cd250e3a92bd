import type { EmbeddedStore, Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  checkWork,
  hash32,
  isOutage,
  KitError,
  optional,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';

export interface ReaderPoolOptions {
  /** How far a client of another process has written: its `position()`. Default: it has not written. */
  readonly position?: string;
}

/** The reads and writes of one client: a user, a session. Made by `client` of a reader pool. */
export interface PoolClient {
  readonly id: string;
  /** Calls `work` with the primary. Reads of this client wait for nothing, but see what it has written. */
  write<T>(work: (primary: Store) => T | Promise<T>): Promise<T>;
  /**
   * Calls `work` with the client's replica: always the same one, so that results that were cached there are found again. With the
   * primary instead while the replica does not have the client's own writes yet. If the replica cannot be reached, with the next one.
   */
  read<T>(work: (store: Store) => T | Promise<T>): Promise<T>;
  /** How far the client has written, to continue in another process: pass it to `client`, for example from a cookie. Undefined if it has not written. */
  position(): Promise<string | undefined>;
}

/** A primary and its replicas. Made by `readerPool`. */
export interface ReaderPool {
  /** The client of this name. Its object remembers its writes: keep it for as long as the client, or pass its position. */
  client(id: string, options?: ReaderPoolOptions): PoolClient;
}

/** A place in the stream of writes of a primary. */
interface Position {
  readonly id: string;
  readonly offset: number;
}

/**
 * Reads from replicas, and lets each client see its own writes.
 *
 * @example
 * const pool = readerPool(await open('redis://primary'), [await open('redis://replica-1'), await open('redis://replica-2')]);
 * const ann = pool.client('ann');
 * await ann.write((primary) => primary.set('name', 'Ann'));
 * await ann.read((store) => store.get('name')); // 'Ann', from the replica if it has it already
 */
export function readerPool(primary: Store, replicas: readonly Store[]): ReaderPool {
  checkStore('readerPool', primary);
  if (!Array.isArray(replicas)) {
    throw new KitError('OPTION', `readerPool: pass a list of replicas, not ${shown(replicas)}`);
  }
  for (const replica of replicas) checkStore('readerPool', replica);
  return {
    client: (id, options = {}) => {
      checkName('readerPool', id);
      const { position } = resolveOptions('client', options, RULES);
      return new StickyClient(id, primary, replicas, position);
    },
  };
}

class StickyClient implements PoolClient {
  readonly id: string;
  readonly #primary: Store;
  /** The client's own replica first. */
  readonly #replicas: readonly Store[];
  #position: Position | undefined;
  /** Whether it has written since the position was asked for. */
  #hasWritten = false;
  /** The last request for the position, while it runs. */
  #asking: Promise<Position | undefined> | undefined;
  /** Replicas that have what the client has written. */
  readonly #current = new Set<Store>();

  constructor(id: string, primary: Store, replicas: readonly Store[], position: string | undefined) {
    this.id = id;
    this.#primary = primary;
    const first = replicas.length === 0 ? 0 : hash32(id) % replicas.length;
    this.#replicas = [...replicas.slice(first), ...replicas.slice(0, first)];
    this.#position = position === undefined ? undefined : parsePosition(position);
  }

  async write<T>(work: (primary: Store) => T | Promise<T>): Promise<T> {
    checkWork(work);
    try {
      return await work(this.#primary);
    } finally {
      // Also after an error: the write may have happened.
      this.#hasWritten = true;
      this.#current.clear();
    }
  }

  async read<T>(work: (store: Store) => T | Promise<T>): Promise<T> {
    checkWork(work);
    for (const replica of this.#replicas) {
      try {
        if (!(await this.#hasOwnWrites(replica))) break;
        return await work(replica);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
    }
    return work(this.#primary);
  }

  async position(): Promise<string | undefined> {
    const position = await this.#written();
    return position === undefined ? undefined : `${position.id}:${position.offset}`;
  }

  /** The place of the primary after the client's last write. Asked only when it matters; calls at the same time share one request. */
  async #written(): Promise<Position | undefined> {
    if (!this.#hasWritten) return (await this.#asking) ?? this.#position;
    this.#hasWritten = false;
    const asking = placeOf(this.#primary);
    this.#asking = asking;
    try {
      const place = await asking;
      if (this.#asking === asking) this.#position = place ?? this.#position;
      return place ?? this.#position;
    } catch (error) {
      this.#hasWritten = true;
      throw error;
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
    }
  }

  async #hasOwnWrites(replica: Store): Promise<boolean> {
    if (this.#current.has(replica)) return true;
    const written = await this.#written();
    if (written === undefined) return true;
    const place = await placeOf(replica);
    // After a failover, offsets of another history say nothing.
    const isCurrent = place !== undefined && place.id === written.id && place.offset >= written.offset;
    if (isCurrent && !this.#hasWritten) this.#current.add(replica);
    return isCurrent;
  }
}

/** How far a server's stream of writes is. */
async function placeOf(store: Store): Promise<Position | undefined> {
  const info = String(await store.send('INFO', 'replication'));
  const fieldOf = (name: string): string | undefined =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const id = fieldOf('master_replid');
  const isReplica = fieldOf('role') === 'slave';
  const embedded = isReplica ? (store as Partial<EmbeddedStore>).replication : undefined;
  const offset = embedded?.offset ?? Number(fieldOf(isReplica ? 'slave_repl_offset' : 'master_repl_offset'));
  return id === undefined || Number.isNaN(offset) ? undefined : { id, offset };
}

/** The replica is away, is loading or has lost its master: another one may answer. */
function isUnavailable(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return (
    isOutage(error) || code === 'STALE' || code === 'LOADING' || code === 'MASTERDOWN' || code === 'CLOSED'
  );
}

function parsePosition(position: string): Position {
  const [, id, offset] = /^([0-9a-f]{40}):(\d+)$/.exec(position) ?? [];
  if (id !== undefined && offset !== undefined) return { id, offset: Number(offset) };
  throw new KitError(
    'OPTION',
    `client: \`position\` must be the result of \`position()\`, not ${shown(position)}`,
  );
}

const RULES = { position: optional(text()) };
