import type { Cluster } from 'ioredis';
import { keySlot } from '../../bytes/crc16.js';
import { StoreError } from '../store-error.js';

/** Which servers of a Cluster have which slots, as ioredis found out. A server's name is `host:port`. */
export class ClusterSlots {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The master of the slot. */
  masterOf(slot: number): string {
    const [master] = this.serversOf(slot);
    if (master === undefined) {
      throw new StoreError('UNREACHABLE', `no known server of the Cluster has slot ${slot}`);
    }
    return master;
  }

  /** The master of the slot, and its replicas. */
  serversOf(slot: number): readonly string[] {
    return this.#cluster.slots[slot] ?? [];
  }

  /** The slot is at this server from now on. */
  move(slot: number, place: string): void {
    this.#cluster.slots[slot] = [place];
  }

  /** The name of a server as the program reaches it, where ioredis was given a `natMap`. */
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

  /** Asks the servers again; if none answers, the table stays as it is. */
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

/** Where the server says that the keys are: for good (`MOVED`), or for this command while the slot moves (`ASK`). */
export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  readonly place: string;
}

/** A command that is redirected was not executed, nor was a transaction of which one command was. */
export function redirectionOf(error: unknown): Redirection | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { message } = error.code === 'EXECABORT' && error.cause instanceof StoreError ? error.cause : error;
  const [, kind, slot, place] = /^(MOVED|ASK) (\d+) (\S+)/.exec(message) ?? [];
  if (kind === undefined || place === undefined) return undefined;
  return { kind: kind as Redirection['kind'], slot: Number(slot), place };
}
