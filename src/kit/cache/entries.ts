import { type Store, StoreError } from '../../store/index.js';
import {
  type ClaimReply,
  KitError,
  keyNaming,
  Lease,
  newId,
  obtain,
  throwIfAborted,
  timedOut,
  WAITER_ALIVE,
  Wakeups,
} from '../foundation/index.js';
import {
  CLAIM,
  CLEAR_TAG,
  ENTRY_PARTS,
  INVALIDATE,
  PUT,
  RELEASE,
  RENEW,
  TAG_ENTRY,
  TAG_PARTS,
  TELL,
  WITHDRAW,
} from './entry-scripts.js';
import type { CompleteCacheOptions } from './options.js';

/** What a caller gets for an entry. */
export type Grant =
  /** A value. */
  | { readonly kind: 'hit'; readonly hit: Hit }
  /** The caller has to produce the value; `stale` is the old one, if it may still be used. */
  | { readonly kind: 'produce'; readonly production: Production; readonly stale: Hit | undefined }
  /** The producer that the caller waited for has failed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The value cannot be cached, or the server cannot be reached: the caller produces one for itself. */
  | { readonly kind: 'bypass' };

export interface Hit {
  readonly body: Buffer;
  /** Ms for which it is fresh; 0 if it is stale. */
  readonly freshFor: number;
  readonly tags: readonly string[];
}

export interface ClaimOptions {
  readonly wait?: number;
  readonly signal?: AbortSignal | undefined;
  /** Produce a new value even if there is a fresh one. */
  readonly force?: boolean;
}

/** What one attempt returned, before it is a `Grant`. */
type Attempt =
  | { readonly kind: 'hit'; readonly hit: Hit }
  | { readonly kind: 'produce'; readonly stale: Hit | undefined }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'bypass' };

type EntryKeys = Readonly<Record<(typeof ENTRY_PARTS)[number], string>>;

/** Ms for which calls do not ask a server that did not answer. */
const PAUSE_AFTER_OUTAGE = 1_000;
/** Ms between attempts to refresh a value that fail. */
const PAUSE_AFTER_FAILURE = 1_000;
/** No production may take longer, in ms: its tags could have been invalidated and forgotten. */
const MAX_PRODUCTION = 3_600_000;

/**
 * The entries of a cache. For each entry one client at a time, in all processes, produces the value; others wait for it or
 * use the stale one. Invalidating an entry also voids a value that is being produced, since it may be older.
 */
