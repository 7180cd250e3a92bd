import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import type { RemoteDriver, RemoteLink } from './remote-driver.js';

const CLIENT_ID: WireCommand = { words: ['CLIENT', 'ID'] };
const CLIENT_UNBLOCK: WireCommand = { words: ['CLIENT', 'UNBLOCK'] };

/** A link that goes back to a pool when it is no longer needed. */
export interface PooledLink extends RemoteLink {
  readonly place: string;
  /** How the server calls the connection; null where the user may not ask. */
  readonly id: Reply;
}

/** Connections for those who need one of their own for a while; a few are kept for the next. */
export class LinkPool {
  readonly #driver: RemoteDriver;
  readonly #idle = new Map<string, PooledLink[]>();
  readonly #busy = new Set<PooledLink>();
  #isClosed = false;

  constructor(driver: RemoteDriver) {
    this.#driver = driver;
  }

  /** A connection to the server that has the key. */
  async take(key: Argument | undefined): Promise<PooledLink> {
    return this.#takeAt(this.#driver.placeOf(key));
  }

  async #takeAt(place: string): Promise<PooledLink> {
    const idle = this.#idle.get(place) ?? [];
    let link = idle.pop();
    while (link !== undefined && !link.isAlive) link = idle.pop();
    link ??= await this.#open(place);
    if (this.#isClosed) link.close();
    this.#busy.add(link);
    return link;
  }

  async #open(place: string): Promise<PooledLink> {
    const link = await this.#driver.connect(place);
    const id = await idOf(link);
    return {
      place,
      id,
      send: (request: Request, format: number) => link.send(request, format),
      execute: (requests: readonly Request[], format: number) => link.execute(requests, format),
      get isAlive() {
        return link.isAlive;
      },
      close: () => link.close(),
    };
  }

  /** The connection must be as it was when it was taken. */
  giveBack(link: PooledLink): void {
    this.#busy.delete(link);
    const idle = this.#idle.get(link.place) ?? [];
    if (this.#isClosed || !link.isAlive || idle.length >= MOST_IDLE) {
      link.close();
      return;
    }
    idle.push(link);
    this.#idle.set(link.place, idle);
  }

  /** A connection of which nobody knows in what state it is. */
  discard(link: PooledLink): void {
    this.#busy.delete(link);
    link.close();
  }

  /**
   * Ends the wait of the command that is under way on the link, as if its time were up; `isOver` tells that it has been
   * answered. Should that not work, the connection is closed.
   */
  async unblock(link: PooledLink, isOver: () => boolean): Promise<void> {
    if (link.id === null) return link.close();
    const timer = setTimeout(() => link.close(), UNBLOCK_MS);
    try {
      const other = await this.#takeAt(link.place);
      // Again while it answers 0: the command may not have arrived yet. The connection must not be closed for that, since
      // an answer that is on its way may be an element that was taken for us.
      while (!isOver() && link.isAlive) {
        const unblocked = await other.send({ command: CLIENT_UNBLOCK, args: [String(link.id)] }, 0);
        if (unblocked === 1) break;
        await new Promise((resolve) => setTimeout(resolve, UNBLOCK_PAUSE_MS));
      }
      this.giveBack(other);
    } catch {
      link.close();
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const link of this.#busy) link.close();
    for (const links of this.#idle.values()) for (const link of links) link.close();
    this.#idle.clear();
    this.#busy.clear();
  }
}

/** A user who may wait but may not do this waits all the same: such a wait ends with its connection. */
async function idOf(link: RemoteLink): Promise<Reply> {
  try {
    return await link.send({ command: CLIENT_ID, args: [] }, 0);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOPERM') return null;
    link.close();
    throw error;
  }
}

const MOST_IDLE = 4;
const UNBLOCK_MS = 1_000;
const UNBLOCK_PAUSE_MS = 10;
