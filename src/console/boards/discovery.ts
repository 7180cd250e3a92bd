import { setTimeout as sleep } from 'node:timers/promises';
import { escapeGlob } from '../../kit/foundation/boards/key-rows.js';
import type { BoardKind } from '../../kit/foundation/index.js';
import type { Store } from '../../store/index.js';
import { serversOf } from '../../store/servers.js';
import { shareOf } from '../pages/keys/scan.js';
import { Pace, type Speed } from '../pages/pace.js';
import { Instances } from './instances.js';
import { keyNameOf } from './key-name.js';

/** Called with the share that was searched, from 0 to 1. */
type Report = (share: number, isDone: boolean) => Promise<void>;

interface RunOptions {
  /** Default `gentle`. */
  readonly speed?: Speed;
  /** Begins again, also if a search was stopped before its end. Default false: goes on with that one. */
  readonly again?: boolean;
}

/** The time between two reports of a search, in ms. */
const REPORT_MS = 250;
/** Keys that a search for one instance examines. */
const MAX_EXAMINED = 20_000;
/** What such a search found is used for this long, in ms. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

interface FoundParts {
  readonly parts: readonly string[];
  readonly at: number;
}

/** A search of the whole store, as far as it has come. */
interface Walk {
  readonly found: Instances;
  /** The names of the servers: if they change, the walk begins again. */
  readonly names: string;
  /** The current one, and how it is searched; all are done if there is none. */
  server: number;
  cursor: string;
  share: number;
}

/**
 * Finds the components in a store by the names of their keys, with SCAN, in short steps. What was found stays when a search is
 * stopped, and the next one goes on from there. All pages that wait for a search share one.
 */
export class Discovery {
  readonly #kinds: readonly BoardKind[];
  #found: Instances;
  /** A search that has not come to its end. */
  #walk: Walk | undefined;
  /** The call of `run` that takes the steps: the latest one, which knows how fast a person wants it to be. */
  #driver: symbol | undefined;
  /** The parts of instances that no search of the whole store has seen, by prefix and name. */
  readonly #parts = new Map<string, FoundParts>();
  /** A search has come to its end. */
  isComplete = false;

  constructor(kinds: readonly BoardKind[]) {
    this.#kinds = kinds;
    this.#found = new Instances(kinds);
  }

  get found(): Instances {
    return this.#found;
  }

  /** Searches the whole store, until the signal stops it. */
  async run(
    store: Store,
    signal: AbortSignal,
    report: Report,
    { speed = 'gentle', again = false }: RunOptions = {},
  ): Promise<void> {
    this.#begin(store, again);
    const pace = new Pace(signal, speed);
    const own = Symbol('driver');
    this.#driver = own;
    let reportedAt = performance.now();
    try {
      for (let walk = this.#walk; walk !== undefined && !signal.aborted; walk = this.#walk) {
        // The one that took the steps may have left.
        this.#driver ??= own;
        if (this.#driver === own) await this.#step(store, walk, pace, signal);
        else await sleep(REPORT_MS, undefined, { signal }).catch(() => {});
        const now = performance.now();
        if (now - reportedAt > REPORT_MS) {
          reportedAt = now;
          await walk.found.recognise(async (key) => String(await store.send('TYPE', key)));
          await report(walk.share, false);
        }
      }
    } finally {
      if (this.#driver === own) this.#driver = undefined;
    }
    if (!signal.aborted) await report(1, true);
  }

  #begin(store: Store, again: boolean): void {
    const names = serversOf(store)
      .map(({ name }) => name)
      .join();
    if (this.#walk !== undefined && !again && this.#walk.names === names) return;
    const walk: Walk = { found: new Instances(this.#kinds), names, server: 0, cursor: '0', share: 0 };
    this.#walk = walk;
    // The first search shows what it finds at once.
    if (!this.isComplete) this.#found = walk.found;
  }

  async #step(store: Store, walk: Walk, pace: Pace, signal: AbortSignal): Promise<void> {
    const servers = serversOf(store);
    const server = servers[walk.server];
    if (server === undefined) return this.#finish(store, walk);
    const words = [walk.cursor, 'MATCH', '*:{*}:*', 'COUNT', pace.begin()];
    const [next, keys] = (await server.send('SCAN', words, { signal })) as [Buffer, Buffer[]];
    for (const key of keys) note(walk.found, key.toString());
    walk.cursor = next.toString();
    if (walk.cursor === '0') walk.server++;
    walk.share = (walk.server + shareOf(walk.cursor)) / servers.length;
    await pace.pause();
  }

  async #finish(store: Store, walk: Walk): Promise<void> {
    await walk.found.recognise(async (key) => String(await store.send('TYPE', key)));
    if (this.#walk !== walk) return;
    this.#found = walk.found;
    this.#walk = undefined;
    this.isComplete = true;
  }

  /**
   * The parts of an instance: those that a search has seen, or those that a short search for this instance finds. A page asks repeatedly, so that what
   * was found is kept for a minute.
   */
  async partsOf(store: Store, prefix: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#found.partsOf(prefix, name);
    if (known !== undefined) return known;
    const id = `${prefix}:{${name}}`;
    const now = performance.now();
    const kept = this.#parts.get(id);
    if (kept !== undefined && now - kept.at < KEPT_MS) return kept.parts;
    const parts = await lookFor(store, prefix, name, signal);
    if (this.#parts.size >= MAX_KEPT) this.#parts.clear();
    if (!signal.aborted) this.#parts.set(id, { parts, at: now });
    return parts;
  }
}

/** The parts of one instance among the first keys of each server. */
async function lookFor(
  store: Store,
  prefix: string,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const match = `${escapeGlob(prefix)}:{${escapeGlob(name)}}:*`;
  const parts = new Set<string>();
  for (const server of serversOf(store)) {
    const pace = new Pace(signal, 'brisk');
    let cursor = '0';
    let examined = 0;
    do {
      const step = pace.begin();
      const words = [cursor, 'MATCH', match, 'COUNT', step];
      const [next, keys] = (await server.send('SCAN', words, { signal })) as [Buffer, Buffer[]];
      for (const key of keys) parts.add(keyNameOf(key.toString())?.part ?? '');
      cursor = next.toString();
      examined += step;
      if (cursor !== '0' && examined < MAX_EXAMINED) await pace.pause();
    } while (cursor !== '0' && examined < MAX_EXAMINED && !signal.aborted);
  }
  parts.delete('');
  return [...parts];
}

function note(instances: Instances, key: string): void {
  const name = keyNameOf(key);
  if (name !== undefined) instances.add(key, name);
}
