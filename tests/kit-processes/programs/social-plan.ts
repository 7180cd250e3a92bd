/** What the processes of the social network agree on. */
export const USERS = Array.from({ length: 12 }, (_, index) => `user${index}`);
export const SIZE = 20;
/** Short passes and leases, so that much is unfinished when a process is killed, and taken over soon. */
export const NETWORK = { passSize: 3, timelineSize: SIZE, lease: 600, onError: () => {} };
