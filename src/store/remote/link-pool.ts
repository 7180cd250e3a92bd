import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { Reply, Request } from '../transport.js';
import { ASKING } from './asking.js';
import type { RemoteDriver, RemoteLink } from './remote-driver.js';

const CLIENT_ID: WireCommand = { words: ['CLIENT', 'ID'] };
const CLIENT_UNBLOCK: WireCommand = { words: ['CLIENT', 'UNBLOCK'] };
const PING: WireCommand = { words: ['PING'] };

/** A link that is returned to the pool when it is no longer needed. */
export interface PooledLink extends RemoteLink {
  readonly place: string;
  /** The connection's id in the server; null if the user may not call CLIENT ID. */
  readonly id: Reply;
}

/** Connections that serve one call at a time. A few idle ones are kept for later calls. */
export class LinkPool {
  readonly #driver: RemoteDriver;
  readonly #idle = new Map<string, PooledLink[]>();
  readonly #busy = new Set<PooledLink>();
  readonly #closing = new AbortController();

  constructor(driver: RemoteDriver) {
    this.#driver = driver;
  }

  /** Returns an idle or a new connection to this server. */
  async take(place: string): Promise<PooledLink> {
    const idle = this.#idle.get(place) ?? [];
    let link = idle.pop();
    while (link !== undefined && !link.isAlive) link = idle.pop();
    link ??= await this.#open(place);
    if (this.#closing.signal.aborted) link.close();
    this.#busy.add(link);
    return link;
  }

  async #open(place: string): Promise<PooledLink> {
    const link = await this.#driver.connect(place, this.#closing.signal);
    const pooled = new ConnectedLink(link, place);
    // The pool can close the connection while it waits for the id.
    this.#busy.add(pooled);
    try {
      pooled.id = await idOf(link);
      return pooled;
    } finally {
      this.#busy.delete(pooled);
    }
  }

  /** Returns a connection to the pool. It must be in the same state as when it was taken. */
  giveBack(link: PooledLink): void {
    this.#busy.delete(link);
    const idle = this.#idle.get(link.place) ?? [];
    if (this.#closing.signal.aborted || !link.isAlive || idle.length >= MAX_IDLE) {
      link.close();
      return;
    }
    idle.push(link);
    this.#idle.set(link.place, idle);
  }

  /** Closes a connection whose state is unknown. */
  discard(link: PooledLink): void {
    this.#busy.delete(link);
    link.close();
  }

  /**
   * Ends the blocked command on the link as if it had timed out. `isOver` says whether it has been answered. If this takes
   * longer than a second, the connection is closed.
   */
  async unblock(link: PooledLink, isOver: () => boolean): Promise<void> {
    if (link.id === null) return link.close();
    const pause = new AbortController();
    const late = systemTime.sleep(UNBLOCK_MS, { signal: pause.signal }).then(
      () => link.close(),
      () => {},
    );
    await Promise.race([this.#unblock(link, isOver).catch(() => link.close()), late]);
    pause.abort();
  }

  async #unblock(link: PooledLink, isOver: () => boolean): Promise<void> {
    const other = await this.take(link.place);
    try {
      // Repeat while it answers 0: the command may not have arrived yet. Do not close the connection in this case: a reply
      // on its way may hold an element that was removed for the caller.
      while (!isOver() && link.isAlive) {
        const unblocked = await other.send({ command: CLIENT_UNBLOCK, args: [String(link.id)] }, 0);
        if (unblocked === 1) break;
        await systemTime.sleep(UNBLOCK_PAUSE_MS);
      }
    } finally {
      this.giveBack(other);
    }
  }

  /** Whether the server answers within `limit` ms. */
  async probe(place: string, limit: number): Promise<boolean> {
    const end = new AbortController();
    const silence = systemTime.sleep(Math.min(limit, MAX_PROBE_MS), { signal: end.signal }).then(
      () => false,
      () => false,
    );
    const answers = await Promise.race([silence, this.#ping(place)]);
    end.abort();
    return answers;
  }

  async #ping(place: string): Promise<boolean> {
    try {
      const link = await this.take(place);
      await link.send({ command: PING, args: [] }, 0);
      this.giveBack(link);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#closing.abort();
    for (const link of this.#busy) link.close();
    for (const links of this.#idle.values()) for (const link of links) link.close();
    this.#idle.clear();
    this.#busy.clear();
  }
}

class ConnectedLink implements PooledLink {
  readonly place: string;
  id: Reply = null;
  readonly #link: RemoteLink;

  constructor(link: RemoteLink, place: string) {
    this.#link = link;
    this.place = place;
  }

  send(request: Request, format: number): Promise<Reply> {
    return this.#link.send(request, format);
  }

  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return this.#link.sendMany(requests, format);
  }

  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return this.#link.execute(requests, format);
  }

  get isAlive(): boolean {
    return this.#link.isAlive;
  }

  onEnd(listener: (error: Error | undefined) => void): void {
    this.#link.onEnd(listener);
  }

  close(): void {
    this.#link.close();
  }
}

/** Sends ASKING before each request, so that it may use a slot that is being moved to the server. */
export function asking(link: PooledLink): Pick<RemoteLink, 'send' | 'execute'> {
  const ask = (): void => {
    link.send({ command: ASKING, args: [] }, 0).catch(() => {});
  };
  return {
    send: (request, format) => {
      ask();
      return link.send(request, format);
    },
    execute: (requests, format) => {
      ask();
      return link.execute(requests, format);
    },
  };
}

/** Null if the user may not call CLIENT ID. Blocking commands still work then; to end one, its connection is closed. */
async function idOf(link: RemoteLink): Promise<Reply> {
  try {
    return await link.send({ command: CLIENT_ID, args: [] }, 0);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOPERM') return null;
    link.close();
    throw error;
  }
}

const MAX_IDLE = 4;
/** The limit of a probe for stores whose commands have none. */
const MAX_PROBE_MS = 10_000;
const UNBLOCK_MS = 1_000;
const UNBLOCK_PAUSE_MS = 10;
