import { callback, KitError, optional, resolveOptions, shown } from '../foundation/index.js';
import { internalsOf, type Sessions } from './sessions.js';

/** What express-session stores: its cookie, and the program's data. */
export interface ExpressSessionData {
  cookie: { maxAge?: number | null | undefined; originalMaxAge?: number | null | undefined };
}

type Done<T = void> = (error?: unknown, result?: T) => void;

/** The methods that express-session calls. */
export interface ExpressSessionStore<SessionData extends ExpressSessionData> {
  get(sid: string, done: Done<SessionData | null>): void;
  set(sid: string, session: SessionData, done?: Done): void;
  touch(sid: string, session: SessionData, done?: Done): void;
  destroy(sid: string, done?: Done): void;
  all(done: Done<SessionData[]>): void;
  length(done: Done<number>): void;
}

/** The module `express-session`, of which only the base class of stores is used. */
export interface ExpressSessionModule<Base extends object> {
  readonly Store: abstract new () => Base;
}

/** The type of sessions, as programs extend it in the types of express-session. */
export type ExpressDataOf<Base> = Base extends { get(sid: string, callback: infer Callback): unknown }
  ? Callback extends (error: never, ...rest: infer Rest) => void
    ? NonNullable<Rest[0]> & ExpressSessionData
    : ExpressSessionData
  : ExpressSessionData;

export interface ExpressStoreOptions<SessionData extends ExpressSessionData> {
  /**
   * The user that a session belongs to, so that `ofUser` and `revokeUser` find it; undefined if no user is logged in.
   * Default: sessions without users.
   */
  readonly userOf?: (session: SessionData) => string | undefined;
}

/**
 * A store for express-session. A session ends after the `idle` time of `sessions` or with its cookie, whichever is first. A
 * request that is still running when its session is revoked cannot bring it back.
 *
 * @example
 * import session from 'express-session';
 *
 * const all = sessions(store, { idle: 3_600_000 });
 * const middleware = session({
 *   store: expressStore(session, all, { userOf: (session) => session.user }),
 *   secret: 'a key of 16 or more characters',
 *   resave: false,
 *   saveUninitialized: false,
 * });
 */
export function expressStore<Base extends object>(
  session: ExpressSessionModule<Base>,
  sessions: Pick<Sessions, 'revoke' | 'count'>,
  given: ExpressStoreOptions<ExpressDataOf<Base>> = {},
): Base & ExpressSessionStore<ExpressDataOf<Base>> {
  type SessionData = ExpressDataOf<Base>;
  if (typeof (session as { Store?: unknown } | undefined)?.Store !== 'function') {
    throw new KitError(
      'OPTION',
      `expressStore: the first argument is the module express-session, not ${shown(session)}`,
    );
  }
  const { put, get, update, all } = internalsOf('expressStore', sessions);
  const { userOf } = resolveOptions('expressStore', given, {
    userOf: optional(callback<(session: SessionData) => string | undefined>()),
  });

  /** Ms until the cookie ends, which express-session computes. */
  const left = ({ cookie }: SessionData): number =>
    cookie?.maxAge ?? cookie?.originalMaxAge ?? Number.POSITIVE_INFINITY;

  const methods: ExpressSessionStore<SessionData> = {
    get: (sid, done) => {
      answer(
        get(sid).then((found) => (found === undefined ? null : (found.data as SessionData))),
        done,
      );
    },
    set: (sid, data, done) => {
      const save = async (): Promise<void> => {
        if (left(data) <= 0) await sessions.revoke(sid);
        else await put(sid, data, userOf?.(data), left(data));
      };
      answer(save(), done);
    },
    touch: (sid, data, done) => {
      // Express gives the cookie a new end with each visit.
      answer(
        update(sid, { cookie: data.cookie }).then(() => undefined),
        done,
      );
    },
    destroy: (sid, done) => {
      answer(
        sessions.revoke(sid).then(() => undefined),
        done,
      );
    },
    all: (done) =>
      answer(
        all().then((found) => found.map(({ data }) => data as SessionData)),
        done,
      ),
    length: (done) => answer(sessions.count(), done),
  };
  const Base = session.Store as new () => Base;
  return Object.assign(new Base(), methods);
}

/** Calls back, outside the promise: an error that the callback throws is not an error of the store. */
function answer<T>(promise: Promise<T>, done: Done<T> | undefined): void {
  promise.then(
    (result) => process.nextTick(() => done?.(null, result)),
    (error: unknown) => process.nextTick(() => done?.(error)),
  );
}
