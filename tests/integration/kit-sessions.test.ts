/** The kit's sessions in node:http, handlers of the fetch standard, express, fastify, and as a store of express-session. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import session from 'express-session';
import fastify from 'fastify';
import {
  expressStore,
  type Sessions,
  sessionCookies,
  sessions,
  type WebSession,
} from '../../src/kit/sessions/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

interface Data {
  visits: number;
}

declare module 'express-session' {
  interface SessionData {
    visits: number;
    user?: string;
  }
}

const COOKIE = { secrets: ['the key of these tests'], secure: false };

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly all: Sessions<Data>;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const all = sessions<Data>(store, { idle: 3_600_000 });
  return { clock, store, all, [Symbol.asyncDispose]: () => store.close() };
}

/** The use of a session that all servers here have in common. */
async function answer(path: string, own: WebSession<Data>): Promise<string> {
  switch (path) {
    case '/login':
      await own.login('ann');
      return `hello ${own.user}`;
    case '/logout':
      await own.logout();
      return 'bye';
    case '/look':
      return own.user ?? 'a visitor';
    case '/view':
      await own.view('book');
      return 'viewed';
    default:
      await own.update({ visits: (own.data.visits ?? 0) + 1 });
      return `visit ${own.data.visits}`;
  }
}

/** Sends a request with a cookie; returns the response, and the cookie for the next request. */
type Ask = (path: string, cookie?: string) => Promise<{ text: string; cookie: string }>;

function askAt(address: string): Ask {
  return async (path, cookie = '') => {
    const response = await fetch(address + path, { headers: { cookie } });
    return { text: await response.text(), cookie: cookieOf(response) ?? cookie };
  };
}

/** The last cookie that was set counts, as in browsers. */
function cookieOf(response: Response): string | undefined {
  return response.headers.getSetCookie().at(-1)?.split(';')[0];
}

async function listening(server: Server): Promise<{ ask: Ask } & AsyncDisposable> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ask: askAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The same requests for every kind of server. */
async function check({ all, store }: Bench, ask: Ask): Promise<void> {
  const robot = await ask('/look');
  assert.deepEqual(robot, { text: 'a visitor', cookie: '' });
  assert.equal(await all.count(), 0, 'reading creates no session');
  const first = await ask('/');
  assert.match(first.cookie, /^sid=/);
  assert.equal((await ask('/', first.cookie)).text, 'visit 2');
  await ask('/view', first.cookie);
  const login = await ask('/login', first.cookie);
  assert.equal(login.text, 'hello ann');
  assert.notEqual(login.cookie, first.cookie, 'a login changes the token');
  assert.equal((await ask('/', login.cookie)).text, 'visit 3', 'and keeps the data');
  assert.equal((await ask('/', first.cookie)).text, 'visit 1', 'the old token is invalid');
  assert.equal((await all.ofUser('ann')).length, 1);
  const forged = `${login.cookie.slice(0, -4)}AAAA`;
  assert.equal((await ask('/look', forged)).text, 'a visitor');
  assert.equal((await ask('/look', login.cookie)).text, 'ann');
  assert.equal((await ask('/logout', login.cookie)).cookie, 'sid=');
  assert.equal((await ask('/look', login.cookie)).text, 'a visitor');
  assert.deepEqual(await all.ofUser('ann'), []);
  assert.ok((await store.send<number>('DBSIZE')) > 0);
}

