import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open } from '../index.js';
import { StoreError } from '../store-error.js';

describe('A command that an embedded store has cached', () => {
  it('is the same whether its second word belongs to its name or is an argument', async () => {
    await using store = await open();
    const { sync } = store;
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(sync.send('CONFIG GET', 'port'), sync.send('CONFIG', 'GET', 'port'));
      assert.equal(sync.send('config', 'resetstat'), 'OK');
      assert.throws(() => sync.send('CONFIG', 'NOSUCH'), /unknown subcommand 'NOSUCH'/);
      assert.throws(() => sync.send('CONFIG NOSUCH'), /unknown subcommand 'NOSUCH'/);
      assert.throws(() => sync.send('CONFIG'), /wrong number of arguments for 'config' command/);
    }
  });

  it('is checked for its number of arguments each time', async () => {
    await using store = await open();
    const { sync } = store;
    for (let i = 0; i < 2; i++) {
      assert.equal(sync.send('SET', 'greeting', 'hello'), 'OK');
      assert.throws(() => sync.send('SET', 'greeting'), StoreError);
      assert.equal(sync.send('GET', 'greeting'), 'hello');
      assert.throws(
        () => sync.send('GET', 'greeting', 'more'),
        /wrong number of arguments for 'get' command/,
      );
    }
  });

  it('keeps its words when other commands follow', async () => {
    await using store = await open();
    const { sync } = store;
    sync.send('SET', 'config', 'a value');
    for (let i = 0; i < 2; i++) {
      assert.equal(sync.send('OBJECT ENCODING', 'config'), 'embstr');
      assert.equal(sync.send('GET', 'config'), 'a value');
      assert.deepEqual(sync.send('MGET', 'config', 'other'), ['a value', null]);
    }
  });

  it('may be one of thousands of names that do not exist', async () => {
    await using store = await open();
    for (let i = 0; i < 5_000; i++) {
      assert.throws(() => store.sync.send(`MADEUP${i}`), new RegExp(`unknown command 'MADEUP${i}'`));
    }
    assert.equal(store.sync.send('PING'), 'PONG');
  });
});
