import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../../scripts/transpiled.mjs';
import { open } from '../../store/index.js';
import { CopyState } from './copy-state.js';

const main = sourceProgram(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sorrel-copy-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs in the folder: that is where the state is kept. */
function sorrel(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...SOURCE_OPTIONS, main, ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  });
}

/** The same while this process continues: the target is one of its stores. */
async function sorrelMeanwhile(
  ...parameters: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [...SOURCE_OPTIONS, main, ...parameters], { cwd: folder });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
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

test('copy resumes after it was killed in the middle, and leaves no other files at the end', async () => {
  const keys = 20_000;
  await using target = await open();
  const { address } = await target.listen({ port: 0 });
  {
    await using store = await open(`file:${join(folder, 'many')}`);
    await store.pipeline((queue) => Array.from({ length: keys }, (_, i) => queue.set(`key ${i}`, i)));
  }
  const first = spawn(process.execPath, [...SOURCE_OPTIONS, main, 'copy', 'file:./many', address], {
    cwd: folder,
  });
  const ended = once(first, 'exit');
  while (target.sync.dbsize() === 0 && first.exitCode === null) await new Promise(setImmediate);
  // It can do no more, however fast it is.
  target.sync.send('CLIENT', 'PAUSE', 600_000, 'WRITE');
  const brought = target.sync.dbsize();
  first.kill('SIGKILL');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  target.sync.send('CLIENT', 'UNPAUSE');
  assert.ok(brought > 0 && brought < keys, `${brought}`);
  const { status, stdout, stderr } = await sorrelMeanwhile('copy', 'file:./many', address);
  assert.equal(stderr, '');
  assert.match(stdout, /copied {4}20,000 keys of 1 database\n {2}verified/);
  assert.equal(status, 0);
  assert.equal(target.sync.dbsize(), keys);
  assert.equal(target.sync.get('key 19999'), '19999');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('sorrel-copy-')),
    [],
  );
});

test('a copy that finds other keys at the target says how to continue, and then continues', async () => {
  await using target = await open();
  const { address } = await target.listen({ port: 0 });
  await using source = await open();
  const { address: from } = await source.listen({ port: 0 });
  await source.mset({ one: 1, two: 2 });
  // As after a copy that was interrupted, with keys that have been deleted at the source meanwhile.
  const state = new CopyState(from, address, join(folder, 'state.json'));
  state.begin();
  await target.mset({ one: 1, gone: 3 });
  const command = ['copy', '--state', 'state.json', from, address];
  const surplus = await sorrelMeanwhile(...command);
  assert.match(surplus.stdout, /surplus {3}1 key .*: --delete removes them/);
  assert.equal(surplus.status, 1);
  const again = await sorrelMeanwhile(...command, '--delete');
  assert.match(again.stdout, /deleted {3}1 key only at the target/);
  assert.equal(again.status, 0);
  assert.deepEqual((await target.keys('*')).sort(), ['one', 'two']);
});

test('export and import are other names for it', () => {
  assert.match(sorrel('export', '--help').stdout, /^Usage: sorrel copy /);
  const { status, stderr } = sorrel('import', 'nothing.rdb', 'file:./imported');
  assert.match(stderr, /^sorrel import: .*nothing\.rdb/);
  assert.equal(status, 1);
});

test('copy refuses what it does not understand', () => {
  assert.match(sorrel('copy', 'file:./from').stderr, /name the address to copy from/);
  assert.match(
    sorrel('copy', '--verify', 'file:./from', 'file:./to').stderr,
    /Unknown option '--verify'\. See 'sorrel copy --help'\.$/m,
  );
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
