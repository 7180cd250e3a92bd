import type { Cluster } from 'ioredis';
import { keySlot } from '../../bytes/crc16.js';
import { StoreError } from '../store-error.js';

/** Which servers of a Cluster have which slots, according to ioredis. A server's name is `host:port`. */
export class ClusterSlots {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  masterOf(slot: number): string {
    const [master] = this.serversOf(slot);
    if (master === undefined) {
      throw new StoreError('UNREACHABLE', `no known server of the Cluster has slot ${slot}`);
    }
    return master;
  }

  /** The master of the slot, then its replicas. */
  serversOf(slot: number): readonly string[] {
    return this.#cluster.slots[slot] ?? [];
  }

  /** Notes that this server has the slot now. */
  move(slot: number, place: string): void {
    this.#cluster.slots[slot] = [place];
  }

  /** The address at which the program reaches a server, if ioredis was given a `natMap`. */
  mapped(place: string): string {
    const { natMap } = this.#cluster.options;
    const to = typeof natMap === 'function' ? natMap(place) : natMap?.[place];
    return to ? `${to.host}:${to.port}` : place;
  }

  masters(): string[] {
    return [...new Set(this.#ranges().map(([master]) => master as string))];
  }

  all(): string[] {
    return [...new Set(this.#ranges().flat())];
  }

  /** The servers of each range of slots. */
  #ranges(): string[][] {
    return [...new Set(this.#cluster.slots)].filter((servers) => servers !== undefined && servers.length > 0);
  }

  /** Asks the servers for the slot table. If none answers, the old table stays. */
  refresh(): Promise<void> {
    return new Promise((resolve) => this.#cluster.refreshSlotsCache(() => resolve()));
  }
}

export function slotOf(key: string | Buffer): number {
  const bytes = Buffer.from(key);
  return keySlot(bytes, 0, bytes.length);
}

export function haveOneSlot(keys: readonly (string | Buffer)[]): boolean {
  return new Set(keys.map(slotOf)).size <= 1;
}

export function crossSlot(): StoreError {
  return new StoreError('CROSSSLOT', "CROSSSLOT Keys in request don't hash to the same slot");
}

/** Which server has the keys: permanently (`MOVED`), or for this command only while the slot is being moved (`ASK`). */
export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  readonly place: string;
}

/** A redirected command was not executed. A transaction with a redirected command was not executed either. */
export function redirectionOf(error: unknown): Redirection | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { message } = error.code === 'EXECABORT' && error.cause instanceof StoreError ? error.cause : error;
  const [, kind, slot, place] = /^(MOVED|ASK) (\d+) (\S+)/.exec(message) ?? [];
  if (kind === undefined || place === undefined) return undefined;
  return { kind: kind as Redirection['kind'], slot: Number(slot), place };
}
