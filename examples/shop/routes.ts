import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cart } from 'sorrel/kit/carts';
import type { WebSession } from 'sorrel/kit/sessions';
import { checkOut, MAX_COUNT, ordersOf } from './checkout.js';
import type { Live } from './live.js';
import {
  cartPage,
  listPage,
  livePage,
  loginPage,
  marketPage,
  messagePage,
  ordersPage,
  productPage,
} from './pages.js';
import { productNamed, productOf } from './products.js';
import { money } from './receipts.js';
import type { Shop, Visit } from './shop.js';

/** One request. */
export interface Context {
  readonly shop: Shop;
  readonly live: Live;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The fields of a form. */
  readonly form: URLSearchParams;
  session(): Promise<WebSession<Visit>>;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** The cache that the page may come from: it is the same for all visitors. */
  readonly cache?: keyof Shop['caches'];
  handle(context: Context, ...parts: string[]): Promise<void>;
}

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/$/, cache: 'lists', handle: list },
  { method: 'GET', path: /^\/product\/([a-z-]+)$/, cache: 'products', handle: product },
  { method: 'GET', path: /^\/search$/, handle: search },
  { method: 'GET', path: /^\/me$/, handle: me },
  { method: 'POST', path: /^\/vote$/, handle: vote },
  { method: 'GET', path: /^\/login$/, handle: async (context) => sendPage(context, loginPage('/')) },
  { method: 'POST', path: /^\/login$/, handle: login },
  { method: 'POST', path: /^\/logout$/, handle: logout },
  { method: 'GET', path: /^\/cart$/, handle: cart },
  { method: 'POST', path: /^\/cart$/, handle: changeCart },
  { method: 'POST', path: /^\/checkout$/, handle: checkout },
  { method: 'GET', path: /^\/orders$/, handle: orders },
  { method: 'GET', path: /^\/market$/, handle: market },
  { method: 'POST', path: /^\/market\/sell$/, handle: sell },
  { method: 'POST', path: /^\/market\/buy$/, handle: buy },
  { method: 'POST', path: /^\/market\/unlist$/, handle: unlist },
  { method: 'GET', path: /^\/live$/, handle: async (context) => sendPage(context, livePage()) },
  { method: 'GET', path: /^\/live\/events$/, handle: ({ live, response }) => live.watch(response) },
];

// Browsing

async function list(context: Context): Promise<void> {
  const { searchParams } = context.url;
  const found = productNamed(searchParams.get('q') ?? '');
  if (found !== undefined) return redirect(context, `/product/${found.id}`);
  const order = searchParams.get('order') === 'time' ? 'time' : 'score';
  const group = searchParams.get('group') ?? undefined;
  const articles = await context.shop.votes.page({ order, ...(group === undefined ? {} : { group }) });
  sendPage(context, listPage(articles, { order, group }));
}

async function product(context: Context, id = ''): Promise<void> {
  const found = productOf(id);
  if (found === undefined)
    return sendPage(context, messagePage('Not found', 'There is no such product.'), 404);
  const [article, stock] = await Promise.all([context.shop.votes.get(id), context.shop.stock.status(id)]);
  sendPage(context, productPage(found, { article, stock }));
}

async function search({ shop, url, response }: Context): Promise<void> {
  const { entries } = await shop.names.complete(url.searchParams.get('q') ?? '', { limit: 8 });
  await shop.events.count('searches');
  sendJson(
    response,
    entries.map(({ text }) => ({ name: text, link: `/product/${productNamed(text)?.id}` })),
  );
}

/** What is personal on a page that is the same for all. */
async function me({ shop, url, response, request, session }: Context): Promise<void> {
  const own = await session();
  const viewed = url.searchParams.get('viewing');
  if (own.current !== undefined && productOf(viewed) !== undefined) await own.view(viewed as string);
  const notice = own.data.notice;
  if (notice !== undefined) await own.update({ notice: undefined });
  const items = own.current === undefined ? [] : await (await cartOf(shop, own)).items();
  const place = await shop.places.find(addressOf(request)).catch(() => undefined);
  sendJson(response, {
    user: own.user,
    notice,
    cart: items.reduce((sum, { count }) => sum + count, 0),
    place: place?.city,
  });
}

async function vote(context: Context): Promise<void> {
  const { shop, form } = context;
  const own = await context.session();
  const id = form.get('product') ?? '';
  if (own.user === undefined) return redirect(context, '/login', 'Log in to vote.');
  const outcome = await shop.votes.vote(id, own.user, form.get('choice') === 'down' ? 'down' : 'up');
  if (outcome === 'unknown') return redirect(context, '/', 'There is no such product.');
  await shop.events.count('votes');
  await shop.caches.products.invalidateTag(`page:/product/${id}`);
  await shop.caches.lists.invalidateTag('lists');
  const texts = {
    counted: 'Thank you.',
    changed: 'Changed.',
    repeated: 'You had voted so before.',
    late: 'Voting has ended.',
  };
  await redirect(context, `/product/${id}`, texts[outcome]);
}

// Customers

async function login(context: Context): Promise<void> {
  const { shop, form } = context;
  const own = await context.session();
  const user = (form.get('user') ?? '').trim();
  if (!/^[A-Za-z0-9 ]{1,30}$/.test(user)) return redirect(context, '/login', 'Use letters and digits.');
  // What was put into the cart before is not lost.
  await shop.carts.merge(await own.token(), user);
  await own.login(user);
  const isNew = (await shop.store.set(`shop:{${user}}:welcome`, '1', { nx: true })) === 'OK';
  if (isNew) await shop.market.deposit(user, 500_00);
  await shop.log.write('shop', 'login', { details: { user } });
  await redirect(context, localPath(form.get('next')), `Welcome, ${user}.`);
}

