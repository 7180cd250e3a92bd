/** `sorrel/kit/social`: users, statuses and timelines of a social network. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { UserList } from './lists.js';
export type { NetworkEvent, NetworkOptions } from './options.js';
export type { PageOptions, StatusPage, UserPage } from './reading.js';
export type { FollowOutcome } from './relations.js';
export {
  type PostOptions,
  type SignUpOptions,
  type SocialNetwork,
  type Status,
  socialNetwork,
  type User,
} from './social-network.js';
