import { type Store, StoreError } from '../../store/index.js';
import { anySignal, jsonOf, KitError, Lease, withinTime } from '../foundation/index.js';
import { CLAIM, type Claim, COMPLETE, PUT, RENEW } from './row-scripts.js';

/** Ms after which a worker looks at the schedule although no message came: one may be lost. */
const MAX_WAIT = 15_000;
/** Ms after an outage until a worker asks again. */
const PAUSE_AFTER_OUTAGE = 500;

export interface RowWorkerSetup {
  readonly store: Store;
  readonly keys: { readonly due: string; readonly every: string; readonly claims: string };
  readonly keyOf: (row: string) => string;
  readonly keep: number;
  readonly channel: string;
  readonly concurrency: number;
  readonly lease: number;
  readonly retry: number;
  readonly signal: AbortSignal | undefined;
  readonly onError: (error: unknown, row: string | undefined) => void;
  load(row: string, context: { readonly signal: AbortSignal }): unknown;
}

/**
 * Takes rows that are due and refreshes them. Between two rows it sleeps until the next one is due; a message wakes it when
 * a row is scheduled.
 */
export class RowWorkerLoop {
  readonly #setup: RowWorkerSetup;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #ended: Promise<void>;
  readonly #scripts;
  #goOn: (() => void) | undefined;
  /** Something happened since the schedule was last read. */
  #isNews = false;

  constructor(setup: RowWorkerSetup) {
    this.#setup = setup;
    const waiting = setup.store.with({ signal: this.#ending.signal });
    this.#scripts = {
      claim: waiting.script(CLAIM),
      complete: setup.store.script(COMPLETE),
      renew: setup.store.script(RENEW),
      put: setup.store.script(PUT),
    };
    const end = (): void => this.#end();
    setup.signal?.addEventListener('abort', end, { once: true });
    if (setup.signal?.aborted === true) end();
    void this.#listen();
    this.#ended = this.#loop().finally(() => setup.signal?.removeEventListener('abort', end));
  }

  async stop(within: number): Promise<void> {
    const { time } = this.#setup.store;
    this.#end();
    const all = this.#ended.then(() => Promise.all(this.#running));
    await withinTime(all, { time, until: time.monotonic() + within, signal: undefined });
  }

  #end(): void {
    this.#ending.abort(new KitError('CLOSED', 'the worker was stopped'));
    this.#wake();
  }

  #wake(): void {
    this.#isNews = true;
    this.#goOn?.();
  }

  /** A lost subscription is made again by the store; until then the worker looks from time to time. */
  async #listen(): Promise<void> {
    const { store, channel } = this.#setup;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const messages = await store.subscribe(channel, { signal, overflow: 'drop-oldest' });
        // A row may have been scheduled before this.
        this.#wake();
        for await (const _ of messages) this.#wake();
        return;
      } catch (error) {
        if (signal.aborted || isClosed(error)) return;
        await new Promise<void>((resolve) => {
          store.time.after(PAUSE_AFTER_OUTAGE, resolve, { background: true });
        });
      }
    }
  }

  async #loop(): Promise<void> {
    const { concurrency, lease, keys, onError } = this.#setup;
    while (!this.#ending.signal.aborted) {
      const room = concurrency - this.#running.size;
      this.#isNews = false;
      let wait = MAX_WAIT;
      if (room > 0) {
        try {
          const since = this.#setup.store.time.monotonic();
          const { next, claims } = await this.#scripts.claim({ ...keys, max: room, lease });
          for (const claim of claims) this.#start(claim, since);
          // A full claim may have left some that are due.
          if (claims.length === room) continue;
          if (next >= 0) wait = Math.min(wait, Math.max(1, next));
        } catch (error) {
          if (this.#ending.signal.aborted || isClosed(error)) break;
          onError(error, undefined);
          wait = PAUSE_AFTER_OUTAGE;
        }
      }
      if (!this.#isNews) await this.#pause(wait);
    }
  }

  /** Ends early when there is news. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        cancel();
        this.#goOn = undefined;
        resolve();
      };
      const cancel = this.#setup.store.time.after(ms, goOn, { background: true });
      this.#goOn = goOn;
    });
  }

  #start(claim: Claim, since: number): void {
    const refresh = this.#refresh(claim, since)
      .catch((error: unknown) => {
        if (!isClosed(error)) this.#setup.onError(error, claim.row);
      })
      .finally(() => {
        this.#running.delete(refresh);
        this.#wake();
      });
    this.#running.add(refresh);
  }

  async #refresh(claim: Claim, since: number): Promise<void> {
    const { store, keys, keyOf, keep, lease: duration, retry, load } = this.#setup;
    const { row, number, every } = claim;
    const lease = new Lease({
      time: store.time,
      what: `the row '${row}'`,
      duration,
      since,
      renew: () => this.#scripts.renew({ ...keys, row, number, lease: duration }),
    });
    let json: string;
    try {
      const signal = anySignal(lease.signal, this.#ending.signal);
      json = encoded(row, await load(row, { signal }));
    } catch (error) {
      await this.#scripts.complete({ ...keys, row, number, ms: Math.min(retry, every) });
      throw error;
    } finally {
      lease.stop();
    }
    const own = { row: keyOf(row), number, ttl: every + keep };
    await this.#scripts.put({ ...own, json });
    const done = await this.#scripts.complete({ ...keys, row, number, ms: json === '' ? -1 : '' });
    // It was removed while it was loaded.
    if (done < 0) await this.#scripts.put({ ...own, json: '' });
  }
}

function encoded(row: string, value: unknown): string {
  if (value === undefined) return '';
  return jsonOf(value, `rowCache: the row '${row}' must be a value that JSON can hold`);
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'CLOSED';
}
