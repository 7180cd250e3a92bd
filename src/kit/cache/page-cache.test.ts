import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type PageCacheOptions, pageCache } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return { clock, store, [Symbol.asyncDispose]: () => store.close() };
}

const LONG = 'a line of a page\n'.repeat(500);

/** What a client got. */
interface Got {
  readonly text: string;
  readonly cache: string | null;
  readonly status: number;
  readonly headers: Headers;
}

type Ask = (path: string, headers?: Record<string, string>) => Promise<Got>;

/** A site of the fetch standard behind a cache. */
function site(
  { store }: Bench,
  options: PageCacheOptions,
  answer: (url: URL, count: number) => Response | Promise<Response>,
): { ask: Ask; calls: () => number; pages: ReturnType<typeof pageCache> } {
  let calls = 0;
  const pages = pageCache(store, { jitter: 0, ...options });
  const handle = pages.fetch((request) => answer(new URL(request.url), ++calls));
  const ask: Ask = async (path, headers = {}) => {
    const response = await handle(new Request(`http://shop.test${path}`, { headers }));
    return gotOf(response);
  };
  return { ask, calls: () => calls, pages };
}

async function gotOf(response: Response): Promise<Got> {
  const { status, headers } = response;
  return { text: await response.text(), cache: headers.get('x-cache'), status, headers };
}

