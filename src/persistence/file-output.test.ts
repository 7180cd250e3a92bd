import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FileOutput } from './file-output.js';
import { removeUnfinishedFiles } from './temporary-files.js';

const CHUNKS = Array.from({ length: 20 }, (_, i) => Buffer.alloc(1 << 20, i));

interface Place {
  readonly temporary: string;
  readonly path: string;
  /** How often the file was synced before its end. With `fails`, the sync fails. */
  readonly syncs: { count: number; fails: boolean };
}

async function place(t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-file-output-'));
  const file = await open(join(folder, 'any'), 'w');
  const prototype = Object.getPrototypeOf(file) as typeof file;
  await file.close();
  const syncs = { count: 0, fails: false };
  t.mock.method(prototype, 'datasync', async () => {
    syncs.count++;
    if (syncs.fails) throw new Error('EIO: i/o error, fdatasync');
  });
  t.after(() => rmSync(folder, { recursive: true }));
  return { temporary: join(folder, 'temporary'), path: join(folder, 'final'), syncs };
}

/** Writes everything in small chunks, pausing while the output is full. */
async function writeAll(output: FileOutput): Promise<void> {
  for (const chunk of CHUNKS) {
    output.write(chunk);
    while (output.isFull) await new Promise((resolve) => setImmediate(resolve));
  }
}

for (const syncsAsItGoes of [true, false]) {
  test(`a file is ${syncsAsItGoes ? '' : 'not '}synced while it grows, as configured`, async (t) => {
    const { temporary, path, syncs } = await place(t);
    const output = new FileOutput(temporary, path, syncsAsItGoes);
    await writeAll(output);
    await output.finish();
    assert.ok(readFileSync(path).equals(Buffer.concat(CHUNKS)));
    assert.ok(!existsSync(temporary));
    assert.equal(syncs.count > 0, syncsAsItGoes);
  });
}

test('a sync that fails leaves the old file unchanged and no other file', async (t) => {
  const { temporary, path, syncs } = await place(t);
  writeFileSync(path, 'old');
  syncs.fails = true;
  const output = new FileOutput(temporary, path, true);
  const failed = new Promise<Error>((resolve) => {
    output.onFailure = resolve;
  });
  await writeAll(output);
  assert.match((await failed).message, /EIO/);
  await assert.rejects(output.finish(), /EIO/);
  await output.discard();
  assert.equal(readFileSync(path, 'latin1'), 'old');
  assert.ok(!existsSync(temporary));
});

test('a process that ends removes the files that it was writing, and no other', async (t) => {
  const { temporary, path } = await place(t);
  const complete = new FileOutput(temporary, path);
  await writeAll(complete);
  await complete.finish();
  const unfinished = new FileOutput(`${temporary}-2`, path);
  await writeAll(unfinished);
  while (!existsSync(`${temporary}-2`)) await new Promise((resolve) => setImmediate(resolve));
  removeUnfinishedFiles();
  assert.equal(existsSync(`${temporary}-2`), false);
  assert.equal(existsSync(path), true);
  await unfinished.discard();
});

test('a discarded file is removed at once', async (t) => {
  const { temporary, path } = await place(t);
  const output = new FileOutput(temporary, path);
  output.open();
  while (!existsSync(temporary)) await new Promise((resolve) => setImmediate(resolve));
  const discarded = output.discard();
  assert.equal(existsSync(temporary), false);
  await discarded;
});