describe('Sessions of web requests', { timeout: 60_000 }, () => {
  it('with node:http', async () => {
    await using on = await bench();
    const web = sessionCookies(on.all, COOKIE);
    const listener: RequestListener = async (request, response) => {
      const own = await web.open(request, response);
      response.end(await answer(request.url ?? '', own));
    };
    await using server = await listening(createServer(listener));
    await check(on, server.ask);
  });

  it('with handlers of the fetch standard', async () => {
    await using on = await bench();
    const handle = sessionCookies(on.all, COOKIE).fetch(async (request, own) => {
      return new Response(await answer(new URL(request.url).pathname, own));
    });
    await check(on, async (path, cookie = '') => {
      const response = await handle(new Request(`http://localhost${path}`, { headers: { cookie } }));
      return { text: await response.text(), cookie: cookieOf(response) ?? cookie };
    });
  });

  it('with express', async () => {
    await using on = await bench();
    const app = express();
    app.use(sessionCookies(on.all, COOKIE).express());
    app.use(async (request, response) => {
      response.send(await answer(request.path, request.session as unknown as WebSession<Data>));
    });
    await using server = await listening(createServer(app));
    await check(on, server.ask);
  });

  it('with fastify', async () => {
    await using on = await bench();
    const app = fastify();
    app.addHook('onRequest', sessionCookies(on.all, COOKIE).fastify());
    app.get('*', async (request) => {
      const { session: own } = request as unknown as { session: WebSession<Data> };
      return answer(request.url, own);
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      await check(on, askAt(address));
    } finally {
      await app.close();
    }
  });

  it('get a cookie of the new key when theirs was signed with an old one', async () => {
    await using on = await bench();
    const handler = async (request: Request, own: WebSession<Data>): Promise<Response> =>
      new Response(await answer(new URL(request.url).pathname, own));
    const earlier = sessionCookies(on.all, { secrets: ['the old key of the tests'] }).fetch(handler);
    const later = sessionCookies(on.all, {
      secrets: ['the new key of the tests', 'the old key of the tests'],
    }).fetch(handler);
    const first = cookieOf(await earlier(new Request('http://localhost/'))) as string;
    const response = await later(new Request('http://localhost/', { headers: { cookie: first } }));
    assert.equal(await response.text(), 'visit 2');
    const second = cookieOf(response) as string;
    assert.notEqual(second, first);
    const last = await later(new Request('http://localhost/', { headers: { cookie: second } }));
    assert.deepEqual(last.headers.getSetCookie(), [], 'no cookie is needed now');
  });

  it('refuse a new cookie when the headers are sent', async () => {
    await using on = await bench();
    const web = sessionCookies(on.all, COOKIE);
    let code: unknown;
    const listener: RequestListener = async (request, response) => {
      const own = await web.open(request, response);
      response.write('begun');
      await own.login('ann').catch((error: { code: string }) => {
        code = error.code;
      });
      response.end();
    };
    await using server = await listening(createServer(listener));
    await server.ask('/');
    assert.equal(code, 'HEADERS_SENT');
    assert.equal(await on.all.count(), 0);
  });
});

describe('A store of express-session', { timeout: 60_000 }, () => {
  async function app(on: Bench, cookie: session.CookieOptions = {}): Promise<{ ask: Ask } & AsyncDisposable> {
    const routes = express();
    routes.use(
      session({
        store: expressStore(session, on.all, { userOf: ({ user }) => user }),
        secret: 'the key of these tests',
        resave: false,
        saveUninitialized: false,
        cookie,
      }),
    );
    routes.get('/login', (request, response, next) => {
      request.session.regenerate((error) => {
        if (error) return next(error);
        request.session.user = 'ann';
        response.send('hello');
      });
    });
    routes.get('/leave', (request, response) => {
      request.session.destroy(() => response.send('bye'));
    });
    routes.get('/slow', async (request, response) => {
      request.session.visits = 100;
      await on.all.revokeUser('ann');
      response.send('revoked meanwhile');
    });
    routes.get('/', (request, response) => {
      request.session.visits = (request.session.visits ?? 0) + 1;
      response.send(`visit ${request.session.visits}`);
    });
    return listening(createServer(routes));
  }

  it('keeps sessions, ends them by idle time, and knows their users', async () => {
    await using on = await bench();
    await using server = await app(on);
    const first = await server.ask('/');
    assert.equal((await server.ask('/', first.cookie)).text, 'visit 2');
    on.clock.advance(3_000_000);
    assert.equal((await server.ask('/', first.cookie)).text, 'visit 3');
    on.clock.advance(3_000_000);
    assert.equal((await server.ask('/', first.cookie)).text, 'visit 4');
    on.clock.advance(3_604_000);
    assert.equal((await server.ask('/', first.cookie)).text, 'visit 1');
    const login = await server.ask('/login');
    assert.equal((await on.all.ofUser('ann')).length, 1);
    assert.equal((await server.ask('/leave', login.cookie)).text, 'bye');
    assert.deepEqual(await on.all.ofUser('ann'), []);
  });

  it('does not bring back a session that was revoked while its request ran', async () => {
    await using on = await bench();
    await using server = await app(on);
    const { cookie } = await server.ask('/login');
    assert.equal((await server.ask('/slow', cookie)).text, 'revoked meanwhile');
    assert.deepEqual(await on.all.ofUser('ann'), []);
    assert.equal((await server.ask('/', cookie)).text, 'visit 1');
  });

  it('ends a session with its cookie, if that is earlier', async () => {
    await using on = await bench();
    await using server = await app(on, { maxAge: 60_000 });
    const { cookie } = await server.ask('/');
    assert.equal((await server.ask('/', cookie)).text, 'visit 2');
    on.clock.advance(60_100);
    assert.equal((await server.ask('/', cookie)).text, 'visit 1');
  });

  it('lists and counts its sessions', async () => {
    await using on = await bench();
    await using server = await app(on);
    await server.ask('/');
    await server.ask('/');
    const own = expressStore(session, on.all);
    const listed = await new Promise((resolve) => own.all((_, found) => resolve(found)));
    assert.deepEqual(
      (listed as { visits: number }[]).map(({ visits }) => visits),
      [1, 1],
    );
    assert.equal(await new Promise((resolve) => own.length((_, count) => resolve(count))), 2);
  });
});
