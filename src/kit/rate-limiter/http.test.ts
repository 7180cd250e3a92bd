import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { ManualClock, open } from '../../store/index.js';
import { limitExpress, limitFastify, limitFetch, rateLimiter, rateLimitHeaders } from './index.js';

const WINDOWS = {
  windows: [
    { limit: 2, per: 60_000, algorithm: 'fixed-window', name: 'burst' },
    { limit: 10, per: 3_600_000, algorithm: 'sliding-window', name: 'hour' },
  ],
  block: 0,
} as const;

async function bench() {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return { clock, limiter: rateLimiter(store, WINDOWS), [Symbol.asyncDispose]: () => store.close() };
}

const POLICY = '"burst";q=2;w=60, "hour";q=10;w=3600';

/** What a client sees of a response. */
async function seen(response: Response): Promise<object> {
  const { status, headers } = response;
  const [policy, limit, retryAfter, type] = [
    'RateLimit-Policy',
    'RateLimit',
    'Retry-After',
    'Content-Type',
  ].map((name) => headers.get(name)?.replace(/;\s*charset=utf-8$/, '') ?? null);
  return { status, policy, limit, retryAfter, type, body: await response.text() };
}

const REFUSED = {
  status: 429,
  policy: POLICY,
  limit: '"burst";r=0;t=60',
  retryAfter: '60',
  type: 'application/problem+json',
  body: JSON.stringify({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Too many requests',
    status: 429,
    'violated-policies': ['burst'],
  }),
};

/** Two requests pass, the third is refused, another name is served. */
async function checkHandler(ask: (user?: string) => Promise<Response>): Promise<void> {
  for (const left of [1, 0]) {
    const first = await ask('ann');
    assert.equal(first.headers.get('RateLimit-Policy'), POLICY);
    assert.equal(first.headers.get('RateLimit'), `"burst";r=${left};t=60, "hour";r=${8 + left};t=3600`);
    assert.deepEqual([first.status, await first.text()], [200, 'hello']);
  }
  assert.deepEqual(await seen(await ask('ann')), REFUSED);
  assert.equal((await ask('bob')).status, 200);
  const free = await ask();
  assert.deepEqual([free.status, free.headers.get('RateLimit')], [200, null], 'not limited');
}

const asUser = (user: string | undefined): RequestInit => (user === undefined ? {} : { headers: { user } });

describe('Helpers for web frameworks', () => {
  it('limitExpress limits requests', async () => {
    await using on = await bench();
    const app = express();
    app.use(limitExpress(on.limiter, { name: (request) => request.get('user') }));
    app.get('/', (_request, response) => {
      response.send('hello');
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await checkHandler((user) => fetch(`http://127.0.0.1:${port}/`, asUser(user)));
    server.closeAllConnections();
    server.close();
  });

  it('limitExpress works on node:http, and passes errors on', async () => {
    await using on = await bench();
    const limit = limitExpress(on.limiter, {
      name: (request: { headers: Record<string, unknown> }) => request.headers['user'] as string,
      cost: () => 3,
    });
    const server = createServer((request, response) => {
      limit(request, response, (error) => response.end(String(error)));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, asUser('ann'));
    assert.match(await response.text(), /`cost` must be a whole number from 1 to 2, not 3/);
    server.closeAllConnections();
    server.close();
  });

  it('limitFastify limits requests', async () => {
    await using on = await bench();
    const app = fastify();
    app.addHook(
      'onRequest',
      limitFastify(on.limiter, { name: (request) => request.headers['user'] as string | undefined }),
    );
    app.get('/', async () => 'hello');
    await checkHandler(async (user) => {
      const { statusCode, headers, body } = await app.inject({
        url: '/',
        headers: user === undefined ? {} : { user },
      });
      return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
    });
    await app.close();
  });

  it('limitFetch limits requests', async () => {
    await using on = await bench();
    const handler = limitFetch(
      on.limiter,
      { name: async (request) => request.headers.get('user') ?? undefined },
      (_request, text: string) => new Response(text),
    );
    await checkHandler((user) => handler(new Request('http://localhost/', asUser(user)), 'hello'));
    const redirecting = limitFetch(on.limiter, { name: () => 'cat' }, () =>
      Response.redirect('http://a/', 302),
    );
    const response = await redirecting(new Request('http://localhost/'));
    assert.deepEqual([response.status, response.headers.get('Location')], [302, 'http://a/']);
    assert.match(response.headers.get('RateLimit') ?? '', /^"burst";r=1/);
  });

  it('the headers of a blocked name say until when', async () => {
    await using on = await bench();
    await on.limiter.block('ann', 90_000);
    const headers = rateLimitHeaders(await on.limiter.take('ann'));
    assert.deepEqual(headers, {
      'RateLimit-Policy': POLICY,
      RateLimit: '"burst";r=0;t=90, "hour";r=0;t=90',
      'Retry-After': '90',
    });
    assert.equal(rateLimitHeaders(await on.limiter.look('bob')).RateLimit, '"burst";r=2, "hour";r=10');
  });

  it('refuse wrong arguments', async () => {
    await using on = await bench();
    const refused = { name: 'KitError', code: 'OPTION' };
    assert.throws(() => limitExpress({} as never, { name: () => 'x' }), refused);
    assert.throws(() => limitFastify(on.limiter, {} as never), refused);
    assert.throws(() => limitFetch(on.limiter, { name: () => 'x' }, undefined as never), refused);
    assert.throws(
      () => limitFetch(on.limiter, { name: () => 'x', costs: 1 } as never, () => new Response()),
      refused,
    );
  });
});
