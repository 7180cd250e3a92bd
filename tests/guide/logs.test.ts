import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { logProcessor } from '../../src/kit/log-processing/index.js';
import { open, type Store } from '../../src/store/index.js';

const root = mkdtempSync(join(tmpdir(), 'sorrel-guide-logs-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** Counts the lines of a file by hand. `written` is the key under which the position is stored; it is read from `progress`. */
async function countByHand(store: Store, path: string, written: string, isKilled = false): Promise<void> {
  const text = readFileSync(path, 'utf8');
  const from = Number((await store.get('progress')) ?? 0);
  for (const _ of text.slice(from).split('\n').slice(0, -1)) await store.incr('lines');
  if (isKilled) return;
  await store.set(written, text.length);
}

async function both(
  check: (store: Store, path: string, ours: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(root, 'f-'));
  const path = join(folder, 'web.log');
  writeFileSync(path, 'one\ntwo\n');
  await using store = await open();
  const ours = async (): Promise<number> => {
    const logs = logProcessor(store, 'web', { folder });
    await logs.process((_, tally) => tally.count('all', 'lines'));
    return (await logs.counts('all')).get('lines') ?? 0;
  };
  await check(store, path, ours);
}

describe('Reading logs by hand, and ours', () => {
  it('a position under a misspelt key: after a restart all lines count again', () =>
    both(async (store, path, ours) => {
      await countByHand(store, path, 'progerss');
      await countByHand(store, path, 'progerss');
      assert.equal(await store.get('lines'), '4');
      assert.equal(await ours(), 2);
      assert.equal(await ours(), 2);
    }));

  it('killed between counts and position: lines count twice', () =>
    both(async (store, path, ours) => {
      await countByHand(store, path, 'progress', true);
      await countByHand(store, path, 'progress');
      assert.equal(await store.get('lines'), '4');
      // Ours cannot be killed in between: one transaction has both.
      assert.equal(await ours(), 2);
    }));

  it('after a rotation the position belongs to another file: lines are lost', () =>
    both(async (store, path, ours) => {
      await countByHand(store, path, 'progress');
      await ours();
      rmSync(path);
      writeFileSync(path, 'new\nfile\nof\nfour\n');
      await countByHand(store, path, 'progress');
      assert.equal(await store.get('lines'), '5', 'the first lines of the new file are skipped');
      assert.equal(await ours(), 6);
    }));
});
