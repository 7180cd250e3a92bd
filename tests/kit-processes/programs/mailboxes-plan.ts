/** Constants that the processes of mailboxes.test.ts share. */
export const MAILBOX = { name: 'shared', handled: 'mail:handled' } as const;
