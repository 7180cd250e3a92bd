import type { CartItem } from 'sorrel/kit/carts';
import type { Listing } from 'sorrel/kit/market';
import type { Article } from 'sorrel/kit/rankings';
import type { StockStatus } from 'sorrel/kit/stock';
import { document, type Html, html } from '../support/html.js';
import { CATEGORIES, type Product, productOf } from './products.js';
import { money, type Order } from './receipts.js';
import { EVENTS, type Letter } from './shop.js';

/** The frame of all pages. Who is logged in and what is in the cart is added by /public/shop.js: pages are cached for all. */
export function page(title: string, content: Html): string {
  return document(
    'Shop',
    title,
    html`  <header>
    <a class="brand" href="/">🌿 Sorrel Shop</a>
    <form class="search" action="/" role="search">
      <input name="q" type="search" placeholder="Search" autocomplete="off" aria-label="Search products">
      <ul hidden></ul>
    </form>
    <nav>
      <a href="/market">Market</a>
      <a href="/live">Live</a>
      <a href="/orders">Orders</a>
      <a href="/cart">Cart <b id="cart-count"></b></a>
      <span id="account"></span>
    </nav>
  </header>
  <p id="notice" role="status" hidden></p>
  <main>${content}</main>`,
  );
}

export interface ListQuery {
  readonly order: 'score' | 'time';
  readonly group: string | undefined;
}

export function listPage(articles: readonly Article[], query: ListQuery): string {
  const link = (change: Partial<ListQuery>): string => {
    const { order, group } = { ...query, ...change };
    return `/?order=${order}${group === undefined ? '' : `&group=${encodeURIComponent(group)}`}`;
  };
  const tab = (text: string, change: Partial<ListQuery>, isCurrent: boolean): Html =>
    html`<a href="${link(change)}" ${isCurrent && html`aria-current="page"`}>${text}</a>`;
  return page(
    query.group ?? 'All products',
    html`
    <div class="tabs">
      ${tab('All', { group: undefined }, query.group === undefined)}
      ${CATEGORIES.map((category) => tab(category, { group: category }, query.group === category))}
      <span></span>
      ${tab('Best', { order: 'score' }, query.order === 'score')}
      ${tab('Newest', { order: 'time' }, query.order === 'time')}
    </div>
    <div class="grid">${articles.map(card)}</div>`,
  );
}

function card({ id, up, down }: Article): Html | undefined {
  const product = productOf(id);
  if (product === undefined) return undefined;
  return html`
    <a class="card" href="/product/${id}">
      <span class="picture">${product.picture}</span>
      <strong>${product.name}</strong>
      <span>${money(product.price)}</span>
      <small>▲ ${up} ▼ ${down}</small>
    </a>`;
}

export interface ProductFacts {
  readonly article: Article | undefined;
  readonly stock: StockStatus | undefined;
}

export function productPage(
  { id, name, price, picture, text, category }: Product,
  facts: ProductFacts,
): string {
  const available = facts.stock?.available ?? 0;
  return page(
    name,
    html`
    <article class="product" data-product="${id}">
      <span class="picture">${picture}</span>
      <div>
        <small>${category}</small>
        <h1>${name}</h1>
        <p>${text}</p>
        <p class="price">${money(price)} <small>${available > 0 ? `${available} in stock` : 'sold out'}</small></p>
        <form method="post" action="/cart">
          <input type="hidden" name="product" value="${id}">
          <input type="number" name="add" value="1" min="1" max="10" aria-label="Count">
          <button ${available === 0 && html`disabled`}>Add to cart</button>
        </form>
        <form method="post" action="/vote" class="votes">
          <input type="hidden" name="product" value="${id}">
          <button name="choice" value="up" aria-label="Vote up">▲ ${facts.article?.up ?? 0}</button>
          <button name="choice" value="down" aria-label="Vote down">▼ ${facts.article?.down ?? 0}</button>
        </form>
      </div>
    </article>`,
  );
}

export function cartPage(items: readonly CartItem[], user: string | undefined): string {
  const total = items.reduce((sum, { item, count }) => sum + count * (productOf(item)?.price ?? 0), 0);
  const rows = items.map(({ item, count }) => {
    const product = productOf(item);
    return html`<tr>
      <td>${product?.picture} <a href="/product/${item}">${product?.name ?? item}</a></td>
      <td><form method="post" action="/cart"><input type="hidden" name="product" value="${item}">
        <input type="number" name="set" value="${count}" min="0" max="10" aria-label="Count"><button>Change</button></form></td>
      <td class="number">${money(count * (product?.price ?? 0))}</td>
    </tr>`;
  });
  const order =
    user === undefined
      ? html`<p>Log in to order: any name will do, and new customers start with 500.00 €.</p>${loginForm('/cart')}`
      : html`<form method="post" action="/checkout"><button class="main">Order and pay ${money(total)}</button></form>`;
  return page(
    'Cart',
    items.length === 0
      ? html`<h1>Your cart is empty</h1>`
      : html`<h1>Cart</h1><table>${rows}<tr><th>Total</th><td></td><th class="number">${money(total)}</th></tr></table>${order}`,
  );
}

