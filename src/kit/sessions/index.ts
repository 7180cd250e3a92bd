/** `sorrel/kit/sessions`: sessions of visitors and users, with cookies and for express, fastify, node:http and fetch. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { SessionCleaner } from './cleaning.js';
export {
  type ExpressDataOf,
  type ExpressSessionData,
  type ExpressSessionModule,
  type ExpressSessionStore,
  type ExpressStoreOptions,
  expressStore,
} from './express-store.js';
export type {
  CleanOptions,
  CreateOptions,
  KeepCleanOptions,
  RevokeUserOptions,
  RotateOptions,
  SessionsOptions,
  TouchOptions,
} from './options.js';
export type { NewSession, Session } from './session-record.js';
export { type Sessions, sessions } from './sessions.js';
export type { CookieOptions } from './signed-cookies.js';
export {
  type FastifyReplyLike,
  type FetchHandler,
  type NodeRequest,
  type NodeResponse,
  type SessionCookies,
  sessionCookies,
} from './web.js';
export type { WebSession } from './web-session.js';