describe('A page cache', () => {
  it('renders a page once until it has ended, whatever the order of its parameters', async () => {
    await using on = await bench();
    const shop = site(on, { ttl: 300_000 }, ({ pathname }, count) => new Response(`${pathname} ${count}`));
    assert.deepEqual((await shop.ask('/item?a=1&b=2')).cache, 'miss');
    const hit = await shop.ask('/item?b=2&a=1');
    assert.deepEqual([hit.text, hit.cache, hit.status], ['/item 1', 'hit', 200]);
    assert.equal((await shop.ask('/item?a=2')).text, '/item 2');
    on.clock.advance(300_001);
    assert.equal((await shop.ask('/item?a=1&b=2')).text, '/item 3');
  });

  it('renders a page once for all who ask at the same time', async () => {
    await using on = await bench();
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const shop = site(on, {}, async (_, count) => {
      await held;
      return new Response(`page ${count}`);
    });
    const asking = Array.from({ length: 10 }, () => shop.ask('/'));
    while ((await on.store.send('HLEN', 'cache:{page:shop.test/}:waiters')) !== 9);
    letGo();
    const texts = (await Promise.all(asking)).map(({ text }) => text);
    assert.deepEqual(new Set(texts), new Set(['page 1']));
  });

  it('does not store what is for one client, failed or is dynamic', async () => {
    await using on = await bench();
    const answers: Record<string, () => Response> = {
      '/cookie': () => new Response('x', { headers: { 'set-cookie': 'a=b' } }),
      '/private': () => new Response('x', { headers: { 'cache-control': 'private, max-age=10' } }),
      '/no-store': () => new Response('x', { headers: { 'cache-control': 'no-store' } }),
      '/error': () => new Response('x', { status: 500 }),
      '/vary': () => new Response('x', { headers: { vary: 'Accept-Language' } }),
      '/encoded': () => new Response('x', { headers: { 'content-encoding': 'br' } }),
      '/large': () => new Response('x'.repeat(2_000)),
      '/?_=1': () => new Response('x'),
    };
    const shop = site(on, { maxBytes: 1_000 }, ({ pathname, search }) =>
      (answers[pathname + search] as () => Response)(),
    );
    for (const path of Object.keys(answers)) {
      await shop.ask(path);
      const before = shop.calls();
      assert.notEqual((await shop.ask(path)).cache, 'hit', path);
      assert.equal(shop.calls(), before + 1, path);
    }
    assert.deepEqual(await on.store.send('KEYS', '*entry'), []);
  });

  it('lets those who wait for a page that cannot be stored render their own', async () => {
    await using on = await bench();
    const shop = site(on, {}, (_, count) => new Response(`${count}`, { headers: { 'set-cookie': 'a=b' } }));
    const texts = (await Promise.all([shop.ask('/'), shop.ask('/'), shop.ask('/')])).map(({ text }) => text);
    assert.deepEqual(texts.sort(), ['1', '2', '3']);
  });

  it('gives requests with credentials to the handler', async () => {
    await using on = await bench();
    const shop = site(on, {}, (_, count) => new Response(`${count}`));
    await shop.ask('/');
    assert.equal((await shop.ask('/', { cookie: 'sid=1' })).text, '2');
    assert.equal((await shop.ask('/', { authorization: 'Bearer x' })).text, '3');
    const lenient = site(
      on,
      { ignoreCookies: true, prefix: 'other' },
      (_, count) => new Response(`${count}`),
    );
    await lenient.ask('/');
    assert.equal((await lenient.ask('/', { cookie: 'sid=1' })).text, '1');
    assert.equal((await lenient.ask('/', { authorization: 'Bearer x' })).text, '2');
  });

  it('keeps pages apart by the headers they depend on', async () => {
    await using on = await bench();
    const shop = site(
      on,
      { vary: ['Accept-Language'] },
      (_, count) => new Response(`${count}`, { headers: { vary: 'accept-language' } }),
    );
    assert.equal((await shop.ask('/', { 'accept-language': 'de' })).text, '1');
    assert.equal((await shop.ask('/', { 'accept-language': 'fr' })).text, '2');
    assert.equal((await shop.ask('/', { 'accept-language': 'de' })).text, '1');
    assert.equal(await shop.pages.invalidate('http://shop.test/'), true, 'all variants');
    assert.equal((await shop.ask('/', { 'accept-language': 'fr' })).text, '3');
    assert.equal((await shop.ask('/', { 'accept-language': 'de' })).text, '4');
  });

  it('caches only pages of the most viewed items', async () => {
    await using on = await bench();
    const ranks: Record<string, number> = { book: 1, lamp: 10_000, vase: 10_001 };
    const options: PageCacheOptions = {
      itemOf: (url) => url.searchParams.get('item') ?? undefined,
      views: { rank: async (item) => ranks[item] },
    };
    const shop = site(on, options, (_, count) => new Response(`${count}`));
    for (const [path, isCached] of [
      ['/?item=book', true],
      ['/?item=lamp', true],
      ['/?item=vase', false],
      ['/?item=unknown', false],
      ['/about', false],
    ] as const) {
      await shop.ask(path);
      assert.equal((await shop.ask(path)).cache, isCached ? 'hit' : null, path);
    }
    assert.throws(() => pageCache(on.store, { views: { rank: async () => 1 } }), /`views` needs `itemOf`/);
  });

  it('returns a stale page and renders a new one after that', async () => {
    await using on = await bench();
    const shop = site(on, { ttl: 1_000, stale: 10_000 }, (_, count) => new Response(`${count}`));
    await shop.ask('/');
    await shop.ask('/');
    on.clock.advance(1_001);
    const stale = await shop.ask('/');
    assert.deepEqual([stale.text, stale.cache], ['1', 'stale']);
    while ((await shop.ask('/')).cache !== 'hit');
    assert.equal((await shop.ask('/')).text, '2');
    assert.equal(shop.calls(), 2);
  });

  it('stores pages compressed, and sends them as the client wants', async () => {
    await using on = await bench();
    const shop = site(on, {}, () => new Response(LONG, { headers: { 'content-type': 'text/plain' } }));
    await shop.ask('/');
    assert.ok((await on.store.send<number>('HSTRLEN', 'cache:{page:shop.test/}:entry', 'body')) < 1_000);
    const handle = pageCache(on.store).fetch(() => new Response('not called'));
    const zipped = await handle(
      new Request('http://shop.test/', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } }),
    );
    assert.deepEqual(
      [
        zipped.headers.get('content-encoding'),
        zipped.headers.get('vary'),
        zipped.headers.get('content-type'),
      ],
      ['gzip', 'Accept-Encoding', 'text/plain'],
    );
    const plain = new Response(zipped.body?.pipeThrough(new DecompressionStream('gzip')));
    assert.equal(await plain.text(), LONG);
    const refusing = await shop.ask('/', { 'accept-encoding': 'gzip;q=0' });
    assert.deepEqual([refusing.text, refusing.headers.get('content-encoding')], [LONG, null]);
  });

  it('removes pages by address and by tag', async () => {
    await using on = await bench();
    const shop = site(
      on,
      { tags: (url) => [`path:${url.pathname}`] },
      (_, count) => new Response(`${count}`),
    );
    for (const path of ['/a?x=1', '/a?x=2', '/b']) {
      // A page is stored after it was returned; the second request waits for it.
      assert.deepEqual([(await shop.ask(path)).cache, (await shop.ask(path)).cache], ['miss', 'hit']);
    }
    assert.equal(await shop.pages.invalidate('http://shop.test/b'), true);
    assert.equal(await shop.pages.invalidateTag('path:/a'), 2);
    for (const path of ['/a?x=1', '/a?x=2', '/b']) assert.notEqual((await shop.ask(path)).cache, 'hit');
    await assert.rejects(shop.pages.invalidate('/b'), { code: 'OPTION' });
  });
});