async function logout(context: Context): Promise<void> {
  await (await context.session()).logout();
  await redirect(context, '/');
}

async function cartOf(shop: Shop, own: WebSession<Visit>): Promise<Cart> {
  return own.user === undefined ? shop.carts.ofSession(await own.token()) : shop.carts.ofUser(own.user);
}

async function cart(context: Context): Promise<void> {
  const own = await context.session();
  const items = own.current === undefined ? [] : await (await cartOf(context.shop, own)).items();
  sendPage(context, cartPage(items, own.user));
}

async function changeCart(context: Context): Promise<void> {
  const { shop, form } = context;
  const own = await context.session();
  const found = productOf(form.get('product'));
  const [add, set] = [wholeNumber(form.get('add')), wholeNumber(form.get('set'))];
  if (found === undefined || Math.abs(add ?? set ?? Number.POSITIVE_INFINITY) > MAX_COUNT) {
    return redirect(context, '/cart', `Nothing was changed: choose 1 to ${MAX_COUNT}.`);
  }
  const ownCart = await cartOf(shop, own);
  if (add !== undefined) await ownCart.add(found.id, add);
  else await ownCart.set(found.id, set as number);
  await redirect(context, '/cart');
}

async function checkout(context: Context): Promise<void> {
  const { shop } = context;
  const own = await context.session();
  if (own.user === undefined) return redirect(context, '/login', 'Log in to order.');
  const result = await checkOut(shop, own.user, await cartOf(shop, own));
  switch (result.outcome) {
    case 'ordered':
      await shop.log.write('shop', 'order', {
        details: { order: result.order.id, total: result.order.total },
      });
      return redirect(
        context,
        '/orders',
        `Thank you for order ${result.order.id}. The receipt is on its way.`,
      );
    case 'empty':
      return redirect(context, '/cart', 'Your cart is empty.');
    case 'no-funds':
      return redirect(
        context,
        '/cart',
        `You need ${money(result.missing)} more. Sell something on the market!`,
      );
    case 'sold-out':
    case 'limit': {
      const name = productOf(result.product)?.name;
      const reason =
        result.outcome === 'limit' ? 'We sell no more than ten to a customer' : 'We do not have as many';
      return redirect(context, '/cart', `${name}: ${reason}.`);
    }
  }
}

async function orders(context: Context): Promise<void> {
  const { shop } = context;
  const { user } = await context.session();
  if (user === undefined) return redirect(context, '/login', 'Log in to see your orders.');
  sendPage(
    context,
    ordersPage(await ordersOf(shop, user), (await shop.mail.read(user, { count: 20 })).reverse()),
  );
}

// The market

async function market(context: Context): Promise<void> {
  const { shop } = context;
  const { user } = await context.session();
  const listings = await shop.market.browse({ limit: 50 });
  const wallet =
    user === undefined
      ? undefined
      : { user, funds: await shop.market.funds(user), items: await shop.market.items(user) };
  sendPage(context, marketPage(listings, wallet));
}

async function sell(context: Context): Promise<void> {
  const { shop, form } = context;
  const { user } = await context.session();
  const price = Math.round(Number(form.get('price')) * 100);
  const found = productOf(form.get('product'));
  if (user === undefined) return redirect(context, '/login', 'Log in to sell.');
  if (found === undefined || !(price >= 1 && price <= 1e9))
    return redirect(context, '/market', 'That is no price.');
  const { outcome } = await shop.market.list(user, found.id, price);
  await redirect(context, '/market', outcome === 'listed' ? 'It is on the market.' : 'You do not have that.');
}

async function buy(context: Context): Promise<void> {
  const { shop, form } = context;
  const { user } = await context.session();
  if (user === undefined) return redirect(context, '/login', 'Log in to buy.');
  const result = await shop.market.purchase(user, form.get('id') ?? '', wholeNumber(form.get('price')) ?? 0);
  if (result.outcome === 'bought') await shop.events.count('sales');
  const texts = {
    bought: 'It is yours.',
    gone: 'Another customer was faster.',
    repriced: 'The price has changed: look again.',
    'no-funds': 'You do not have enough money.',
  };
  await redirect(context, '/market', texts[result.outcome]);
}

async function unlist(context: Context): Promise<void> {
  const { user } = await context.session();
  if (user === undefined) return redirect(context, '/login');
  const isBack = await context.shop.market.unlist(user, context.form.get('id') ?? '');
  await redirect(context, '/market', isBack ? 'You have it back.' : 'It is sold.');
}

// Answers

export function sendPage({ response }: Pick<Context, 'response'>, text: string, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(text);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(value));
}

/** Sends the browser to another page, which shows the notice. */
async function redirect({ response, session }: Context, to: string, notice?: string): Promise<void> {
  if (notice !== undefined) await (await session()).update({ notice });
  response.writeHead(303, { Location: to }).end();
}

/** Only pages of this shop: a link must not lead a customer to another site after the login. */
function localPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])/.test(path) ? path : '/';
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Behind a proxy the client's address is in a header. */
function addressOf({ headers, socket }: IncomingMessage): string {
  const [first = ''] = String(headers['x-forwarded-for'] ?? '').split(',');
  return first.trim() || socket.remoteAddress || '';
}