export class Entries {
  readonly store: Store;
  readonly #bytes: Store['bytes'];
  readonly options: CompleteCacheOptions;
  /** The key, and the channel, of invalidations. */
  readonly news: string;
  readonly #keysOf: (name: string) => EntryKeys;
  readonly #tagKeysOf;
  readonly #wakeups: Wakeups;
  readonly #scripts;
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(owner: string, store: Store, options: CompleteCacheOptions) {
    const { prefix, timeout } = options;
    this.store = store.with({ timeout });
    this.options = options;
    this.#keysOf = keyNaming(owner, prefix, ENTRY_PARTS);
    this.#tagKeysOf = keyNaming(owner, `${prefix}-tag`, TAG_PARTS);
    this.news = keyNaming(owner, `${prefix}-news`, ['news'])('all').news;
    this.#wakeups = new Wakeups(store, prefix);
    const { bytes } = this.store;
    this.#bytes = bytes;
    this.#scripts = {
      claim: bytes.script(CLAIM),
      put: this.store.script(PUT),
      release: this.store.script(RELEASE),
      renew: this.store.script(RENEW),
      invalidate: this.store.script(INVALIDATE),
      withdraw: this.store.script(WITHDRAW),
      tagEntry: this.store.script(TAG_ENTRY),
      clearTag: this.store.script(CLEAR_TAG),
      tell: this.store.script(TELL),
    };
  }

  /** Throws if it cannot be the name of a tag. */
  checkTag(tag: string): void {
    this.#tagKeysOf(tag);
  }

  /**
   * Reads a fresh value by a plain command, which costs the server less than a script; undefined if there is none, or if the
   * server has to compare times: without `stale`, an entry that exists is fresh.
   */
  async peek(name: string): Promise<Buffer | undefined> {
    if (this.options.stale > 0 || this.#isAway) return undefined;
    try {
      const body = await this.#bytes.send('HGET', this.#keysOf(name).entry, 'body');
      return body === null ? undefined : (body as Buffer);
    } catch (error) {
      if (!this.#isOutage(error)) throw error;
      return undefined;
    }
  }

  /** Reads an entry, or becomes its producer, or waits for the producer. */
  async claim(name: string, given: ClaimOptions = {}): Promise<Grant> {
    const { wait = this.options.wait, signal, force = false } = given;
    throwIfAborted(signal);
    if (this.#isAway) return { kind: 'bypass' };
    const { time } = this.store;
    const id = newId();
    const keys = this.#keysOf(name);
    if (signal === undefined) {
      // Most calls are hits, and need none of what follows.
      const since = time.monotonic();
      const reply = await this.#attempt(keys, id, 1, '', force);
      if (reply.isGranted) return this.#grantOf(reply.grant, name, id, since);
    }
    const obtained = await obtain<Attempt>({
      what: `the value of '${name}'`,
      time,
      wakeups: this.#wakeups,
      id,
      wait,
      signal,
      claim: ({ channel, attempt }) => this.#attempt(keys, id, attempt, channel, force),
      withdraw: () => this.#scripts.withdraw({ ...keys, id }),
      byMessage: { lease: Number.POSITIVE_INFINITY, grant: outcomeOf },
    });
    if (obtained === undefined) throw timedOut(`the value of '${name}'`, wait);
    return this.#grantOf(obtained.grant, name, id, obtained.since);
  }

  async #attempt(
    keys: EntryKeys,
    id: string,
    attempt: number,
    channel: string,
    force: boolean,
  ): Promise<ClaimReply<Attempt>> {
    const { lease } = this.options;
    const inputs = { ...keys, id, attempt, channel, lease, alive: WAITER_ALIVE, force: force ? 1 : 0 };
    try {
      const { kind, body, ms, tags } = await this.#scripts.claim(inputs);
      if (kind === 'wait') return { isGranted: false, retryIn: Math.max(1, ms) };
      const hit = { body, freshFor: ms, tags: tags === '' ? [] : (JSON.parse(tags) as string[]) };
      if (kind === 'fresh' || kind === 'stale') return granted({ kind: 'hit', hit });
      return granted({ kind: 'produce', stale: kind === 'refresh' ? hit : undefined });
    } catch (error) {
      if (!this.#isOutage(error)) throw error;
      return granted({ kind: 'bypass' });
    }
  }

  #grantOf(grant: Attempt, name: string, id: string, since: number): Grant {
    if (grant.kind !== 'produce') return grant;
    return { ...grant, production: new Production(this, name, id, since) };
  }

  /** Removes an entry in all processes. Returns whether there was a value. */
  async invalidate(name: string): Promise<boolean> {
    const was = await this.#scripts.invalidate(this.#keysOf(name));
    await this.tell(`entry ${name}`);
    return was;
  }

  /** Removes all entries of a tag. Returns how many there were. */
  async invalidateTag(tag: string): Promise<number> {
    const keys = this.#tagKeysOf(tag);
    const number = await this.#scripts.tell({ news: this.news, field: 'era', text: '' });
    const names = await this.#scripts.clearTag({ ...keys, number, remember: MAX_PRODUCTION });
    const were = await Promise.all(names.map((name) => this.#scripts.invalidate(this.#keysOf(name))));
    await this.tell(`tag ${tag}`);
    return were.filter((was) => was).length;
  }

  /** Tells all processes of an invalidation that is done. */
  tell(text: string): Promise<string> {
    return this.#scripts.tell({ news: this.news, field: 'told', text });
  }

  // ---- for productions ----

  async era(): Promise<number> {
    return Number((await this.store.send('HGET', this.news, 'era')) ?? 0);
  }

  renew(name: string, id: string): Promise<boolean> {
    return this.#scripts.renew({ ...this.#keysOf(name), id, lease: this.options.lease });
  }

  async put(name: string, id: string, body: Buffer, tags: readonly string[], era: number): Promise<boolean> {
    const { ttl, stale, jitter, random } = this.options;
    const fresh = Math.max(1, Math.round(ttl * (1 - jitter * random())));
    const inputs = { name, ttl: fresh + stale };
    const eras = await Promise.all(
      tags.map((tag) => this.#scripts.tagEntry({ ...this.#tagKeysOf(tag), ...inputs })),
    );
    if (eras.some((last) => last > era)) return false;
    const keys = this.#keysOf(name);
    return this.#scripts.put({ ...keys, id, fresh, stale, tags: JSON.stringify(tags), body });
  }

  release(name: string, id: string, outcome: string): Promise<unknown> {
    return this.#scripts.release({ ...this.#keysOf(name), id, pause: PAUSE_AFTER_FAILURE, outcome });
  }

  // ---- outages ----

  get #isAway(): boolean {
    return this.store.time.monotonic() < this.#awayUntil;
  }

  /** Whether the error means that the server cannot be reached. Then it is not asked for a while. */
  #isOutage(error: unknown): boolean {
    if (!(error instanceof StoreError)) return false;
    if (error.code !== 'UNREACHABLE' && error.code !== 'TIMEOUT') return false;
    if (!this.#isAway) this.options.onError(error);
    this.#awayUntil = this.store.time.monotonic() + PAUSE_AFTER_OUTAGE;
    return true;
  }
}

/** The right to produce the value of an entry, with a lease that is renewed. End it with `store` or `release`. */
export class Production {
  readonly #entries: Entries;
  readonly #name: string;
  readonly #id: string;
  readonly #since: number;
  readonly #lease: Lease;
  #era: Promise<number> | undefined;

  constructor(entries: Entries, name: string, id: string, since: number) {
    this.#entries = entries;
    this.#name = name;
    this.#id = id;
    this.#since = since;
    this.#lease = new Lease({
      time: entries.store.time,
      what: `the production of '${name}'`,
      duration: entries.options.lease,
      since,
      renew: () => entries.renew(name, id),
    });
  }

  /** For values with tags: returns when the number of the last invalidation is known. What is read after that is newer. */
  async begun(): Promise<void> {
    this.#era = this.#entries.era();
    await this.#era.catch(() => {});
  }

  /** Stores the value. False if it was invalidated meanwhile or could not be stored; errors go to `onError`. */
  async store(body: Buffer, tags: readonly string[]): Promise<boolean> {
    this.#lease.stop();
    const { time } = this.#entries.store;
    const isTooOld = time.monotonic() - this.#since >= MAX_PRODUCTION;
    try {
      const era = (await this.#era) ?? 0;
      const isStored = !isTooOld && (await this.#entries.put(this.#name, this.#id, body, tags, era));
      if (!isStored) await this.#entries.release(this.#name, this.#id, '');
      return isStored;
    } catch (error) {
      this.#entries.options.onError(error);
      return false;
    }
  }

  /** Gives up. Waiters produce values of their own (`bypass`), or fail with the reason. */
  async release(outcome: 'bypass' | { readonly failed: string }): Promise<void> {
    this.#lease.stop();
    const text = outcome === 'bypass' ? outcome : `failed ${outcome.failed.slice(0, MAX_REASON)}`;
    await this.#entries.release(this.#name, this.#id, text).catch(this.#entries.options.onError);
  }
}

/** Characters of an error's text that waiters get. */
const MAX_REASON = 500;

function granted(grant: Attempt): { readonly isGranted: true; readonly grant: Attempt } {
  return { isGranted: true, grant };
}

/** The outcome that `Production.release` sends to waiters. */
function outcomeOf(text: string): Attempt {
  return text === 'bypass' ? { kind: 'bypass' } : { kind: 'failed', reason: text.replace(/^failed /, '') };
}

/** The error of callers that waited for a producer in another place. */
export function producerFailed(name: string, reason: string): KitError {
  return new KitError('PRODUCER', `the client that produced the value of '${name}' failed: ${reason}`);
}
