import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { open } from '../open.js';
import { openWorker } from '../worker/open-worker.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-script-timeout-'));
after(() => rmSync(folder, { recursive: true }));

const FOREVER = 'while true do end';
const options = { scriptTimeout: 50 };
const ENDED = {
  code: 'SCRIPT_TIMEOUT',
  message:
    /^SCRIPT_TIMEOUT Script ended after 50 ms, the scriptTimeout of this store\. It had written nothing\./,
};
const INTERRUPTED = {
  code: 'SCRIPT_INTERRUPTED',
  message: /^SCRIPT_INTERRUPTED .* It was writing: what it wrote until then stays\./,
};

/** Scripts that never end. */
const ENDLESS: Readonly<Record<string, string>> = {
  'a loop': FOREVER,
  'a loop that catches errors': 'while true do pcall(function() while true do end end) end',
  'a loop that catches errors with a handler':
    'while true do xpcall(function() while true do end end, function() while true do end end) end',
  'a loop in a coroutine': 'coroutine.wrap(function() while true do end end)()',
  'a loop of coroutines':
    'while true do coroutine.resume(coroutine.create(function() while true do coroutine.yield() end end)) end',
  'a loop of failing commands': "while true do redis.pcall('NOSUCH') end",
  'a loop of commands that read': "while true do redis.call('GET', 'key') end",
  'recursion that catches its own overflow':
    'local function deeper() return pcall(deeper) or deeper() end while true do deeper() end',
  'a pattern with exponential backtracking':
    "return string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40))",
  'a pattern over a long string': "return string.find(string.rep('a', 3000000), '.-b')",
  'a balanced pattern over a long string': "return string.find(string.rep('(', 3000000), '%b()')",
  'long strings': "local s = string.rep('a', 1000000) while true do s:reverse() s:upper() end",
  'long replacements': "local s = string.rep('a', 1000000) while true do s:gsub('a', 'b') end",
  'moves in a long table':
    'local t = {} for i = 1, 200000 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end',
  'sorting a long table': 'local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t) end',
  'encoding a long table':
    'local t = {} for i = 1, 100000 do t[i] = i end while true do cjson.decode(cjson.encode(t)) end',
};

describe('a script that never ends in an embedded store', () => {
  for (const [name, script] of Object.entries(ENDLESS)) {
    it(`is ended: ${name}`, async () => {
      await using store = await open('memory:', options);
      const start = performance.now();
      await assert.rejects(store.eval(script), ENDED);
      assert.ok(performance.now() - start < 5000, 'soon after its time is up');
      assert.equal(await store.ping(), 'PONG');
    });
  }

  it('is ended after five seconds by default', async () => {
    await using store = await open();
    const start = performance.now();
    assert.throws(() => store.sync.send('EVAL', FOREVER, 0), { code: 'SCRIPT_TIMEOUT' });
    const taken = performance.now() - start;
    assert.ok(taken >= 4990 && taken < 10_000, `after ${taken} ms`);
  });

  it('is ended no matter how it was called', async () => {
    await using store = await open('memory:', options);
    const sha = await store.send('SCRIPT', 'LOAD', FOREVER);
    await store.send(
      'FUNCTION',
      'LOAD',
      `#!lua name=endless\nredis.register_function('f', function() ${FOREVER} end)`,
    );
    const ways: (readonly string[])[] = [
      ['EVAL', FOREVER, '0'],
      ['EVAL_RO', FOREVER, '0'],
      ['EVALSHA', sha as string, '0'],
      ['FCALL', 'f', '0'],
    ];
    for (const [command, ...args] of ways as [string, ...string[]][]) {
      await assert.rejects(store.send(command, ...args), ENDED, command);
      assert.throws(() => store.sync.send(command, ...args), ENDED, command);
    }
    await assert.rejects(
      store.transaction((queue) => [
        queue.set('before', 1),
        queue.send('EVAL', FOREVER, 0),
        queue.set('after', 1),
      ]),
      (error: { results: readonly unknown[] }) => {
        assert.equal((error.results[1] as { code: string }).code, 'SCRIPT_TIMEOUT');
        return true;
      },
    );
    assert.deepEqual(await store.mget('before', 'after'), ['1', '1'], 'as for every error inside MULTI');
  });

  it('is ended when ioredis calls it in process', async () => {
    await using store = await open('memory:', options);
    const client = new Redis({ Connector: await store.connector() });
    await assert.rejects(client.eval(FOREVER, 0), { message: ENDED.message });
    await assert.rejects(client.eval(`redis.call('SET', 'key', 1) ${FOREVER}`, 0), {
      message: INTERRUPTED.message,
    });
    client.disconnect();
  });

  it('is ended in a thread while the event loop stays free', async () => {
    await using worker = await openWorker('memory:', { scriptTimeout: 300 });
    await using store = await worker.open();
    let turns = 0;
    const counting = setInterval(() => turns++, 5);
    await assert.rejects(store.send('EVAL', FOREVER, 0), { code: 'SCRIPT_TIMEOUT' });
    clearInterval(counting);
    assert.ok(turns > 5, `${turns} turns of the event loop`);
  });

  it('measures the time of a script in the append-only file from its start', async () => {
    const address = `file:${join(folder, 'recorded')}` as const;
    await (await open(address, options)).close();
    const files = join(folder, 'recorded', 'appendonlydir');
    const file = readdirSync(files).find((name) => name.endsWith('.incr.aof')) as string;
    // Redis before version 7 wrote scripts there. This one makes enough steps for its time to be looked at.
    const script = "for i = 1, 300000 do end redis.call('SET', 'key', 'value')";
    appendFileSync(join(files, file), `*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`);
    await using store = await open(address, options);
    assert.equal(await store.get('key'), 'value');
  });

  it('keeps what it has written, in memory and in the file, and says so', async () => {
    const address = `file:${join(folder, 'written')}` as const;
    const store = await open(address, options);
    await assert.rejects(
      store.send('EVAL', `while true do redis.call('INCR', 'count') redis.call('INCR', 'twin') end`, 0),
      INTERRUPTED,
    );
    const written = await store.mget('count', 'twin');
    assert.ok(Number(written[0]) > 0);
    await store.close();
    await using again = await open(address);
    assert.deepEqual(await again.mget('count', 'twin'), written);
  });

  it('continues if the limit is Infinity', async () => {
    await using store = await open('memory:', { scriptTimeout: Number.POSITIVE_INFINITY });
    assert.equal(await store.send('EVAL', 'for i = 1, 30000000 do end return 1', 0), 1);
  });

  it('has a limit that must be a positive number', async () => {
    for (const scriptTimeout of [0, -1, Number.NaN, '5s' as never]) {
      await assert.rejects(open('memory:', { scriptTimeout }), { code: 'OPTION', message: /scriptTimeout/ });
    }
    await assert.rejects(open('redis://127.0.0.1:1', { scriptTimeout: 5 }), {
      code: 'OPTION',
      message: /'scriptTimeout' is not for servers/,
    });
  });
});
