import assert from 'node:assert/strict';
import { type CommandQueue, type DefaultShape, type Queued, StoreError } from '../../../src/store/index.js';
import { rejectsWith, type Topic } from './suite.js';

/** Errors have a code for programs and Redis's own text. */
export const errors: Topic = (test) => {
  test('a command on the wrong type is refused with WRONGTYPE', async (store) => {
    await store.send('SET', 'k', 'v');
    const text = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    const error = await rejectsWith(store.send('LPUSH', 'k', 'x'), 'WRONGTYPE', text);
    assert.equal(error.name, 'StoreError');
    assert.equal(await store.send('GET', 'k'), 'v');
  });

  test('the text is exactly that of Redis', async (store) => {
    await store.send('SET', 'k', 'v');
    const cases: readonly (readonly [words: [string, ...string[]], code: string, text: string])[] = [
      [['INCR', 'k'], 'ERR', 'ERR value is not an integer or out of range'],
      [['GET'], 'ERR', "ERR wrong number of arguments for 'get' command"],
      [['SET', 'k', 'v', 'WHY'], 'ERR', 'ERR syntax error'],
      [['NOSUCH', 'k', 'a'], 'ERR', "ERR unknown command 'NOSUCH', with args beginning with: 'k' 'a' "],
      [['OBJECT', 'NOSUCH', 'k'], 'ERR', "ERR unknown subcommand 'NOSUCH'. Try OBJECT HELP."],
      [['RENAME', '{a}1', '{a}2'], 'ERR', 'ERR no such key'],
      [
        ['XGROUP', 'CREATE', 'k', 'g', '$'],
        'WRONGTYPE',
        'WRONGTYPE Operation against a key holding the wrong kind of value',
      ],
      [['RESTORE', 'k', '0', 'x'], 'BUSYKEY', 'BUSYKEY Target key name already exists.'],
    ];
    for (const [[name, ...args], code, text] of cases) {
      await rejectsWith(store.send(name, ...args), code, text);
    }
  });

  test('an unknown script is refused with NOSCRIPT', async (store) => {
    const text = 'NOSCRIPT No matching script. Please use EVAL.';
    await rejectsWith(store.send('EVALSHA', '0'.repeat(40), 1, 'k'), 'NOSCRIPT', text);
  });

  test("a script's own error has its own code", async (store) => {
    const custom = "return redis.error_reply('STALE the value is too old')";
    await rejectsWith(store.send('EVAL', custom, 1, 'k'), 'STALE', 'STALE the value is too old');
    await rejectsWith(store.send('EVAL', "error('no')", 1, 'k'), 'ERR', /^ERR user_script:1: no/);
  });

  test('an error within a list is a value', async (store) => {
    const reply = await store.send('EVAL', "return {1, redis.error_reply('STALE old')}", 1, 'k');
    assert.ok(Array.isArray(reply));
    const [one, error] = reply as readonly unknown[];
    assert.equal(one, 1);
    assert.ok(error instanceof StoreError);
    assert.equal(error.code, 'STALE');
  });

  test('a write beyond the memory limit is refused with OOM', async (store, { site }) => {
    await store.send('SET', 'k', 'v');
    await site.askAll('CONFIG', 'SET', 'maxmemory', '1');
    try {
      const text = "OOM command not allowed when used memory > 'maxmemory'.";
      await rejectsWith(store.send('SET', 'k', 'w'), 'OOM', text);
      assert.equal(await store.send('GET', 'k'), 'v');
    } finally {
      await site.askAll('CONFIG', 'SET', 'maxmemory', '0');
    }
    assert.equal(await store.send('SET', 'k', 'w'), 'OK');
  });

  test('commands that change the connection are refused, and the error names the method to use', async (store) => {
    await rejectsWith(store.send('MULTI'), 'MISUSE', /transaction\(\)/);
    await rejectsWith(store.send('WATCH', 'k'), 'MISUSE', /transaction\(\)/);
    await rejectsWith(store.send('SUBSCRIBE', 'c'), 'MISUSE', /subscribe\(\)/);
    await rejectsWith(store.send('SELECT', 1), 'MISUSE', /database/);
    await rejectsWith(store.send('CLIENT', 'REPLY', 'OFF'), 'MISUSE', /pipeline\(\)/);
    await rejectsWith(store.send('client', Buffer.from('reply'), 'SKIP'), 'MISUSE');
    await rejectsWith(store.send('client  reply', 'OFF'), 'MISUSE');
    await rejectsWith(store.send('QUIT'), 'MISUSE', /close\(\)/);
    await rejectsWith(store.send(''), 'MISUSE');
    assert.equal(await store.send('SET', 'k', 'v'), 'OK');
  });

  test('they are refused in pipelines and transactions too, and no command of those runs', async (store) => {
    for (const words of [
      ['CLIENT', 'REPLY', 'OFF'],
      ['CLIENT REPLY', 'OFF'],
      ['SELECT', '1'],
      ['WATCH', 'k'],
    ]) {
      const [name = '', ...args] = words;
      const build = (queue: CommandQueue<DefaultShape>): readonly Queued<unknown>[] => [
        queue.send('SET', 'k', 'v'),
        queue.send(name, ...args),
      ];
      await rejectsWith(store.pipeline(build), 'MISUSE');
      await rejectsWith(store.transaction(build), 'MISUSE');
      await rejectsWith(store.transaction({ watch: ['k'] }, build), 'MISUSE');
      await rejectsWith(
        store.transaction({ watch: ['k'] }, async (_queue, watched) => {
          await watched.send(name, ...args);
          return [];
        }),
        'MISUSE',
      );
    }
    assert.equal(await store.send('EXISTS', 'k'), 0);
  });

  test('a blocking command is refused while keys are watched', async (store) => {
    await rejectsWith(
      store.transaction({ watch: ['k'] }, async (_queue, watched) => {
        await watched.blpop('k', 0);
        return [];
      }),
      'MISUSE',
      /BLPOP/,
    );
  });

  test('the store works after an error', async (store) => {
    await Promise.allSettled(Array.from({ length: 20 }, () => store.send('GET')));
    assert.equal(await store.send('SET', 'k', 'v'), 'OK');
  });
};
