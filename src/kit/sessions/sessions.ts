import type { Store } from '../../store/index.js';
import {
  checkStore,
  EvictionGuard,
  KitError,
  keyNaming,
  resolveOptions,
  shown,
  withinTime,
} from '../foundation/index.js';
import { cleanOnce, type OldestRequest, type SessionCleaner, startCleaner } from './cleaning.js';
import {
  CLEAN_RULES,
  type CleanOptions,
  CREATE_RULES,
  type CreateOptions,
  KEEP_CLEAN_RULES,
  type KeepCleanOptions,
  REVOKE_USER_RULES,
  type RevokeUserOptions,
  ROTATE_RULES,
  type RotateOptions,
  RULES,
  resolveTouch,
  type SessionsOptions,
  type TouchOptions,
} from './options.js';
import {
  changesOf,
  type NewSession,
  newToken,
  type Place,
  placeOf,
  placeOfId,
  type Session,
  sessionOf,
  valueIn,
} from './session-record.js';
import {
  CREATE,
  DROP,
  DROP_UNSEEN,
  type Dropped,
  OLDEST,
  recordIn,
  TOUCH,
  UPDATE,
} from './session-scripts.js';
import { UserIndex } from './user-index.js';

/**
 * Sessions of visitors and users. A session ends after `idle` ms without a visit, and after `lifetime` ms in any case; what
 * belongs to it (viewed items, carts) ends with it. Methods that take a token return undefined or false if there is no such
 * session.
 */
export interface Sessions<Data extends object = Record<string, unknown>> {
  /**
   * Creates a session. Send its token to the visitor in a cookie.
   *
   * @example
   * const { token } = await sessions(store).create({ user: 'ann', data: { theme: 'dark' } });
   */
  create(options?: CreateOptions<Data>): Promise<NewSession<Data>>;
  /**
   * Notes a visit, so that the session does not end for another `idle` ms, and the item that the visitor looks at.
   * One round trip.
   *
   * @example
   * const all = sessions(store);
   * const { token } = await all.create();
   * await all.touch(token, { item: 'book:7' });
   * await all.viewed(token); // ['book:7']
   */
  touch(token: string, options?: TouchOptions): Promise<Session<Data> | undefined>;
  /** Reads a session. It does not count as a visit. */
  get(token: string): Promise<Session<Data> | undefined>;
  /**
   * Changes fields of the data and keeps the others, so that two requests can change different fields at once. `undefined`
   * removes a field. Counts as a visit.
   *
   * @example
   * const all = sessions<{ theme: string; step: number }>(store);
   * const { token } = await all.create({ data: { theme: 'dark' } });
   * (await all.update(token, { step: 2 }))?.data; // { theme: 'dark', step: 2 }
   */
  update(token: string, changes: Partial<Data>): Promise<Session<Data> | undefined>;
  /**
   * Gives a session another token and revokes the old one: always do so when a visitor logs in, so that a token that was
   * planted before is worth nothing. Data and what belongs to the session are kept.
   */
  rotate(token: string, options?: RotateOptions): Promise<NewSession<Data> | undefined>;
  /** The items that the visitor has looked at, most recent first. */
  viewed(token: string): Promise<string[]>;
  /** Ends a session, with what belongs to it. Returns whether there was one. */
  revoke(token: string): Promise<boolean>;
  /** Ends a session by its id, as `ofUser` returns it. */
  revokeById(id: string): Promise<boolean>;
  /** Ends all sessions of a user. Returns how many there were. */
  revokeUser(user: string, options?: RevokeUserOptions): Promise<number>;
  /** All sessions of a user, most recently seen first. */
  ofUser(user: string): Promise<Session<Data>[]>;
  /** The number of sessions. Those that reached their `lifetime` may be counted for up to `idle` ms more. */
  count(): Promise<number>;
  /**
   * Removes sessions beyond `limit`, least recently seen first, with what belongs to them. A session that is visited
   * meanwhile stays. Any number of processes may clean at once. Returns how many were removed.
   */
  clean(options?: CleanOptions): Promise<number>;
  /**
   * Cleans repeatedly until it is stopped.
   *
   * @example
   * const cleaner = sessions(store, { limit: 1_000_000 }).keepClean({ every: 10_000 });
   * await cleaner.stop();
   */
  keepClean(options?: KeepCleanOptions): SessionCleaner;
}

/** What other parts of the kit use of sessions: the express-session store, and components whose data belongs to sessions. */
export interface SessionInternals {
  readonly store: Store;
  readonly lifetime: number;
  /** The inputs of a script on a session: keys and id. */
  place(token: string): { readonly recent: string; readonly shard: string; readonly id: string };
  /** Creates a session or replaces its data; false if it was revoked. */
  put(token: string, data: object, user: string | undefined, idle: number): Promise<boolean>;
  get(token: string): Promise<Session<object> | undefined>;
  update(token: string, changes: object): Promise<unknown>;
  all(): Promise<Session<object>[]>;
}