describe('A page cache before a handler of node:http', () => {
  async function serving(
    { store }: Bench,
    handler: RequestListener,
    options: PageCacheOptions = {},
  ): Promise<{ ask: Ask; address: URL } & AsyncDisposable> {
    const server = createServer(pageCache(store, options).node(handler));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return {
      address,
      ask: async (path, headers = {}) => gotOf(await fetch(new URL(path, address), { headers })),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  it('stores what it writes, however it does it', async () => {
    await using on = await bench();
    let calls = 0;
    await using server = await serving(on, (request, response) => {
      calls++;
      if (request.url === '/head') {
        response.writeHead(200, { 'Content-Type': 'text/csv', 'X-Own': ['a', 'b'] });
        response.write('some ');
        response.write(Buffer.from('6279746573', 'hex'));
        response.end('2042', 'hex');
        return;
      }
      response.setHeader('X-Own', 'set');
      response.end(LONG);
    });
    for (const path of ['/head', '/plain']) {
      const first = await server.ask(path);
      const second = await server.ask(path);
      assert.deepEqual([first.cache, second.cache], ['miss', 'hit']);
      assert.equal(second.text, first.text);
      assert.equal(second.headers.get('x-own'), first.headers.get('x-own'));
      assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
    }
    assert.equal((await server.ask('/head')).text, 'some bytes B');
    assert.equal(calls, 2);
  });

  it('stores no page whose client has left', async () => {
    await using on = await bench();
    let calls = 0;
    let isHeld = true;
    await using server = await serving(on, (_, response) => {
      calls++;
      response.write('half of a page');
      if (!isHeld) response.end(', and the rest');
    });
    const leaving = send(server.address);
    leaving.on('error', () => {});
    leaving.end();
    const [answer] = (await once(leaving, 'response')) as [NodeJS.ReadableStream];
    await once(answer, 'data');
    leaving.destroy();
    isHeld = false;
    assert.equal((await server.ask('/')).text, 'half of a page, and the rest');
    assert.equal((await server.ask('/')).cache, 'hit');
    assert.equal(calls, 2);
  });

  it('does not answer other methods from the cache', async () => {
    await using on = await bench();
    await using server = await serving(on, (request, response) => response.end(request.method));
    await server.ask('/');
    const posted = await fetch(server.address, { method: 'POST', body: 'x' });
    assert.equal(await posted.text(), 'POST');
  });
});
