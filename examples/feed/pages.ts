import type { Status, User, UserList } from 'sorrel/kit/social';
import { document, type Html, html } from '../support/html.js';
import type { Placed } from './feed.js';

/** Who looks at the page. */
export interface Viewer {
  readonly user: string | undefined;
  readonly notice: string | undefined;
  /** The statuses on the page that the viewer likes. */
  readonly liked?: ReadonlySet<string>;
}

export function page(title: string, { user, notice }: Viewer, content: Html): string {
  return document(
    'Feed',
    title,
    html`  <header>
    <a class="brand" href="/">🌿 Sorrel Feed</a>
    <form action="/search" role="search"><input name="q" type="search" placeholder="Search" aria-label="Search statuses"></form>
    <nav>
      <a href="/live">Live</a>
      ${user === undefined ? html`<a href="/login">Log in</a>` : html`<a href="/@${user}">@${user}</a> <a href="/lists">Lists</a> ${button('/logout', 'Log out')}`}
    </nav>
  </header>
  <main>
    ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
    ${content}
  </main>`,
  );
}

/** A form of one button. */
function button(action: string, text: string, fields: Readonly<Record<string, string>> = {}): Html {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}">${inputs}<button>${text}</button></form>`;
}

/** Words that begin with # and @ are links. */
function linked(text: string): Html {
  const parts = text.split(/([#@][\p{L}\p{N}_.-]*[\p{L}\p{N}])/u);
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const name = part.slice(1).toLowerCase();
    return part.startsWith('@')
      ? html`<a href="/@${name}">${part}</a>`
      : html`<a href="/search?q=${encodeURIComponent(name)}">${part}</a>`;
  })}`;
}

function statusCard({ id, author, text, postedAt, likes }: Status, viewer: Viewer): Html {
  const isOwn = viewer.user === author;
  const isLiked = viewer.liked?.has(id) === true;
  return html`<article id="${id}">
    <p><a class="author" href="/@${author}">@${author}</a> <time datetime="${postedAt.toISOString()}">${postedAt.toUTCString()}</time></p>
    <p class="text">${linked(text)}</p>
    <div class="actions">
      <span>♥ ${likes}</span>
      ${viewer.user !== undefined && button(isLiked ? '/unlike' : '/like', isLiked ? 'Unlike' : 'Like', { status: id })}
      ${isOwn && button('/delete', 'Delete', { status: id })}
    </div>
  </article>`;
}

export interface Timeline {
  readonly statuses: readonly Status[];
  /** The link to the next page. */
  readonly more: string | undefined;
}

function timeline({ statuses, more }: Timeline, viewer: Viewer): Html {
  if (statuses.length === 0) return html`<p>Nothing here yet.</p>`;
  return html`${statuses.map((status) => statusCard(status, viewer))}
    ${more !== undefined && html`<p><a rel="next" href="${more}">Older</a></p>`}`;
}

export function homePage(statuses: Timeline, ad: Placed | undefined, viewer: Viewer): string {
  return page(
    'Home',
    viewer,
    html`<form class="post" method="post" action="/post">
      <textarea name="text" maxlength="280" required placeholder="What is new?" aria-label="Your status"></textarea>
      <button class="main">Post</button>
    </form>
    ${ad !== undefined && html`<aside><small>Ad</small> ${button('/ad', ad.text, { target: ad.target })}</aside>`}
    ${statuses.statuses.length === 0 ? html`<p>Nothing here yet. <a href="/live">Watch</a> or search what others post, and follow them.</p>` : timeline(statuses, viewer)}`,
  );
}

export interface Relation {
  readonly isFollowing: boolean;
  readonly common: readonly string[];
  readonly lists: readonly UserList[];
}

export function profilePage(user: User, statuses: Timeline, relation: Relation, viewer: Viewer): string {
  const isOther = viewer.user !== undefined && viewer.user !== user.id;
  const { isFollowing, common, lists } = relation;
  return page(
    user.name,
    viewer,
    html`<section class="profile">
      <h1>${user.name} <small>@${user.id}</small></h1>
      <p><b>${user.posts}</b> posts · <b>${user.followers}</b> followers · <b>${user.following}</b> following</p>
      ${isOther && common.length > 0 && html`<p>Followed by ${common.join(', ')}, who follow you too.</p>`}
      <div class="actions">
        ${isOther && button(isFollowing ? '/unfollow' : '/follow', isFollowing ? 'Unfollow' : 'Follow', { user: user.id })}
        ${isOther && button('/block', 'Block', { user: user.id })}
        ${isOther && lists.map(({ id, name }) => button('/list/add', `Add to ${name}`, { list: id, user: user.id }))}
      </div>
    </section>
    ${timeline(statuses, viewer)}`,
  );
}

export function listsPage(lists: readonly UserList[], viewer: Viewer): string {
  return page(
    'Lists',
    viewer,
    html`<ul>${lists.map(({ id, name }) => html`<li><a href="/list?id=${encodeURIComponent(id)}">${name}</a> ${button('/list/delete', 'Delete', { list: id })}</li>`)}</ul>
    <form method="post" action="/lists"><input name="name" required maxlength="50" placeholder="Name"><button>New list</button></form>`,
  );
}

export function timelinePage(title: string, statuses: Timeline, viewer: Viewer): string {
  return page(title, viewer, html`<h1>${title}</h1>${timeline(statuses, viewer)}`);
}

export function livePage(viewer: Viewer): string {
  return page(
    'Live',
    viewer,
    html`<form id="filter"><input name="track" placeholder="Words, separated by commas" aria-label="Words"><button>Watch</button></form>
    <div id="live" aria-live="polite"></div>`,
  );
}

export function loginPage(viewer: Viewer): string {
  return page(
    'Log in',
    viewer,
    html`<form method="post" action="/login">
      <label>Name <input name="user" required maxlength="50" autocomplete="username"></label> <button>Log in or sign up</button>
    </form>
    <p>There are no passwords: this is an example.</p>`,
  );
}

/** Before the session was read, no user is known. */
const NO_VIEWER: Viewer = { user: undefined, notice: undefined };

export function messagePage(title: string, text: string, viewer = NO_VIEWER): string {
  return page(title, viewer, html`<h1>${title}</h1><p>${text}</p>`);
}
