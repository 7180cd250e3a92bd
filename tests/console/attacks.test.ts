import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { console as serveConsole } from '../../src/console/index.js';
import { ROUTES } from '../../src/console/parts.js';
import { open, type Store } from '../../src/store/index.js';
import { TestBrowser, whenChromiumIsInstalled } from './support/browser.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as an attacker may form it: `fetch` does not let programs choose Host and Origin. */
async function ask(
  port: number,
  { path = '/api/session', method = 'GET', headers = {}, body }: Asked,
): Promise<Answer> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { connection: 'close', ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

const codeOf = ({ body }: Answer): string => (JSON.parse(body) as { error: { code: string } }).error.code;

describe('The console refuses', () => {
  const token = 'secret-token-of-the-test';
  const good = { authorization: `Bearer ${token}`, 'x-sorrel-console': '1' };

  async function served(options: { readonly readOnly?: boolean } = {}) {
    const store = await open('memory:', { settings: { 'enable-debug-command': 'yes' } });
    const board = await serveConsole(store, { token, ...options });
    return {
      store,
      port: board.port,
      [Symbol.asyncDispose]: async () => {
        await board.close();
        await store.close();
      },
    };
  }

  it('requests without the token, and with a wrong one', async () => {
    await using site = await served();
    for (const authorization of ['', 'Bearer', 'Bearer x', `Bearer ${token}x`, `Basic ${token}`, token]) {
      const answer = await ask(site.port, { headers: { ...good, authorization } });
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'TOKEN'], authorization);
    }
    assert.equal(
      (await ask(site.port, { path: `/api/session?token=${token}`, headers: { 'x-sorrel-console': '1' } }))
        .status,
      401,
    );
    assert.equal((await ask(site.port, { headers: good })).status, 200);
  });

  it('a Host that is not its own (DNS rebinding), for the page too', async () => {
    await using site = await served();
    for (const host of [
      'evil.example',
      `evil.example:${site.port}`,
      '127.0.0.1',
      `127.0.0.1:${site.port}.evil.example`,
      'localhost:1',
    ]) {
      for (const path of ['/', '/api/session']) {
        const answer = await ask(site.port, { path, headers: { ...good, host } });
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'HOST'], `${host} ${path}`);
      }
    }
    assert.equal(
      (await ask(site.port, { headers: { ...good, host: `localhost:${site.port}` } })).status,
      200,
    );
  });

  it('requests that other sites cause (CSRF)', async () => {
    await using site = await served();
    const own = `http://127.0.0.1:${site.port}`;
    const forged: Readonly<Record<string, string>>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${site.port + 1}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of forged) {
      const answer = await ask(site.port, { headers: { ...good, ...headers } });
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'ORIGIN'], JSON.stringify(headers));
    }
    const { authorization } = good;
    assert.equal(codeOf(await ask(site.port, { headers: { authorization } })), 'ORIGIN', 'without the mark');
    assert.equal((await ask(site.port, { headers: { ...good, origin: own } })).status, 200);
    const form = { ...good, 'content-type': 'text/plain' };
    const body = JSON.stringify({ keys: ['a'] });
    assert.equal(
      (await ask(site.port, { path: '/api/keys/delete', method: 'POST', headers: form, body })).status,
      415,
    );
    assert.equal(
      (await ask(site.port, { path: '/api/keys/delete?keys=a', headers: good })).status,
      404,
      'by GET',
    );
  });

  it('paths outside of its files, and answers nothing that a browser would run', async () => {
    await using site = await served();
    for (const path of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/index.html/..%2f',
      '//evil.example/',
      '/api/../api/session',
      '/nothing',
    ]) {
      const { status } = await ask(site.port, { path, headers: { ...good } });
      assert.ok(status === 404 || (status === 200 && path.includes('api')), `${path}: ${status}`);
    }
    const page = await ask(site.port, { path: '/' });
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(page.body, /<script(?! type="module" src=)/);
    const api = await ask(site.port, { headers: good });
    assert.equal(api.headers['x-content-type-options'], 'nosniff');
    assert.equal(api.headers['cache-control'], 'no-store');
    assert.equal(api.headers['access-control-allow-origin'], undefined);
  });

  it('inputs that are too large, of the wrong type, or missing, and stays there', async () => {
    await using site = await served();
    const headers = { ...good, 'content-type': 'application/json' };
    const post = (path: string, body: string): Promise<Answer> =>
      ask(site.port, { path: `/api/${path}`, method: 'POST', headers, body });
    const wrong: readonly (readonly [path: string, body: string, status: number])[] = [
      ['keys/delete', 'x', 400],
      ['keys/delete', '[]', 400],
      ['keys/delete', 'null', 400],
      ['keys/delete', '{"keys":"a"}', 400],
      ['keys/delete', '{"keys":[{"base64":"%"}]}', 400],
      ['keys/delete', `{"keys":[${'"a",'.repeat(2000)}"a"]}`, 400],
      ['keys/delete', `{"keys":["${'a'.repeat(2 * 1024 * 1024)}"]}`, 413],
      ['keys/edit/zset/set', '{"key":"a","member":"b","score":"1) evil"}', 400],
      ['keys/edit/list/set', '{"key":"a","value":"b"}', 400],
      ['keys/import', '{"keys":[{}]}', 400],
      ['commands/run', '{"line":"\\"open"}', 400],
      ['commands/run', '{"line":""}', 400],
      ['commands/script', '{"lua":"return 1","keys":[{"name":"end","value":""}]}', 422],
      ['__proto__', '{}', 404],
    ];
    for (const [path, body, status] of wrong) {
      const answer = await post(path, body);
      assert.equal(answer.status, status, `${path} ${body.slice(0, 80)}: ${answer.body}`);
      assert.notEqual(codeOf(answer), 'DEFECT');
    }
    for (const query of [
      'keys/page?key=a&type=evil',
      'keys/page?type=list',
      'keys/facts?key=~{',
      'keys/scan?cursor=9999:1',
      'keys/scan?limit=0',
      'keys/scan?speed=slow',
      'memory/sample?size=-1',
    ]) {
      const answer = await ask(site.port, { path: `/api/${query}`, headers: good });
      assert.match(answer.body, /INPUT/, query);
    }
    assert.equal((await ask(site.port, { headers: good })).status, 200);
  });

  it('every change if it is read-only, whatever the way', async () => {
    await using site = await served({ readOnly: true });
    await site.store.send('SET', 'kept', 'value');
    const headers = { ...good, 'content-type': 'application/json' };
    const post = (path: string, body: object): Promise<Answer> =>
      ask(site.port, { path: `/api/${path}`, method: 'POST', headers, body: JSON.stringify(body) });
    const before = await digest(site.store);
    const changing = ROUTES.filter(({ kind }) => kind === 'change');
    assert.ok(changing.length > 25);
    for (const { path } of changing) {
      const answer = await post(path, {
        key: 'kept',
        keys: ['kept'],
        value: 'x',
        name: 'x',
        server: 'embedded',
        to: 'y',
      });
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'READONLY'], path);
    }
    const lines = [
      'SET kept x',
      'set kept x',
      '"SET" kept x',
      'FLUSHALL',
      'DEL kept',
      "EVAL \"return redis.call('SET','kept','x')\" 0",
      'EVALSHA abc 0',
      'FCALL f 0',
      'CONFIG SET maxmemory 1',
      'CONFIG RESETSTAT',
      'SCRIPT FLUSH',
      'FUNCTION FLUSH',
      'ACL SETUSER x',
      'ACL LOG RESET',
      'acl log reset',
      'CLIENT KILL ID 1',
      'CLIENT PAUSE 1',
      'CLIENT NO-EVICT on',
      'SORT kept STORE x',
      'GEORADIUS k 0 0 1 m STORE x',
      'DEBUG SLEEP 0',
      'SHUTDOWN',
      'REPLICAOF a 1',
      'PUBLISH a b',
      'BGSAVE',
      'SAVE',
      'SWAPDB 0 1',
      'MIGRATE a 1 kept 0 1',
      'CLUSTER RESET',
      'MODULE LOAD x',
      'SLOWLOG RESET',
      'LATENCY RESET',
      'MEMORY PURGE',
      'RESTORE k 0 x',
      'GETDEL kept',
      'GETEX kept EX 1',
      'XREADGROUP GROUP a b STREAMS k >',
      'PFMERGE kept kept',
      'BITFIELD kept SET u8 0 1',
      'UNKNOWN kept',
      '"CONFIG SET" maxmemory 1',
      'ſET kept x',
      'MULTI',
      'MONITOR',
      'SUBSCRIBE a',
      // A person who knows a password can write by another connection.
      'CONFIG GET requirepass',
      'config get *',
      'CONFIG GET maxmemory Master?uth',
      'CONFIG GET [rm]*',
      'ACL GETUSER default',
      'ACL LIST',
    ];
    for (const line of lines) {
      const answer = await post('commands/run', { line });
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'READONLY'], line);
    }
    const script = await post('commands/script', {
      lua: "return redis.call('SET', 'kept', 'x')",
      keys: [],
      args: [],
      readOnly: false,
    });
    assert.match(script.body, /Write commands are not allowed from read-only scripts/);
    const allowed = await post('commands/run', {
      line: 'EVAL_RO "return redis.call(\'GET\', KEYS[1])" 1 kept',
    });
    assert.match(allowed.body, /"value":"value"/);
    assert.equal((await post('commands/run', { line: 'GET kept' })).status, 200);
    assert.equal((await post('commands/run', { line: 'CONFIG GET maxmemory* save' })).status, 200);
    assert.equal(await digest(site.store), before);
  });
});

