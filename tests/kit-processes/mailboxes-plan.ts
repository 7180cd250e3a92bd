/** What the processes of the mailboxes' test agree on. */
export const MAILBOX = { name: 'shared', handled: 'mail:handled' } as const;
