import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../store/index.js';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');
const folder = mkdtempSync(join(tmpdir(), 'sorrel-copy-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs in the folder: that is where the state is kept. */
function sorrel(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--import', tsx, main, ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  });
}

test('copy says what it has copied and that it is the same, and leaves no state behind', async () => {
  {
    await using store = await open(`file:${join(folder, 'from')}`);
    await store.mset({ one: 1, two: 2 });
  }
  const { status, stdout, stderr } = sorrel('copy', 'file:./from', 'file:./to');
  assert.equal(stderr, '');
  assert.equal(
    stdout,
    'file:./from → file:./to\n' +
      '  copied    2 keys of 1 database\n' +
      '  verified  every key, value and time to live is the same at both places\n',
  );
  assert.equal(status, 0);
  await using copied = await open(`file:${join(folder, 'to')}`);
  assert.deepEqual(await copied.mget('one', 'two'), ['1', '2']);
  assert.deepEqual(readdirSync(folder).sort(), ['from', 'to']);
});

test('export and import are other names for it', () => {
  assert.match(sorrel('export', '--help').stdout, /^Usage: sorrel copy /);
  const { status, stderr } = sorrel('import', 'nothing.rdb', 'file:./imported');
  assert.match(stderr, /^sorrel import: .*nothing\.rdb/);
  assert.equal(status, 1);
});

test('copy refuses what it does not understand', () => {
  assert.match(sorrel('copy', 'file:./from').stderr, /from where, and where to\?/);
  assert.match(sorrel('copy', '--verify', 'file:./from', 'file:./to').stderr, /Unknown option '--verify'/);
  assert.match(sorrel('copy', 'file:./from', 'file:./from').stderr, /both addresses are the same/);
  const { status, stderr } = sorrel(
    'copy',
    'file:./from',
    'redis://user:secret@127.0.0.1:1?connectTimeout=500',
  );
  assert.match(stderr, /127\.0\.0\.1:1/);
  assert.doesNotMatch(stderr, /secret/);
  assert.equal(status, 1);
});
