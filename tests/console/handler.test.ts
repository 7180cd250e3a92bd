import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { consoleHandler, type Permission } from '../../src/console/index.js';
import { open, StoreError } from '../../src/store/index.js';

const MARK = { 'x-sorrel-console': '1' };
/** Users by the header that the program's own authentication would set. */
const PERMISSIONS: Readonly<Record<string, Permission>> = { ann: 'all', bob: 'read' };
const authorize = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): Permission =>
  PERMISSIONS[String(headers['x-user'])] ?? 'none';

/** What each user gets, at the path under which the console is served. */
async function checkUsers(base: string): Promise<void> {
  const page = await fetch(`${base}/redis`, { headers: { 'x-user': 'ann' } });
  assert.equal(page.url, `${base}/redis/`);
  assert.match(await page.text(), /<script type="module" src="\.\/main-/);
  const session = async (user: string): Promise<Response> =>
    fetch(`${base}/redis/api/session`, { headers: { ...MARK, 'x-user': user } });
  assert.equal((await session('eve')).status, 403);
  assert.equal(((await (await session('ann')).json()) as { readOnly: boolean }).readOnly, false);
  assert.equal(((await (await session('bob')).json()) as { readOnly: boolean }).readOnly, true);
  const set = async (user: string): Promise<number> => {
    const headers = { ...MARK, 'x-user': user, 'content-type': 'application/json' };
    const body = JSON.stringify({ key: 'greeting', value: 'hello' });
    return (await fetch(`${base}/redis/api/keys/edit/string/set`, { method: 'POST', headers, body })).status;
  };
  assert.deepEqual([await set('bob'), await set('ann')], [403, 200]);
  const forged = { ...MARK, 'x-user': 'ann', origin: 'http://evil.example' };
  assert.equal((await fetch(`${base}/redis/api/session`, { headers: forged })).status, 403);
}

describe("The console inside a program's own server", () => {
  it('works under express, also behind its JSON parser', async () => {
    await using store = await open();
    const handler = consoleHandler(store, { basePath: '/redis', authorize });
    const app = express().use(express.json()).use('/redis', handler);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await checkUsers(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    assert.equal(await store.get('greeting'), 'hello');
    handler.close();
    server.closeAllConnections();
    server.close();
  });

  it('works under fastify', async () => {
    await using store = await open();
    const handler = consoleHandler(store, { basePath: '/redis', authorize });
    const app = fastify();
    for (const path of ['/redis', '/redis/*']) {
      app.all(path, (request, reply) => {
        reply.hijack();
        void handler(Object.assign(request.raw, { body: request.body }), reply.raw);
      });
    }
    await checkUsers(await app.listen({ port: 0, host: '127.0.0.1' }));
    assert.equal(await store.get('greeting'), 'hello');
    handler.close();
    app.server.closeAllConnections();
    await app.close();
  });

  it('refuses options that do not exist or do not fit, and a missing authorize', async () => {
    await using store = await open();
    const wrong: readonly object[] = [
      {},
      { authorize: 'yes' },
      { authorize, basepath: '/x' },
      { authorize, basePath: 'x' },
      { authorize, readOnly: 'no' },
      { authorize, hosts: 'a' },
    ];
    for (const options of wrong) {
      assert.throws(
        () => consoleHandler(store, options as never),
        (error) =>
          error instanceof StoreError && error.code === 'OPTION' && error.message.startsWith('console:'),
      );
    }
    assert.throws(() => consoleHandler('redis://localhost' as never, { authorize }), /must be a store/);
  });
});

describe('sorrel console', () => {
  it('prints the address, serves a read-only console at it, and ends by SIGTERM', async () => {
    const program = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, program, 'console', '--read-only', 'memory:']);
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('Ctrl-C')) break;
    }
    const [, base, token] = /(http:\/\/127\.0\.0\.1:\d+\/)#token=(\S+)/.exec(text) ?? [];
    const answer = await fetch(`${base}api/session`, {
      headers: { ...MARK, authorization: `Bearer ${token}` },
    });
    const session = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual([session['kind'], session['readOnly'], session['title']], ['embedded', true, 'memory:']);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
