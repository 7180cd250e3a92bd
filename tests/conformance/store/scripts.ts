import assert from 'node:assert/strict';
import { rejectsWith, type Topic } from './suite.js';

/** Scripts with named inputs. */
export const scripts: Topic = (test) => {
  test('a script uses its keys and arguments by name', async (store) => {
    const move = store.script({
      keys: ['from', 'to'],
      args: ['amount'],
      lua: `
        redis.call('DECRBY', from, amount)
        return {from, to, redis.call('INCRBY', to, amount)}
      `,
    });
    assert.deepEqual(await move({ amount: 5, to: '{t}b', from: '{t}a' }), ['{t}a', '{t}b', 5]);
    assert.equal(await store.send('GET', '{t}a'), '-5');
  });

  test('a last name with dots takes a list', async (store) => {
    const push = store.script({
      keys: ['list', '...others'],
      args: ['side', '...items'],
      lua: `
        for _, item in ipairs(items) do redis.call(side .. 'PUSH', list, item) end
        return #others
      `,
    });
    assert.equal(await push({ list: '{t}l', others: ['{t}x', '{t}y'], side: 'R', items: ['a', 'b', 3] }), 2);
    assert.deepEqual(await store.send('LRANGE', '{t}l', 0, -1), ['a', 'b', '3']);
  });

  test('a script runs again after SCRIPT FLUSH', async (store, { site }) => {
    const add = store.script({ keys: ['n'], lua: `return redis.call('INCR', n)` });
    assert.equal(await add({ n: 'n' }), 1);
    await site.askAll('SCRIPT', 'FLUSH');
    assert.equal(await add({ n: 'n' }), 2);
    assert.equal(await add({ n: 'n' }), 3);
  });

  test('a script is sent in full once, and then by its digest', async (store, { site, kind }) => {
    await site.askAll('SCRIPT', 'FLUSH');
    await site.askAll('CONFIG', 'RESETSTAT');
    const add = store.script({ keys: ['n'], lua: `return redis.call('INCR', n)` });
    for (let i = 0; i < 10; i++) await add({ n: 'n' });
    const reports = await site.askAll('INFO', 'commandstats');
    const calls = (name: string): number =>
      reports
        .map((report) =>
          Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(String(report))?.[1] ?? 0),
        )
        .reduce((sum, count) => sum + count, 0);
    assert.equal(calls('eval'), 1, kind.name);
    assert.equal(calls('evalsha'), 10, kind.name);
  });

  test('a reply can be converted', async (store) => {
    const lengths = store.script({
      keys: ['list'],
      lua: `return redis.call('LLEN', list)`,
      reply: (length) => ({ length: Number(length) }),
    });
    assert.deepEqual(await lengths({ list: 'none' }), { length: 0 });
  });

  test('a script runs within a pipeline and a transaction', async (store) => {
    const definition = {
      keys: ['n'],
      args: ['by'],
      lua: `return redis.call('INCRBY', n, by)`,
    } as const;
    assert.deepEqual(
      await store.pipeline((queue) => [
        queue.send('SET', 'n', 1),
        queue.script(definition)({ n: 'n', by: 2 }),
        queue.send('GET', 'n'),
      ]),
      ['OK', 3, '3'],
    );
    assert.deepEqual(
      await store.transaction((queue) => [
        queue.script(definition)({ n: 'n', by: 4 }),
        queue.send('GET', 'n'),
      ]),
      [7, '7'],
    );
  });

  test('a script with `readOnly` may not write', async (store) => {
    const read = store.script({ keys: ['k'], lua: `return redis.call('GET', k)`, readOnly: true });
    assert.equal(await read({ k: 'k' }), null);
    const write = store.script({ keys: ['k'], lua: `return redis.call('SET', k, 1)`, readOnly: true });
    await rejectsWith(write({ k: 'k' }), 'ERR', /Write commands are not allowed from read-only scripts/);
  });

  test('an error of a script names the line in the script', async (store) => {
    const broken = store.script({ keys: ['k'], lua: `local one = 1\nreturn one .. nil` });
    await rejectsWith(broken({ k: 'k' }), 'ERR', /user_script:2: /);
  });

  test('a call with an unknown or a missing input is refused', async (store) => {
    const get = store.script({ keys: ['k'], lua: `return redis.call('GET', k)` });
    const missing: Record<string, string> = {};
    await rejectsWith(get(missing as { k: string }), 'MISUSE', /'k'/);
    await rejectsWith(get({ k: 'k', q: 'q' } as { k: string }), 'MISUSE', /'q'/);
  });

  test('a script accepts and returns bytes', async (store) => {
    const echo = store.bytes.script({ keys: ['k'], args: ['value'], lua: 'return {k, value}' });
    const [key, value] = [Buffer.from([0, 0xff]), Buffer.from([0xfe, 10, 13])];
    assert.deepEqual(await echo({ k: key, value }), [key, value]);
  });
};
