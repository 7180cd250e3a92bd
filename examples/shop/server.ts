import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StoreError } from 'sorrel';
import type { WebSession } from 'sorrel/kit/sessions';
import { BASE_STYLE, formOf, isFromThisSite, isMistake, sendFile } from '../support/requests.js';
import { Live } from './live.js';
import { messagePage } from './pages.js';
import { productOf } from './products.js';
import { type Context, ROUTES, type Route, sendPage } from './routes.js';
import type { Shop, Visit } from './shop.js';

const FILES: Readonly<Record<string, URL>> = {
  '/public/base.css': BASE_STYLE,
  '/public/style.css': new URL('public/style.css', import.meta.url),
  '/public/shop.js': new URL('public/shop.js', import.meta.url),
};

/** The web server of the shop. Any number of processes may serve the same shop. */
export function createShopServer(shop: Shop): { server: Server; live: Live } {
  const live = new Live(shop);
  const cached = {
    lists: shop.caches.lists.node(answer),
    products: shop.caches.products.node(answer),
  };

  /** Runs the route's handler, and records how long it takes. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    const found = find(request.method, url.pathname);
    if (found === undefined)
      return sendPage({ response }, messagePage('Not found', 'There is no such page.'), 404);
    const { route, parts } = found;
    let session: Promise<WebSession<Visit>> | undefined;
    const context: Context = {
      shop,
      live,
      request,
      response,
      url,
      form: route.method === 'POST' ? await formOf(request) : new URLSearchParams(),
      session: () => {
        session ??= shop.cookies.open(request, response);
        return session;
      },
    };
    await shop.times.timed(`${route.method} ${route.path.source}`, () => route.handle(context, ...parts));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    if (await sendFile(response, FILES, url.pathname)) return;
    const maintenance = await shop.settings.maintenance.status();
    if (maintenance !== undefined) {
      const text = maintenance.reason ?? 'We will be back soon.';
      return sendPage({ response }, messagePage('Under maintenance', text), 503);
    }
    if (request.method === 'POST' && !(await mayPost(request, response))) return;
    const found = find(request.method, url.pathname);
    if (found?.route.cache === undefined) return answer(request, response);
    // Views are counted also when the page comes from the cache.
    const [product] = found.parts;
    if (product !== undefined && productOf(product) !== undefined) await shop.views.record(product);
    await shop.events.count('views');
    await cached[found.route.cache](request, response);
  }

  /** Other sites cannot post in the name of a visitor, and no client can post without end. */
  async function mayPost(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!isFromThisSite(request)) {
      sendPage({ response }, messagePage('Refused', 'This form is not from this shop.'), 403);
      return false;
    }
    const { isAllowed, retryIn } = await shop.posts.take(request.socket.remoteAddress ?? 'unknown');
    if (isAllowed) return true;
    response.setHeader('Retry-After', Math.ceil(retryIn / 1_000));
    sendPage({ response }, messagePage('Too fast', 'Please wait a moment.'), 429);
    return false;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => fail(shop, response, error));
  });
  return { server, live };
}

function fail(shop: Shop, response: ServerResponse, error: unknown): void {
  const details = error instanceof Error ? error.stack : String(error);
  shop.log
    .write('shop', 'request failed', { severity: 'error', details })
    .catch(() => console.error(details));
  if (response.headersSent) response.destroy();
  else if (error instanceof StoreError && AWAY.has(error.code)) {
    response.setHeader('Retry-After', 5);
    sendPage({ response }, messagePage('Sorry', 'We cannot reach our shelves. Please try again.'), 503);
  } else if (isMistake(error))
    sendPage({ response }, messagePage('Refused', 'The form is not complete.'), 400);
  else sendPage({ response }, messagePage('Sorry', 'Something went wrong.'), 500);
}

/** The server of the store does not answer. */
const AWAY: ReadonlySet<string> = new Set(['TIMEOUT', 'UNREACHABLE', 'CLOSED']);

function urlOf({ url = '/' }: IncomingMessage): URL {
  // `//` alone would begin a host name.
  return new URL(url.startsWith('/') ? `http://shop${url}` : url, 'http://shop');
}

function find(method: string | undefined, path: string): { route: Route; parts: string[] } | undefined {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match !== null) return { route, parts: match.slice(1) };
  }
  return undefined;
}