const internals = new WeakMap<object, SessionInternals>();

export function internalsOf(owner: string, sessions: unknown): SessionInternals {
  const found = typeof sessions === 'object' && sessions !== null ? internals.get(sessions) : undefined;
  if (found !== undefined) return found;
  throw new KitError('OPTION', `${owner}: pass the result of \`sessions(store)\`, not ${shown(sessions)}`);
}

/**
 * Sessions in a store.
 *
 * @example
 * import { open } from 'sorrel';
 * import { sessions } from 'sorrel/kit/sessions';
 *
 * await using store = await open();
 * const all = sessions<{ theme: string }>(store, { idle: 3_600_000 });
 * const { token } = await all.create({ user: 'ann' });
 * (await all.touch(token))?.user; // 'ann'
 * await all.revokeUser('ann'); // 1
 */
export function sessions<Data extends object = Record<string, unknown>>(
  store: Store,
  given: SessionsOptions = {},
): Sessions<Data> {
  checkStore('sessions', store);
  const options = resolveOptions('sessions', given, RULES);
  const { prefix, idle, lifetime, limit, viewed: kept, shards } = options;
  const keysOf = keyNaming('sessions', prefix, ['recent', '']);
  const shardKeys = Array.from({ length: shards }, (_, shard) => {
    const { recent, '': base } = keysOf(`${shard}`);
    return { recent, shard: base };
  });
  const keysIn = (shard: number) => shardKeys[shard] as (typeof shardKeys)[number];
  const users = new UserIndex(store, prefix, lifetime);
  const create = new EvictionGuard(store, 'sessions', options).before(store.script(CREATE));
  const touch = store.script(TOUCH);
  const update = store.script(UPDATE);
  const drop = store.script(DROP);
  const dropUnseen = store.script(DROP_UNSEEN);
  const list = store.script(OLDEST);

  /** Field by field: spreading takes longer. */
  function inShard({ id, shard: number }: Place) {
    const { recent, shard } = keysIn(number);
    return { recent, shard, id };
  }
  const placeFor = (token: string) => inShard(placeOf(token, shards));
  const keyOf = ({ id, shard }: Place, name: string): string => `${keysIn(shard).shard}${name}:${id}`;

  async function read(place: Place): Promise<Session<Data> | undefined> {
    const [fields, seen] = await Promise.all([
      store.send('HGETALL', keyOf(place, 'record')),
      store.send('ZSCORE', keysIn(place.shard).recent, place.id),
    ]);
    const record = recordIn(fields);
    if (record === undefined) return undefined;
    return sessionOf(place.id, typeof seen === 'string' ? [...record, 'seen', seen] : record);
  }

  async function begin(token: string, user: string | undefined, fields: string[]): Promise<NewSession<Data>> {
    const place = placeOf(token, shards);
    if (user !== undefined && (await users.note(user, place.id))) await ofUser(user);
    const limits = { idle, lifetime, maxIdle: idle };
    const record = await create({ ...inShard(place), ...limits, user: user ?? '', expected: 'new', fields });
    return { ...sessionOf<Data>(place.id, record ?? []), token };
  }

  /** Also removes sessions that were dropped from the index of their users. Returns how many there were. */
  async function forget(dropping: Promise<Dropped>): Promise<number> {
    const { count, byUser } = await dropping;
    if (byUser.size > 0) await Promise.all([...byUser].map(([user, its]) => users.remove(user, its)));
    return count;
  }

  const remove = (shard: number, ids: readonly string[], { unseenSince = 0, refuse = REFUSE } = {}) =>
    forget(drop({ ...keysIn(shard), unseenSince, refuse, ids }));

  /** The least recently seen sessions of every shard. */
  const oldest = (request: OldestRequest) =>
    Promise.all(shardKeys.map((keys) => list({ ...keys, idle, ...request })));

  const removeOne = async ({ shard, id }: Place): Promise<boolean> => (await remove(shard, [id])) > 0;

  async function ofUser(user: string): Promise<Session<Data>[]> {
    const ids = await users.ids(user);
    const found = await Promise.all(ids.map((id) => read(placeOfId(id, shards))));
    await users.forgetMissing(
      user,
      ids.filter((_, at) => found[at]?.user !== user),
    );
    return found
      .filter((session): session is Session<Data> => session?.user === user)
      .sort((a, b) => b.seenAt.getTime() - a.seenAt.getTime());
  }

  async function clean(signal: AbortSignal | undefined): Promise<number> {
    const pass = cleanOnce(
      {
        limit,
        shards,
        oldest,
        dropUnseen: (shard, before) => forget(dropUnseen({ ...keysIn(shard), before })),
        drop: (shard, ids, moment) => remove(shard, ids, { unseenSince: moment, refuse: 0 }),
      },
      signal,
    );
    // Ends when the signal aborts, although the server may not answer.
    const until = Number.POSITIVE_INFINITY;
    return (await withinTime(pass, { time: store.time, until, signal })) as number;
  }

  async function copyBelongings(from: Place, to: Place, names: readonly string[]): Promise<void> {
    const left = await store.send<number>('PTTL', keyOf(to, 'record'));
    for (const name of names) {
      const content = await store.bytes.send('DUMP', keyOf(from, name));
      if (content === null || left <= 0) continue;
      await store.send('RESTORE', keyOf(to, name), left, content as Buffer, 'REPLACE');
    }
  }

  const all: Sessions<Data> = {
    create: async (given = {}) => {
      const { user, data = {} } = resolveOptions('create', given, CREATE_RULES);
      if (user !== undefined) users.check(user);
      return begin(newToken(), user, changesOf(data).set);
    },
    touch: async (token, given) => {
      const { item } = resolveTouch(given);
      const { recent, shard, id } = placeFor(token);
      const hasItem = item === undefined ? 0 : 1;
      const record = await touch({ recent, shard, id, hasItem, item: item ?? '', kept });
      return record === undefined ? undefined : sessionOf(id, record);
    },
    get: async (token) => read(placeOf(token, shards)),
    update: async (token, changes) => {
      const { removed, set } = changesOf(changes);
      const place = placeFor(token);
      const record = await update({ ...place, removed: removed.length, changes: [...removed, ...set] });
      return record === undefined ? undefined : sessionOf(place.id, record);
    },
    rotate: async (token, given = {}) => {
      const { user } = resolveOptions('rotate', given, ROTATE_RULES);
      if (user !== undefined) users.check(user);
      const old = placeOf(token, shards);
      const record = recordIn(await store.send('HGETALL', keyOf(old, 'record')));
      if (record === undefined) return undefined;
      const kept = record.filter((_, at) => /^(with$|d:)/.test(record[at - (at % 2)] as string));
      const next = newToken();
      const created = await begin(next, user ?? valueIn(record, 'user'), kept);
      const names = (valueIn(record, 'with') ?? '').split(' ').filter((name) => name !== '');
      await copyBelongings(old, placeOf(next, shards), names);
      await removeOne(old);
      return created;
    },
    viewed: async (token) => {
      const key = keyOf(placeOf(token, shards), 'viewed');
      return (await store.send('ZRANGE', key, 0, -1, 'REV')) as string[];
    },
    revoke: async (token) => removeOne(placeOf(token, shards)),
    revokeById: async (id) => removeOne(placeOfId(id, shards)),
    revokeUser: async (user, given = {}) => {
      const { except } = resolveOptions('revokeUser', given, REVOKE_USER_RULES);
      const kept = except === undefined ? undefined : placeOf(except, shards).id;
      const ids = (await users.ids(user)).filter((id) => id !== kept);
      const ended = await Promise.all(ids.map((id) => removeOne(placeOfId(id, shards))));
      return ended.filter((was) => was).length;
    },
    ofUser: async (user) => ofUser(user),
    count: async () => {
      const listings = await oldest({ rank: 0, count: 0 });
      return listings.reduce((sum, listing) => sum + listing.count, 0);
    },
    clean: async (given = {}) => clean(resolveOptions('clean', given, CLEAN_RULES).signal),
    keepClean: (given = {}) => {
      const { every, signal, onError } = resolveOptions('keepClean', given, KEEP_CLEAN_RULES);
      return startCleaner({ time: store.time, every, signal, onError, clean });
    },
  };

  internals.set(all, {
    store,
    lifetime,
    place: placeFor,
    put: async (token, data, user, ends) => {
      const place = placeOf(token, shards);
      if (user !== undefined && (await users.note(user, place.id))) await ofUser(user);
      const fields = changesOf(data).set;
      const limits = { idle: Math.max(1, Math.min(idle, ends)), lifetime, maxIdle: idle };
      const inputs = { ...inShard(place), ...limits, user: user ?? '', expected: 'any', fields };
      return (await create(inputs)) !== undefined;
    },
    get: all.get,
    update: (token, changes) => all.update(token, changes as Partial<Data>),
    all: async () => {
      const ids = await Promise.all(shardKeys.map(({ recent }) => store.send('ZRANGE', recent, 0, -1)));
      const found = await Promise.all((ids.flat() as string[]).map((id) => read(placeOfId(id, shards))));
      return found.filter((session): session is Session<Data> => session !== undefined);
    },
  });
  return all;
}

/** Ms for which a request that is still running cannot bring back a revoked session. */
const REFUSE = 600_000;