export function loginForm(next: string): Html {
  return html`<form method="post" action="/login" class="login">
    <input type="hidden" name="next" value="${next}">
    <input name="user" placeholder="Your name" required maxlength="30" pattern="[A-Za-z0-9 ]+" aria-label="Your name">
    <button>Log in</button>
  </form>`;
}

export function loginPage(next: string): string {
  return page(
    'Log in',
    html`<h1>Log in</h1><p>This is an example: any name will do, without a password.</p>${loginForm(next)}`,
  );
}

export function ordersPage(
  orders: readonly Order[],
  letters: readonly { sentAt: Date; message: Letter }[],
): string {
  const order = ({ id, at, lines, total }: Order): Html => html`
    <li><strong>Order ${id}</strong> <small>${at.slice(0, 16).replace('T', ' ')}</small>
      ${lines.map(({ product, count }) => html`<br>${count} × ${productOf(product)?.name ?? product}`)}
      <br>${money(total)}</li>`;
  const letter = ({ message }: { message: Letter }): Html => html`
    <li><strong>✉️ ${message.subject}</strong>${message.lines.map((line) => html`<br>${line}`)}</li>`;
  return page(
    'Orders',
    html`<div class="columns">
      <section><h1>Orders</h1><ul class="plain">${orders.map(order)}</ul>${orders.length === 0 && 'None yet.'}</section>
      <section><h1>Mail</h1><ul class="plain">${letters.map(letter)}</ul>${letters.length === 0 && 'No letters.'}</section>
    </div>`,
  );
}

export interface Wallet {
  readonly user: string;
  readonly funds: number;
  readonly items: ReadonlyMap<string, number>;
}

export function marketPage(listings: readonly Listing[], wallet: Wallet | undefined): string {
  const listed = ({ id, seller, item, price }: Listing): Html => html`
    <tr><td>${productOf(item)?.picture} ${productOf(item)?.name ?? item}</td><td>from ${seller}</td>
      <td class="number">${money(price)}</td>
      <td>${
        wallet === undefined
          ? undefined
          : seller === wallet.user
            ? html`<form method="post" action="/market/unlist"><input type="hidden" name="id" value="${id}"><button>Take back</button></form>`
            : html`<form method="post" action="/market/buy"><input type="hidden" name="id" value="${id}">
                <input type="hidden" name="price" value="${price}"><button>Buy</button></form>`
      }</td></tr>`;
  const owned = ([item, count]: readonly [string, number]): Html => html`
    <tr><td>${productOf(item)?.picture} ${count} × ${productOf(item)?.name ?? item}</td>
      <td><form method="post" action="/market/sell"><input type="hidden" name="product" value="${item}">
        <input name="price" type="number" min="0.01" step="0.01" required placeholder="Price in €" aria-label="Price">
        <button>Sell</button></form></td></tr>`;
  const mine =
    wallet === undefined
      ? html`<p>Log in to buy and sell.</p>${loginForm('/market')}`
      : html`<h2>Yours</h2><p>You have ${money(wallet.funds)}.</p><table>${[...wallet.items].map(owned)}</table>`;
  return page(
    'Market',
    html`<h1>Second-hand market</h1><p>Customers sell to each other what they have bought here.</p>
      <table>${listings.map(listed)}</table>${listings.length === 0 && html`<p>Nothing is offered at the moment.</p>`}${mine}`,
  );
}

export function livePage(): string {
  const row = (name: string): Html =>
    html`<tr data-event="${name}"><th>${name}</th><td class="line"></td><td class="number"></td></tr>`;
  return page(
    'Live',
    html`<h1>Live</h1><p>The last minute, second by second, in all processes of the shop.</p>
      <table id="live">${EVENTS.map(row)}</table>
      <div class="columns">
        <section><h2>Most viewed</h2><ol id="top"></ol></section>
        <section><h2>Slowest pages</h2><ol id="slowest"></ol></section>
        <section><h2>Last messages</h2><ol id="messages"></ol></section>
      </div>`,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`);
}
