import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BASE_STYLE, formOf, isFromThisSite, isMistake, sendFile } from '../support/requests.js';
import type { Feed } from './feed.js';
import { messagePage } from './pages.js';
import { ROUTES, sendPage } from './routes.js';

const FILES: Readonly<Record<string, URL>> = {
  '/public/base.css': BASE_STYLE,
  '/public/style.css': new URL('public/style.css', import.meta.url),
  '/public/feed.js': new URL('public/feed.js', import.meta.url),
};

/** The web server. Any number of processes may serve the same feed. */
export function createFeedServer(feed: Feed): Server {
  const stream = feed.live.handler({
    // Users, and others by their addresses.
    identify: async (request, response) =>
      (await feed.cookies.open(request, response)).user ?? `address ${request.socket.remoteAddress}`,
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://feed');
    if (await sendFile(response, FILES, url.pathname)) return;
    if (url.pathname === '/stream') return stream(request, response);
    if (request.method === 'POST' && !(await mayPost(request, response))) return;
    const form = request.method === 'POST' ? await formOf(request) : new URLSearchParams();
    for (const route of ROUTES) {
      const match = route.method === request.method ? route.path.exec(url.pathname) : null;
      if (match === null) continue;
      const session = await feed.cookies.open(request, response);
      return route.handle({ feed, request, response, url, form, session }, ...match.slice(1));
    }
    sendPage({ response }, messagePage('Not found', 'There is no such page.'), 404);
  }

  /** Other sites cannot post in the name of a user, and no client can post without end. */
  async function mayPost(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!isFromThisSite(request)) {
      sendPage({ response }, messagePage('Refused', 'This form is not from this site.'), 403);
      return false;
    }
    const { isAllowed, retryIn } = await feed.posts.take(request.socket.remoteAddress ?? 'unknown');
    if (isAllowed) return true;
    response.setHeader('Retry-After', Math.ceil(retryIn / 1_000));
    sendPage({ response }, messagePage('Too fast', 'Please wait a moment.'), 429);
    return false;
  }

  return createServer((request, response) => {
    serve(request, response).catch((error: unknown) => fail(response, error));
  });
}

function fail(response: ServerResponse, error: unknown): void {
  if (!isMistake(error)) console.error(error);
  if (response.headersSent) response.destroy();
  else if (isMistake(error)) sendPage({ response }, messagePage('Refused', error.message), 400);
  else sendPage({ response }, messagePage('Sorry', 'Something went wrong.'), 500);
}
