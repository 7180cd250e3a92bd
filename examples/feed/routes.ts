import type { IncomingMessage, ServerResponse } from 'node:http';
import { QueryError } from 'sorrel/kit/search';
import type { WebSession } from 'sorrel/kit/sessions';
import { KitError, type Status } from 'sorrel/kit/social';
import { adFor, type Feed, type Visit } from './feed.js';
import {
  homePage,
  listsPage,
  livePage,
  loginPage,
  messagePage,
  profilePage,
  type Timeline,
  timelinePage,
  type Viewer,
} from './pages.js';

/** One request. */
export interface Context {
  readonly feed: Feed;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The fields of a form. */
  readonly form: URLSearchParams;
  readonly session: WebSession<Visit>;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  handle(context: Context, ...parts: string[]): Promise<void>;
}

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/$/, handle: home },
  { method: 'GET', path: /^\/@([^/]+)$/, handle: profile },
  { method: 'GET', path: /^\/search$/, handle: search },
  { method: 'GET', path: /^\/lists$/, handle: lists },
  { method: 'GET', path: /^\/list$/, handle: list },
  {
    method: 'GET',
    path: /^\/live$/,
    handle: async (context) => sendPage(context, livePage(await viewerOf(context))),
  },
  {
    method: 'GET',
    path: /^\/login$/,
    handle: async (context) => sendPage(context, loginPage(await viewerOf(context))),
  },
  { method: 'POST', path: /^\/login$/, handle: login },
  { method: 'POST', path: /^\/logout$/, handle: logout },
  {
    method: 'POST',
    path: /^\/(post|delete|like|unlike|follow|unfollow|block|lists|list\/add|list\/delete)$/,
    handle: act,
  },
  { method: 'POST', path: /^\/ad$/, handle: clickAd },
];

// Pages

/** The newest statuses of all for visitors; those of followed users for the others. */
async function home(context: Context): Promise<void> {
  const { feed, session, url } = context;
  const { user } = session;
  if (user === undefined) {
    const { hits } = await feed.statuses.search('*', { sort: '-posted', limit: 30 });
    const statuses = await statusesOf(
      feed,
      hits.map(({ id }) => id),
    );
    return sendPage(
      context,
      timelinePage('Everyone', { statuses, more: undefined }, await viewerOf(context, statuses)),
    );
  }
  const { statuses, next } = await feed.network.home(user, pageIn(url));
  const ad = await adFor(
    feed,
    statuses.map(({ text }) => text),
  );
  sendPage(context, homePage(timelineOf(url, statuses, next), ad, await viewerOf(context, statuses)));
}

async function profile(context: Context, name = ''): Promise<void> {
  const { feed, session, url } = context;
  const { network } = feed;
  const found = await network.user(decodeURIComponent(name));
  if (found === undefined)
    return sendPage(
      context,
      messagePage('Not found', 'There is no such user.', await viewerOf(context)),
      404,
    );
  const { user } = session;
  const isOther = user !== undefined && user !== found.id;
  const [{ statuses, next }, isFollowing, common, lists] = await Promise.all([
    network.profile(found.id, pageIn(url)),
    isOther && network.isFollowing(user, found.id),
    isOther ? network.commonFollowers(user, found.id, { limit: 5 }) : [],
    isOther ? network.lists(user) : [],
  ]);
  const relation = { isFollowing, common, lists };
  sendPage(
    context,
    profilePage(found, timelineOf(url, statuses, next), relation, await viewerOf(context, statuses)),
  );
}

async function search(context: Context): Promise<void> {
  const { feed, url } = context;
  const query = url.searchParams.get('q') ?? '';
  try {
    const { hits, total } = await feed.statuses.search(query, { sort: '-posted', limit: 30 });
    const statuses = await statusesOf(
      feed,
      hits.map(({ id }) => id),
    );
    sendPage(
      context,
      timelinePage(`${query}: ${total}`, { statuses, more: undefined }, await viewerOf(context, statuses)),
    );
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    sendPage(context, messagePage('Not understood', error.message, await viewerOf(context)), 400);
  }
}

async function lists(context: Context): Promise<void> {
  const { user } = context.session;
  if (user === undefined) return redirect(context, '/login');
  sendPage(context, listsPage(await context.feed.network.lists(user), await viewerOf(context)));
}

async function list(context: Context): Promise<void> {
  const { feed, session, url } = context;
  const id = url.searchParams.get('id') ?? '';
  const found = session.user && (await feed.network.lists(session.user)).find((own) => own.id === id);
  if (!found)
    return sendPage(
      context,
      messagePage('Not found', 'You have no such list.', await viewerOf(context)),
      404,
    );
  const { statuses, next } = await feed.network.listTimeline(id, pageIn(url));
  sendPage(
    context,
    timelinePage(found.name, timelineOf(url, statuses, next), await viewerOf(context, statuses)),
  );
}

/** Statuses in this order, without those that were deleted a moment ago. */
async function statusesOf({ network }: Feed, ids: readonly string[]): Promise<Status[]> {
  const found = await Promise.all(ids.map((id) => network.status(id)));
  return found.filter((status) => status !== undefined);
}

