import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows users of the social network. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'social', title: 'Social network', about: 'users and timelines', prefix: 'social' },
    parts: {
      user: { type: 'hash', title: 'User' },
      posts: { type: 'zset', title: 'Statuses', isDescending: true, detail: 'status' },
      status: { type: 'hash', title: 'Status', isInternal: true },
      likes: { type: 'zset', title: 'Likes', isInternal: true },
      pending: { type: 'hash', title: 'Being spread' },
      followers: { type: 'zset', title: 'Followers', isDescending: true },
      listed: { type: 'zset', title: 'In lists' },
      following: { type: 'zset', title: 'Following', isDescending: true },
      blocked: { type: 'zset', title: 'Blocked' },
      home: { type: 'zset', title: 'Home timeline', isDescending: true },
      floor: { type: 'string', title: 'Floor', isInternal: true },
      lists: { type: 'hash', title: 'Lists' },
      members: { type: 'zset', title: 'Members of list' },
      statuses: { type: 'zset', title: 'Timeline of list', isDescending: true },
    },
  }),
];
