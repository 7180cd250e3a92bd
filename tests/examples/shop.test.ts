/** The shop of examples/shop, as its users start it, from the first page to the receipt. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configuration } from '../../src/kit/configuration/index.js';
import { open } from '../../src/store/index.js';
import { Application, Browser, formOf, KINDS, type Kind, until } from './support.js';

const SECRET = { SHOP_SECRET: 'a secret that all processes of the test share' };

class Customer extends Browser {
  /** Sends a form; returns the notice that the next page shows. */
  async post(path: string, form: Readonly<Record<string, string | number>>): Promise<string | undefined> {
    await this.ask(await this.send(path, form));
    return (await this.json<{ notice?: string }>('/me')).notice;
  }
}

for (const kind of KINDS) {
  describe(`The shop, ${kind.name}`, { skip: kind.skip, timeout: 300_000 }, () => {
    let place: Awaited<ReturnType<Kind['start']>>;
    let shops: Application[];
    let ann: Customer;
    let bob: Customer;

    before(async () => {
      place = await kind.start();
      shops = await Promise.all(
        Array.from({ length: kind.processes }, () => Application.start('shop', place.address, SECRET)),
      );
      // If there are two processes, each customer talks to another one.
      [ann, bob] = [new Customer(shops[0] as Application), new Customer(shops.at(-1) as Application)];
    });
    after(async () => {
      for (const shop of shops ?? []) shop.kill();
      await place?.stop();
    });

    it('lists products by category, from the cache for the second visitor', async () => {
      const list = await ann.get('/');
      assert.equal(list.match(/class="card"/g)?.length, 24);
      const again = await new Browser(shops[0] as Application).ask('/');
      assert.equal(again.headers.get('x-cache'), 'hit');
      assert.equal(await again.text(), list);
      assert.equal(await bob.get('/'), list);
      const games = await ann.get('/?group=Games');
      assert.match(games, /Chess Set/);
      assert.doesNotMatch(games, /Compass/);
      assert.equal((await ann.ask('/product/nothing')).status, 404);
    });

    it('completes names while they are typed, without accents and case', async () => {
      const names = async (text: string) =>
        (await ann.json<{ name: string }[]>(`/search?q=${text}`)).map(({ name }) => name);
      assert.deepEqual(await names('ELA'), ['Élan Headphones']);
      assert.deepEqual(await names('ch'), ['Chef’s Knife', 'Chess Set']);
      assert.deepEqual(await names('xyz'), []);
    });

    it('keeps the cart of a visitor through the login', async () => {
      await ann.post('/cart', { product: 'compass', add: 2 });
      await ann.post('/cart', { product: 'notebook', add: 1 });
      assert.equal(await ann.post('/login', { user: 'ann', next: '/cart' }), 'Welcome, ann.');
      const { user, cart } = await ann.json<{ user: string; cart: number }>('/me');
      assert.deepEqual([user, cart], ['ann', 3]);
      await ann.post('/cart', { product: 'notebook', set: 0 });
      assert.match(await ann.get('/cart'), /Order and pay 54\.00 €/);
    });

    it('counts one vote of each customer, and shows it at once although pages are cached', async () => {
      const votes = async (): Promise<string | undefined> =>
        / ▲ (\d+)|▲ (\d+)/.exec(await ann.get('/product/compass'))?.[0].trim();
      assert.equal(await votes(), '▲ 1');
      assert.equal(await ann.post('/vote', { product: 'compass', choice: 'up' }), 'Thank you.');
      assert.equal(await votes(), '▲ 2');
      assert.equal(await ann.post('/vote', { product: 'compass', choice: 'up' }), 'You had voted so before.');
      assert.equal(await ann.post('/vote', { product: 'compass', choice: 'down' }), 'Changed.');
      assert.equal(await votes(), '▲ 1');
    });

    it('sells what is in the cart, and sends the receipt from the queue', async () => {
      assert.match((await ann.post('/checkout', {})) ?? '', /^Thank you for order 1\./);
      await until('the receipt is in the mailbox', async () =>
        /Receipt for order 1/.test(await ann.get('/orders')),
      );
      assert.match(await ann.get('/orders'), /2 × Compass: 54\.00 €/);
      assert.match(await ann.get('/product/compass'), /43 in stock/);
      assert.match(await ann.get('/market'), /You have 446\.00 €/);
      assert.equal(await ann.post('/checkout', {}), 'Your cart is empty.');
    });

    it('sells once if the button is pressed twice', async () => {
      await ann.post('/cart', { product: 'notebook', add: 1 });
      const pressed = await Promise.all([1, 2].map(() => ann.ask('/checkout', formOf({}))));
      assert.deepEqual(pressed.map((response) => response.headers.get('location')).sort(), [
        '/cart',
        '/orders',
      ]);
      assert.match(await ann.get('/product/notebook'), /199 in stock/);
      const market = await ann.get('/market');
      assert.match(market, /You have 433\.50 €/, 'she has paid once');
      await ann.post('/market/sell', { product: 'notebook', price: '12.50' });
      assert.equal(
        await ann.post('/market/sell', { product: 'notebook', price: '12.50' }),
        'You do not have that.',
      );
      const [, id = ''] = /name="id" value="([^"]+)"/.exec(await ann.get('/market')) ?? [];
      assert.equal(await ann.post('/market/unlist', { id }), 'You have it back.');
    });

    it('refuses an order that cannot be paid, and leaves the stock as it was', async () => {
      await ann.post('/cart', { product: 'upright-piano', add: 1 });
      assert.equal(await ann.post('/checkout', {}), 'You need 3456.50 € more. Sell something on the market!');
      await ann.post('/cart', { product: 'upright-piano', set: 3 });
      assert.equal(await ann.post('/checkout', {}), 'Upright Piano: We do not have as many.');
      await ann.post('/cart', { product: 'upright-piano', set: 0 });
      assert.match(await ann.get('/product/upright-piano'), /2 in stock/);
    });

    it('lets customers sell to each other, each item once', async () => {
      assert.equal(
        await ann.post('/market/sell', { product: 'compass', price: '20.50' }),
        'It is on the market.',
      );
      assert.equal(await bob.post('/login', { user: 'bob' }), 'Welcome, bob.');
      const [, id = ''] = /name="id" value="([^"]+)"/.exec(await bob.get('/market')) ?? [];
      assert.equal(await bob.post('/market/buy', { id, price: 1 }), 'The price has changed: look again.');
      const notices = await Promise.all(
        [1, 2].map(() => bob.ask('/market/buy', formOf({ id, price: 2050 }))),
      );
      assert.deepEqual(
        notices.map(({ status }) => status),
        [303, 303],
      );
      assert.match(await bob.get('/market'), /You have 479\.50 €/);
      assert.match(await ann.get('/market'), /You have 454\.00 €/);
      assert.equal(await bob.post('/market/buy', { id, price: 2050 }), 'Another customer was faster.');
    });

    it('shows live what happens in all its processes', async () => {
      const controller = new AbortController();
      const response = await bob.ask('/live/events', { signal: controller.signal });
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        if (text.includes('\n\n')) break;
      }
      controller.abort();
      const state = JSON.parse(text.slice('data: '.length, text.indexOf('\n\n'))) as {
        series: { name: string; total: number; line: string }[];
        top: string[];
        messages: string[];
      };
      const totals = Object.fromEntries(state.series.map(({ name, total }) => [name, total]));
      assert.ok((totals['sales'] as number) >= 2 && (totals['votes'] as number) >= 3, JSON.stringify(totals));
      assert.equal(state.series[0]?.line.length, 60);
      assert.match(state.top.join(), /Compass/);
      assert.match(state.messages.join(), /receipt sent|login|order/);
    });

    it('refuses forms of other sites, and clients that post too fast', async () => {
      const foreign = await ann.ask('/cart', {
        ...formOf({ product: 'compass', add: 1 }),
        headers: { 'sec-fetch-site': 'cross-site' },
      });
      assert.equal(foreign.status, 403);
      assert.equal((await ann.ask('/market/buy', formOf({}))).status, 400);
      let refused: Response | undefined;
      for (let i = 0; i < 300 && refused === undefined; i++) {
        const response = await ann.ask('/cart', formOf({ product: 'nothing', add: 1 }));
        if (response.status === 429) refused = response;
      }
      assert.ok(Number(refused?.headers.get('retry-after')) >= 1);
    });

    if (kind.processes > 1) {
      it('is closed by the maintenance flag in all its processes', async () => {
        await using store = await open(place.address);
        const { maintenance } = configuration(store);
        await maintenance.begin({ reason: 'new shelves' });
        for (const browser of [ann, bob]) {
          await until('it is closed', async () => (await browser.ask('/')).status === 503);
          assert.match(await browser.get('/'), /new shelves/);
        }
        await maintenance.end();
        for (const browser of [ann, bob]) {
          await until('it is open', async () => (await browser.ask('/')).status === 200);
        }
      });
    }

    if (kind.processes > 1) {
      it('asks visitors to come back while the server with its data does not answer', async () => {
        const { server } = place;
        assert.ok(server?.kill('SIGSTOP'));
        try {
          const { status, headers } = await bob.ask('/me');
          assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
        } finally {
          server?.kill('SIGCONT');
        }
        await until('it is open', async () => (await bob.ask('/me')).status === 200);
      });
    }

    it('stops when it is told to', async () => {
      assert.deepEqual(
        await Promise.all(shops.map((shop) => shop.stop())),
        shops.map(() => 0),
      );
    });
  });
}