function pageIn({ searchParams }: URL): { count: number; after?: string } {
  const after = searchParams.get('after');
  return { count: 20, ...(after === null ? {} : { after }) };
}

function timelineOf(url: URL, statuses: readonly Status[], next: string | undefined): Timeline {
  if (next === undefined) return { statuses, more: undefined };
  const more = new URL(url);
  more.searchParams.set('after', next);
  return { statuses, more: `${more.pathname}${more.search}` };
}

// Forms

/** A name is a user; who comes first has it. */
async function login(context: Context): Promise<void> {
  const { feed, form, session } = context;
  const name = (form.get('user') ?? '').trim();
  const created = await feed.network.signUp(name);
  const { id } = created ?? (await feed.network.user(name)) ?? { id: name };
  await session.login(id);
  await redirect(context, '/', created === undefined ? `Welcome back, ${id}.` : `Welcome, ${id}.`);
}

async function logout(context: Context): Promise<void> {
  await context.session.logout();
  await redirect(context, '/');
}

/** What only users can do. */
async function act(context: Context, what = ''): Promise<void> {
  const { user } = context.session;
  if (user === undefined) return redirect(context, '/login', 'Log in first.');
  const action = ACTIONS[what];
  if (action === undefined)
    return sendPage(
      context,
      messagePage('Not found', 'There is no such action.', await viewerOf(context)),
      404,
    );
  const field = (name: string): string => context.form.get(name) ?? '';
  try {
    const { to, notice } = await action(context.feed, user, field);
    await redirect(context, to, notice);
  } catch (error) {
    if (!(error instanceof KitError) || error.code === 'OPTION') throw error;
    await redirect(context, '/', error.message);
  }
}

const profileOf = (user: string): string => `/@${encodeURIComponent(user)}`;
const placeOf = (status: string): string => `/#${encodeURIComponent(status)}`;

type Action = (
  feed: Feed,
  user: string,
  field: (name: string) => string,
) => Promise<{ to: string; notice?: string }>;

const FOLLOWED = {
  followed: 'Done.',
  already: 'You did so before.',
  blocked: 'One of you has blocked the other.',
};

const ACTIONS: Readonly<Record<string, Action>> = {
  post: async ({ network }, user, field) => {
    await network.post(user, field('text').trim());
    return { to: profileOf(user) };
  },
  delete: async ({ network }, user, field) => {
    const isDeleted = await network.deleteStatus(user, field('status'));
    return { to: profileOf(user), notice: isDeleted ? 'Deleted.' : 'You have no such status.' };
  },
  like: async ({ network }, user, field) => {
    await network.like(user, field('status'));
    return { to: placeOf(field('status')), notice: 'You like it.' };
  },
  unlike: async ({ network }, user, field) => {
    await network.unlike(user, field('status'));
    return { to: placeOf(field('status')), notice: 'You do not like it any more.' };
  },
  follow: async ({ network }, user, field) => {
    const outcome = await network.follow(user, field('user'));
    return { to: profileOf(field('user')), notice: FOLLOWED[outcome] };
  },
  unfollow: async ({ network }, user, field) => {
    await network.unfollow(user, field('user'));
    return { to: profileOf(field('user')) };
  },
  block: async ({ network }, user, field) => {
    if (!(await network.block(user, field('user')))) await network.unblock(user, field('user'));
    return { to: profileOf(field('user')), notice: 'Done.' };
  },
  lists: async ({ network }, user, field) => {
    await network.createList(user, field('name').trim());
    return { to: '/lists' };
  },
  'list/add': async ({ network }, user, field) => {
    await checkOwner(user, field('list'));
    const outcome = await network.addToList(field('list'), field('user'));
    return { to: `/list?id=${encodeURIComponent(field('list'))}`, notice: FOLLOWED[outcome] };
  },
  'list/delete': async ({ network }, user, field) => {
    await checkOwner(user, field('list'));
    await network.deleteList(field('list'));
    return { to: '/lists', notice: 'Deleted.' };
  },
};

/** A list belongs to the user whose name it begins with. */
async function checkOwner(user: string, list: string): Promise<void> {
  if (!list.startsWith(`${user}/`)) throw new KitError('UNKNOWN_LIST', 'You have no such list.');
}

async function clickAd(context: Context): Promise<void> {
  await context.feed.ads.click(context.form.get('target') ?? '');
  await redirect(context, '/', 'In a real application, this would lead to the advertiser.');
}

// Answers

/** Who looks at a page with these statuses, with a notice that is shown once. */
async function viewerOf({ feed, session }: Context, statuses: readonly Status[] = []): Promise<Viewer> {
  const { notice } = session.data;
  const { user } = session;
  if (notice !== undefined) await session.update({ notice: undefined });
  if (user === undefined) return { user, notice };
  const liked = await feed.network.liked(
    user,
    statuses.map(({ id }) => id),
  );
  return { user, notice, liked };
}

export function sendPage({ response }: Pick<Context, 'response'>, text: string, status = 200): void {
  response
    .writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(text);
}

/** Sends the browser to another page, which shows the notice. */
async function redirect({ response, session }: Context, to: string, notice?: string): Promise<void> {
  if (notice !== undefined) await session.update({ notice });
  response.writeHead(303, { Location: to }).end();
}
