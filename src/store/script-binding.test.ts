import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open } from './index.js';
import { compileScript } from './script-binding.js';

describe('scripts', () => {
  it('get their inputs as local variables, in the order of the definition', async () => {
    await using store = await open();
    const echo = store.script({
      keys: ['first', 'second'],
      args: ['one', '...rest'],
      lua: 'return {first, second, one, rest[1], rest[2], #rest, #KEYS, #ARGV}',
    });
    const inputs = { rest: ['y', 'z'], one: 1, second: 'b', first: 'a' };
    assert.deepEqual(await echo(inputs), ['a', 'b', '1', 'y', 'z', 2, 2, 3]);
    assert.deepEqual(store.sync.script({ keys: ['...all'], lua: 'return #all' })({ all: ['a', 'b'] }), 2);
  });

  it('keep their line numbers and their first line', async () => {
    assert.equal(compileScript({ keys: ['a'], lua: 'x\ny' }).source.split('\n').length, 2);
    const { source } = compileScript({ keys: ['a'], lua: '#!lua flags=no-writes\nreturn a' });
    assert.match(source, /^#!lua flags=no-writes\nlocal a = KEYS\[1\] return a$/);
  });

  it('are sent in full again if the server does not have them any more', async () => {
    await using store = await open();
    const one = store.script({ lua: 'return 1' });
    assert.equal(await one({}), 1);
    await store.send('SCRIPT FLUSH');
    assert.equal(await one({}), 1);
    await store.send('SCRIPT FLUSH');
    assert.equal(store.sync.script({ lua: 'return 1' })({}), 1);
  });

  it('can be part of pipelines and transactions', async () => {
    await using store = await open();
    const add = { keys: ['counter'], args: ['by'], lua: `return redis.call('INCRBY', counter, by)` } as const;
    assert.deepEqual(
      await store.transaction((queue) => [
        queue.script(add)({ counter: 'n', by: 2 }),
        queue.script(add)({ counter: 'n', by: 3 }),
      ]),
      [2, 5],
    );
  });

  it('refuse invalid Lua names, missing inputs and unknown inputs', async () => {
    await using store = await open();
    assert.throws(() => store.script({ keys: ['a b'], lua: '' }), /'a b' cannot be the name/);
    assert.throws(() => store.script({ args: ['end'], lua: '' }), /'end' cannot be the name/);
    assert.throws(() => store.script({ keys: ['...all', 'one'], lua: '' }), /must be the last/);
    assert.throws(() => store.script({ keys: ['a'], args: ['a'], lua: '' }), /two inputs .* 'a'/);
    const echo = store.script({ keys: ['key'], lua: 'return key' });
    await assert.rejects(echo({} as never), { code: 'MISUSE', message: /'key' must be a string/ });
    await assert.rejects(echo({ key: 'k', kye: 'k' } as never), {
      code: 'MISUSE',
      message: /no input 'kye'/,
    });
  });

  it('with `readOnly` may only read', async () => {
    await using store = await open();
    const write = store.script({ keys: ['key'], lua: `return redis.call('SET', key, 1)`, readOnly: true });
    await assert.rejects(write({ key: 'k' }), { code: 'ERR', message: /Write commands are not allowed/ });
  });
});
