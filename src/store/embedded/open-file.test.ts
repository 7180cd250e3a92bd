import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { open } from '../open.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-file-'));
after(() => rmSync(folder, { recursive: true }));

describe('a store in a folder', () => {
  it('keeps all writes, awaited or not, under every policy', async () => {
    for (const appendfsync of ['always', 'everysec', 'no']) {
      const address = `file:${join(folder, 'new', appendfsync)}` as const;
      const store = await open(address, { settings: { appendfsync } });
      assert.equal(await store.set('awaited', 1), 'OK');
      assert.equal(store.sync.set('at once', 2), 'OK');
      store.sync.transaction((queue) => [queue.incr('at once'), queue.incr('at once')]);
      await store.close();
      await using again = await open(address);
      assert.deepEqual(again.sync.mget('awaited', 'at once'), ['1', '4']);
    }
  });

  it('answers only when the change is in the file', async () => {
    const path = join(folder, 'written');
    await using store = await open(`file:${path}`);
    await store.set('key', 'a-value-to-look-for');
    const files = join(path, 'appendonlydir');
    const contents = readdirSync(files).map((name) => readFileSync(join(files, name), 'latin1'));
    assert.ok(contents.some((text) => text.includes('a-value-to-look-for')));
  });

  it('is locked while it is open, and free when it is closed', async () => {
    const address = `file:${join(folder, 'locked')}` as const;
    const store = await open(address);
    await assert.rejects(open(address), { code: 'LOCKED', message: /in use by this process: close it/ });
    await store.close();
    await using again = await open(address);
    assert.equal(await again.ping(), 'PONG');
  });

  it('can keep snapshots instead', async () => {
    const address = `file:${join(folder, 'snapshots')}` as const;
    const settings = { appendonly: false, save: '900 1' };
    const store = await open(address, { settings });
    await store.set('key', 'value');
    await store.close();
    assert.ok(readdirSync(join(folder, 'snapshots')).includes('dump.rdb'));
    await using again = await open(address, { settings });
    assert.equal(await again.get('key'), 'value');
  });

  it('says what is wrong with its files', async () => {
    const path = join(folder, 'broken');
    const address = `file:${path}` as const;
    const store = await open(address);
    await store.set('key', 'value');
    await store.close();
    const files = join(path, 'appendonlydir');
    const increment = readdirSync(files).find((name) => name.endsWith('.incr.aof')) as string;
    appendFileSync(join(files, increment), 'nonsense\r\n*1\r\n$4\r\nPING\r\n');
    await assert.rejects(open(address), { code: 'FILES', message: /check-aof/ });
    // The failed attempt has released the folder.
    await assert.rejects(open(address), { code: 'FILES' });
    writeFileSync(join(folder, 'no-folder'), '');
    await assert.rejects(open(`file:${join(folder, 'no-folder')}`), {
      code: 'FILES',
      message: /cannot be used/,
    });
  });

  it('says which library of functions in its files cannot be loaded', async () => {
    const path = join(folder, 'functions');
    const settings = { appendonly: false, save: '900 1' };
    const store = await open(`file:${path}`, { settings });
    await store.send(
      'FUNCTION LOAD',
      "#!lua name=lib\nredis.register_function('f', function() return 1 end)",
    );
    await store.close();
    const dump = join(path, 'dump.rdb');
    const damaged = readFileSync(dump, 'latin1').replace('name=lib', 'nam@=lib');
    writeFileSync(dump, damaged, 'latin1');
    await assert.rejects(open(`file:${path}`, { settings }), {
      code: 'FILES',
      message: /byte \d+: a library of functions cannot be loaded: Invalid metadata value given: nam@=lib/,
    });
  });

  it('takes the folder only from the address', async () => {
    await assert.rejects(open(`file:${folder}/x`, { settings: { dir: '/tmp' } }), { code: 'OPTION' });
  });
});
