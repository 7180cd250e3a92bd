import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { KitError } from 'sorrel/kit/social';
import type { Feed } from './feed.js';
import { messagePage } from './pages.js';
import { ROUTES, sendPage } from './routes.js';

const FILES: Readonly<Record<string, string>> = {
  '/public/style.css': 'text/css; charset=utf-8',
  '/public/feed.js': 'text/javascript; charset=utf-8',
};

/** Forms are short. */
const MAX_FORM = 10_000;

/** The web server. Any number of processes may serve the same feed. */
export function createFeedServer(feed: Feed): Server {
  const stream = feed.live.handler({
    // Users, and others by their addresses.
    identify: async (request, response) =>
      (await feed.cookies.open(request, response)).user ?? `address ${request.socket.remoteAddress}`,
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://feed');
    const type = FILES[url.pathname];
    if (type !== undefined) return sendFile(response, url.pathname, type);
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
    const from = request.headers['sec-fetch-site'];
    if (from !== undefined && from !== 'same-origin' && from !== 'none') {
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

/** The components refuse what cannot be right, so that no handler has to check everything. */
function fail(response: ServerResponse, error: unknown): void {
  const isMistake = error instanceof FormError || (error instanceof KitError && error.code === 'OPTION');
  if (!isMistake) console.error(error);
  if (response.headersSent) response.destroy();
  else if (isMistake) sendPage({ response }, messagePage('Refused', error.message), 400);
  else sendPage({ response }, messagePage('Sorry', 'Something went wrong.'), 500);
}

class FormError extends Error {}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_FORM) throw new FormError('The form is too long.');
  }
  return new URLSearchParams(text);
}

async function sendFile(response: ServerResponse, path: string, type: string): Promise<void> {
  const content = await readFile(new URL(`.${path}`, import.meta.url));
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=60' }).end(content);
}
