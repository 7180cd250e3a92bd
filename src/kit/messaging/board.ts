import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows mailboxes and chats. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'mailbox', title: 'Mailboxes', about: 'unread messages', prefix: 'mailbox' },
    parts: { box: { type: 'stream', title: 'Unread' } },
  }),
  keyBoard({
    ...{ kind: 'chat', title: 'Chats', about: 'members and messages', prefix: 'chat' },
    parts: {
      members: {
        ...{ type: 'zset', title: 'Members' },
        columns: [{ title: 'Member' }, { title: 'Has read up to', format: 'number' }],
      },
      messages: { type: 'stream', title: 'Messages' },
      last: { type: 'string', title: 'Newest message' },
    },
  }),
  keyBoard({
    ...{ kind: 'chat-member', title: 'Chats of members', about: 'by member', prefix: 'chat-member' },
    parts: { joined: { type: 'set', title: 'Chats' } },
  }),
];
