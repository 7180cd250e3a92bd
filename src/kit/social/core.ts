import type { Store } from '../../store/index.js';
import { EvictionGuard, KitError, keyNaming } from '../foundation/index.js';
import type { Feed } from './names.js';
import type { NetworkOptions, ResolvedNetworkOptions } from './options.js';
import * as definitions from './scripts.js';

/** All keys of a user. `status`, `likes`, `members`, `statuses` and `floors` are prefixes of further keys. */
const PARTS = [
  'user',
  'posts',
  'pending',
  'status',
  'likes',
  'followers',
  'following',
  'blocked',
  'home',
  'floor',
  'listed',
  'lists',
  'members',
  'statuses',
] as const;

/** What the parts of the network share: keys, scripts and options. */
export type Core = ReturnType<typeof createCore>;

export function createCore(store: Store, options: ResolvedNetworkOptions) {
  const { prefix } = options;
  const guard = new EvictionGuard(store, 'socialNetwork', options);
  return {
    store,
    options,
    onEvent: options.onEvent as NetworkOptions['onEvent'],
    /** How old a message from one user's slot to another's may be, in ms. */
    maxAge: Math.floor(options.lease / 3),
    keysOf: keyNaming('socialNetwork', prefix, PARTS),
    /** What all keys of a user begin with. Not by `keyNaming`: a status goes to more feeds than that remembers. */
    headOf: (owner: string) => headOf(prefix, owner),
    feedKeys: (feed: Feed) => feedKeys(prefix, feed),
    scripts: {
      signUp: guard.before(store.script(definitions.SIGN_UP)),
      readUser: store.script(definitions.READ_USER),
      post: guard.before(store.script(definitions.POST)),
      delete: store.script(definitions.DELETE),
      subscribers: store.script(definitions.SUBSCRIBERS),
      deliver: store.script(definitions.DELIVER),
      relate: guard.before(store.script(definitions.RELATE)),
      attach: store.script(definitions.ATTACH),
      offer: store.script(definitions.OFFER),
      block: store.script(definitions.BLOCK),
      like: store.script(definitions.LIKE),
      createList: store.script(definitions.CREATE_LIST),
      range: store.script(definitions.RANGE),
    },
  };
}

function headOf(prefix: string, owner: string): string {
  return `${prefix}:{${owner}}:`;
}

/** The keys of a feed. deliver.lua makes the same ones. */
function feedKeys(prefix: string, { owner, list }: Feed) {
  const head = headOf(prefix, owner);
  return list === ''
    ? { sources: `${head}following`, timeline: `${head}home`, floor: `${head}floor` }
    : {
        sources: `${head}members:${list}`,
        timeline: `${head}statuses:${list}`,
        floor: `${head}floor:${list}`,
      };
}

/** Repeats a step until it has a result: nothing has changed between its reading of one user and its writing to another. */
export async function untilSettled<T>(maxAge: number, step: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const result = await step();
    if (result !== undefined) return result;
  }
  throw new KitError(
    'UNSETTLED',
    `socialNetwork: two users could not be brought in line in ${MAX_ATTEMPTS} attempts: others change them all the time, or the ` +
      `clocks of their servers differ by more than ${maxAge} ms. Set the clocks, or raise \`lease\` in all processes`,
  );
}

const MAX_ATTEMPTS = 20;

export function unknownUser(user: string): KitError {
  return new KitError('UNKNOWN_USER', `there is no user '${user}': sign up first`);
}

export function unknownList(id: string): KitError {
  return new KitError('UNKNOWN_LIST', `there is no list '${id}': create it first`);
}
