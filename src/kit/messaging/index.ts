/** `sorrel/kit/messaging`: mailboxes and group chats. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type ChatMember,
  type ChatMessage,
  type Chats,
  type ChatsOptions,
  chats,
  type JoinOptions,
  type UnreadOptions,
} from './chats.js';
export {
  type Letter,
  type Mailboxes,
  type MailboxesOptions,
  type MailboxStatus,
  mailboxes,
  type Posted,
  type ReadOptions,
} from './mailboxes.js';
export type { ReceiveMailOptions } from './receiver.js';
export type { ReceiveOptions } from './receiving.js';
