import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { nextRound, openAof } from './support/aof.js';
import { fillUp, smallDisk } from './support/small-disk.js';

const REFUSED = '-MISCONF Errors writing to the AOF file: No space left on device\r\n';

test('a full disk stops writes but not reads, and writes resume when there is space again', async (t) => {
  const folder = smallDisk(t);
  if (folder === undefined) return;
  let digest = '';
  {
    await using opened = await openAof(folder, { appendfsync: 'everysec' });
    const { engine } = opened;
    engine.run('SELECT', 3);
    engine.run('SET', 'before', 'x');
    opened.flush();
    const filler = fillUp(folder);
    const size = opened.persistence.aof.currentSize;
    engine.run('SET', 'large', 'y'.repeat(10_000));
    opened.flush();
    assert.equal(engine.run('SET', 'key', 'value'), REFUSED);
    assert.equal(engine.run('PING'), REFUSED);
    assert.equal(engine.run('GET', 'before'), '$1\r\nx\r\n');
    assert.match(engine.run('INFO', 'persistence'), /aof_last_write_status:err/);
    assert.equal(opened.persistence.aof.currentSize, size, 'no part of the write stays in the file');
    engine.engine.background.tick();
    assert.equal(engine.run('SET', 'key', 'value'), REFUSED);
    rmSync(filler);
    engine.engine.background.tick();
    assert.equal(engine.run('SET', 'key', 'value'), '+OK\r\n');
    assert.match(engine.run('INFO', 'persistence'), /aof_last_write_status:ok/);
    assert.ok(opened.log.includes('AOF write error looks solved. The server can write again.'));
    ({ digest } = engine);
  }
  await using again = await openAof(folder);
  assert.equal(again.engine.digest, digest);
});

test('a rewrite on a full disk fails and changes nothing', async (t) => {
  const folder = smallDisk(t);
  if (folder === undefined) return;
  let digest = '';
  {
    await using opened = await openAof(folder, { rdbcompression: 'no' });
    const { engine } = opened;
    for (let i = 0; i < 10; i++) engine.run('SET', `key:${i}`, 'z'.repeat(10_000));
    opened.flush();
    engine.run('BGREWRITEAOF');
    const filler = fillUp(folder);
    while (opened.persistence.aof.rewriting.isActive) await nextRound();
    assert.equal(opened.persistence.aof.rewriting.isLastOk, false);
    assert.match(engine.run('INFO', 'persistence'), /aof_last_bgrewrite_status:err/);
    assert.match(engine.run('INFO', 'persistence'), /aof_rewrites_consecutive_failures:1/);
    rmSync(filler);
    engine.run('SET', 'after', 1);
    opened.flush();
    engine.run('BGREWRITEAOF');
    while (opened.persistence.aof.rewriting.isActive) await nextRound();
    assert.equal(opened.persistence.aof.rewriting.isLastOk, true);
    ({ digest } = engine);
  }
  await using again = await openAof(folder);
  assert.equal(again.engine.digest, digest);
});

test('with always, a failed write ends the process before it is acknowledged', async (t) => {
  const folder = smallDisk(t);
  if (folder === undefined) return;
  await using opened = await openAof(folder, { appendfsync: 'always' });
  const { engine } = opened;
  class Ended extends Error {}
  opened.persistence.aof.onFatal = () => {
    throw new Ended();
  };
  const filler = fillUp(folder);
  engine.run('SET', 'large', 'y'.repeat(10_000));
  assert.throws(() => opened.flush(), Ended);
  assert.equal(engine.engine.holdsReplies, true);
  assert.match(
    opened.log.at(-1) ?? '',
    /^Can't recover from AOF write error when the AOF fsync policy is 'always'/,
  );
  rmSync(filler);
});
