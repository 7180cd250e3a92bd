import { escapeGlob } from '../../kit/foundation/boards/key-rows.js';
import type { BoardKind } from '../../kit/foundation/index.js';
import type { Store } from '../../store/index.js';
import { serversOf } from '../../store/servers.js';
import { Pace } from '../pages/pace.js';
import { Instances } from './instances.js';
import { keyNameOf } from './key-name.js';

/** Called with the share that was searched, from 0 to 1. */
type Report = (share: number, isDone: boolean) => Promise<void>;

/** Keys that one SCAN examines. */
const STEP = 100;
/** Reports between two steps of a search, in ms. */
const REPORT_MS = 250;
/** Steps of a search for one instance. */
const MAX_LOOKS = 20;
const LOOK = 1_000;

/**
 * Finds the components in a store by the names of their keys, with SCAN, in short steps. What was found stays when a search is
 * stopped; the next complete search replaces it.
 */
export class Discovery {
  readonly #kinds: readonly BoardKind[];
  #found: Instances;
  #running: Instances | undefined;
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
  async run(store: Store, signal: AbortSignal, report: Report): Promise<void> {
    const running = new Instances(this.#kinds);
    this.#running = running;
    // The first search shows what it finds at once.
    if (!this.isComplete) this.#found = running;
    const typeOf = async (key: string): Promise<string> => String(await store.send('TYPE', key));
    const servers = serversOf(store);
    const pace = new Pace(signal, 'brisk');
    let reportedAt = performance.now();
    for (const [at, server] of servers.entries()) {
      const total = Math.max(1, Number(await server.send('DBSIZE', [], { signal })));
      let examined = 0;
      let cursor = '0';
      do {
        pace.begin();
        const words = [cursor, 'MATCH', '*:{*}:*', 'COUNT', STEP];
        const [next, keys] = (await server.send('SCAN', words, { signal })) as [Buffer, Buffer[]];
        for (const key of keys) note(running, key.toString());
        cursor = next.toString();
        examined += STEP;
        const now = performance.now();
        if (now - reportedAt > REPORT_MS) {
          reportedAt = now;
          await running.recognise(typeOf);
          await report((at + Math.min(1, examined / total)) / servers.length, false);
        }
        if (signal.aborted) return;
        if (cursor !== '0') await pace.pause();
      } while (cursor !== '0' && !signal.aborted);
      if (signal.aborted) return;
    }
    await running.recognise(typeOf);
    if (this.#running === running) {
      this.#found = running;
      this.isComplete = true;
    }
    await report(1, true);
  }

  /** The parts of an instance: those that a search has seen, or those that a short search for this instance finds. */
  async partsOf(store: Store, prefix: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#found.partsOf(prefix, name);
    if (known !== undefined) return known;
    const match = `${escapeGlob(prefix)}:{${escapeGlob(name)}}:*`;
    const parts = new Set<string>();
    for (const server of serversOf(store)) {
      let cursor = '0';
      for (let look = 0; look < MAX_LOOKS; look++) {
        const words = [cursor, 'MATCH', match, 'COUNT', LOOK];
        const [next, keys] = (await server.send('SCAN', words, { signal })) as [Buffer, Buffer[]];
        for (const key of keys) parts.add(keyNameOf(key.toString())?.part ?? '');
        cursor = next.toString();
        if (cursor === '0') break;
      }
    }
    parts.delete('');
    return [...parts];
  }
}

function note(instances: Instances, key: string): void {
  const name = keyNameOf(key);
  if (name !== undefined) instances.add(key, name);
}
