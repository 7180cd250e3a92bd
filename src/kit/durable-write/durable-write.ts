import type { EmbeddedStore, Store } from '../../store/index.js';
import {
  abortedBy,
  abortSignal,
  checkStore,
  flag,
  integer,
  KitError,
  LATE,
  milliseconds,
  optional,
  type Resolved,
  resolveOptions,
  runsHere,
  shown,
  text,
  throwIfAborted,
  withinTime,
} from '../foundation/index.js';
import { GRACE, proofOfServer } from './server-proof.js';

export interface DurableWriteOptions {
  /** How many replicas must have the write. Default 1; 0 for an embedded store, which has none, unless it is itself a replica. */
  readonly replicas?: number;
  /** Whether the disk of the server that executed the write must have it. Default false; true for an embedded store that is no replica. */
  readonly disk?: boolean;
  /** How long to wait, in ms. Default 1,000. */
  readonly timeout?: number;
  /** Prefix of all keys. Default `durable`. */
  readonly prefix?: string;
}

/** Options of one call; the default is that of `durableWrites`. */
export interface ConfirmOptions {
  readonly replicas?: number;
  readonly disk?: boolean;
  readonly timeout?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/**
 * `synced`: it is on disk. `late`: it was not within the time. `off`: the server has no append-only file. `unproven`: the server cannot tell; Redis
 * can since version 7.2 (WAITAOF).
 */
export type DiskState = 'synced' | 'late' | 'off' | 'unproven';

export interface Confirmation {
  /** Whether everything that was asked for is proven. If not, the write may still be complete, or may be lost by a crash. */
  readonly isConfirmed: boolean;
  /** Replicas that have the write. In a Cluster with several keys: the smallest number. */
  readonly replicas: number;
  /** The disk of the server that executed the write. */
  readonly disk: DiskState;
}

/** Confirms writes. Made by `durableWrites`. */
export interface DurableWrites {
  /**
   * Waits until all writes whose replies have arrived, on the servers of these keys, have reached replicas and disks. It does not matter which client made
   * them. Always ends within `timeout`, and half a second if the server does not answer (`TIMEOUT`).
   *
   * @example
   * await store.set('order:7', 'paid');
   * const { isConfirmed } = await durableWrites(store, { replicas: 1 }).confirm('order:7');
   */
  confirm(keys: string | readonly string[], options?: ConfirmOptions): Promise<Confirmation>;
}

/**
 * Confirms that writes survive the loss of a server or of its memory.
 *
 * @example
 * const writes = durableWrites(store, { replicas: 1, timeout: 500 });
 * await store.set('order:7', 'paid');
 * const { isConfirmed, replicas } = await writes.confirm('order:7');
 */
export function durableWrites(store: Store, options: DurableWriteOptions = {}): DurableWrites {
  checkStore('durableWrites', store);
  const isEmbedded = runsHere(store);
  const { prefix, replicas, disk, timeout } = resolveOptions('durableWrites', options, RULES);
  if (/[{}]/.test(prefix)) {
    throw new KitError('OPTION', `durableWrites: \`prefix\` must not contain braces, not '${prefix}'`);
  }
  const defaults = {
    replicas: replicas ?? (isEmbedded ? 0 : 1),
    disk: disk ?? isEmbedded,
    timeout,
  };

  return {
    confirm: async (keys, given = {}) => {
      const own = resolveOptions('confirm', given, CONFIRM_RULES);
      const request: Request = {
        replicas: own.replicas ?? defaults.replicas,
        disk: own.disk ?? defaults.disk,
        timeout: own.timeout ?? defaults.timeout,
        signal: own.signal,
      };
      throwIfAborted(own.signal);
      const names = checkKeys(keys);
      const proving = isEmbedded
        ? proofOfEngine(store, request)
        : Promise.all(names.map((key) => proofOfServer(store, markerOf(prefix, key), request))).then(weakest);
      const proof = await ended(store, proving, request);
      const isOnDisk = !request.disk || proof.disk === 'synced';
      return { isConfirmed: proof.replicas >= request.replicas && isOnDisk, ...proof };
    },
  };
}

/** What one call asks for. */
export type Request = Pick<Resolved<typeof RULES>, 'timeout'> & {
  readonly replicas: number;
  readonly disk: boolean;
  readonly signal: AbortSignal | undefined;
};

/** What a server could prove. */
export type Proof = Omit<Confirmation, 'isConfirmed'>;

/** The append-only file of an engine in this process is synced now. It has no replicas. */
async function proofOfEngine(store: EmbeddedStore, { disk }: Request): Promise<Proof> {
  if (!disk || typeof store.syncFiles !== 'function') return { replicas: 0, disk: 'unproven' };
  return { replicas: 0, disk: (await store.syncFiles()) ? 'synced' : 'off' };
}

/** Ends at the deadline, whatever the server and the disk do. */
async function ended(store: Store, proving: Promise<Proof>, { timeout, signal }: Request): Promise<Proof> {
  const { time } = store;
  const isEmbedded = runsHere(store);
  const margin = isEmbedded ? 0 : GRACE;
  const proof = await withinTime(proving, { time, until: time.monotonic() + timeout + margin, signal }).catch(
    (error: unknown) => {
      if (signal?.aborted === true) throw abortedBy(signal);
      throw error;
    },
  );
  if (proof !== LATE) return proof;
  proving.catch(() => {});
  if (isEmbedded) return { replicas: 0, disk: 'late' };
  throw new KitError(
    'TIMEOUT',
    `confirm: the server did not answer within ${timeout} ms: the write may be lost or not, ask again`,
  );
}

const STRENGTH: readonly DiskState[] = ['off', 'unproven', 'late', 'synced'];

/** What holds for all keys. */
function weakest(proofs: readonly Proof[]): Proof {
  return proofs.reduce((one, other) => ({
    replicas: Math.min(one.replicas, other.replicas),
    disk: STRENGTH.indexOf(one.disk) < STRENGTH.indexOf(other.disk) ? one.disk : other.disk,
  }));
}

function checkKeys(keys: string | readonly string[]): readonly string[] {
  const names = typeof keys === 'string' ? [keys] : keys;
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((key) => typeof key === 'string' && key !== '')
  ) {
    return names;
  }
  throw new KitError('OPTION', `confirm: give a key that was written, or several, not ${shown(keys)}`);
}

/** A key in the slot of another one. */
function markerOf(prefix: string, key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  const tag = open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
  if (tag.includes('}')) {
    throw new KitError(
      'OPTION',
      `confirm: the key '${key}' has a '}' and no hash tag: name another key of its server`,
    );
  }
  return `${prefix}:{${tag}}:mark`;
}

const RULES = {
  replicas: optional(integer(undefined, { min: 0 })),
  disk: optional(flag()),
  timeout: milliseconds(1_000, { min: 1 }),
  prefix: text('durable'),
};
const CONFIRM_RULES = {
  replicas: optional(integer(undefined, { min: 0 })),
  disk: optional(flag()),
  timeout: optional(milliseconds(undefined, { min: 1 })),
  signal: optional(abortSignal()),
};