const digest = async (store: Store): Promise<string> => String(await store.send('DEBUG DIGEST'));

/** Names and values that would do harm as HTML, as URLs, in JavaScript, or by their look. */
const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '</script><script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  'javascript:window.hacked=1',
  "'; window.hacked=1; //",
  '{{constructor.constructor("window.hacked=1")()}}',
  '__proto__',
  'constructor',
  '%00%ff',
  '~{"base64":"x"}',
  '\u202egnp.exe',
  '\0\r\n\t',
  '..',
  'x'.repeat(5_000),
  ' ',
  ':',
  '::',
  '#/keys?key=a&b=c',
];

describe('Hostile names and values', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(() => browser[Symbol.asyncDispose]());

  it('are shown as text, for keys of every type', async () => {
    await using store = await open();
    const all = HOSTILE.flatMap((text) => [text, text]);
    for (const text of HOSTILE) {
      await store.send('SET', text, text);
      await store.send('XGROUP', 'CREATE', 'events', text, '0', 'MKSTREAM');
    }
    await store.send('HSET', 'fields', ...all);
    await store.send('RPUSH', 'elements', ...HOSTILE);
    await store.send('SADD', 'members', ...HOSTILE);
    await store.send('ZADD', 'ranked', ...HOSTILE.flatMap((text, index) => [index, text]));
    await store.send('XADD', 'events', '*', ...all);
    await store.send('HSET', 'big', 'field', Buffer.alloc(8 * 1024 * 1024, '<b>'));
    await store.send('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
    await using board = await serveConsole(store, { title: HOSTILE[0] as string });
    await using visit = await browser.open(board.address);
    const { page } = visit;
    const keys = (await store.send('DBSIZE')) as unknown as number;
    await visit.choose('Keys');
    await page.getByText(`${keys} keys`).waitFor();
    for (const name of [...HOSTILE, 'fields', 'elements', 'members', 'ranked', 'events']) {
      const parameter = name.startsWith('~') ? `~${JSON.stringify(name)}` : name;
      await page.evaluate(`location.hash = '#/keys?key=' + ${JSON.stringify(encodeURIComponent(parameter))}`);
      await page.getByText(HOSTILE.includes(name) ? 'Length' : 'Elements', { exact: true }).waitFor();
      await page.locator('.key-view .value, .key-view td').first().waitFor();
    }
    await page.getByRole('tab', { name: 'Groups' }).click();
    await page.getByRole('button', { name: 'Pending entries of <img' }).click();
    await page.evaluate("location.hash = '#/keys?key=big'");
    await page.getByRole('button', { name: 'Show all 8.00 MB' }).click();
    await page.getByText('Bytes 0 to 65,536 of 8,388,608').waitFor();
    await page.keyboard.press('Escape');
    for (const title of ['Slow log', 'Memory', 'Overview']) await visit.choose(title);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.equal(await page.locator('main img, main script, main svg[onload]').count(), 0);
    assert.deepEqual(visit.errors, []);
  });
});
