import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/shell/cli.js';
import { open } from '../../src/store/index.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-cli-files-'));
after(() => rmSync(folder, { recursive: true }));

/** A store's folder has an append-only file, and a dump after SAVE. */
before(async () => {
  const store = await open(`file:${folder}`);
  await store.send('SET', 'key', 'value');
  await store.send('SAVE');
  await store.close();
});

async function cli(...parameters: string[]): Promise<{ readonly code: number; readonly shown: string }> {
  let shown = '';
  const code = await runCli(
    parameters,
    { help: 'the help', version: 'the version' },
    {
      environment: {},
      input: Readable.from([]),
      isOutputTerminal: false,
      write: (_, bytes) => {
        shown += bytes.toString();
      },
    },
  );
  return { code, shown };
}

/** All files with their contents; locks are no data. */
function contents(): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map(({ parentPath, name }) => `${name} ${readFileSync(join(parentPath, name), 'latin1')}`)
    .sort();
}

test('a dump, an append-only folder and its manifest are opened for reading and stay as they are', async () => {
  const files = contents();
  const manifest = join(folder, 'appendonlydir', 'appendonly.aof.manifest');
  for (const path of [join(folder, 'dump.rdb'), folder, join(folder, 'appendonlydir'), manifest]) {
    assert.deepEqual(await cli(path, 'get', 'key'), { code: 0, shown: 'value\n' });
    assert.match((await cli(path, 'set', 'key', 'x')).shown, /^READONLY .*--write/);
    assert.match((await cli(path, 'eval', "redis.call('del', 'key')", '0')).shown, /^READONLY/);
    assert.deepEqual(await cli(path, '--scan'), { code: 0, shown: 'key\n' });
  }
  assert.deepEqual(contents(), files);
});

test('--write changes the file', async () => {
  await cli('--write', join(folder, 'dump.rdb'), 'set', 'key', 'in the dump');
  assert.equal((await cli(join(folder, 'dump.rdb'), 'get', 'key')).shown, 'in the dump\n');
  await cli('--write', folder, 'set', 'key', 'in the log');
  assert.equal((await cli(folder, 'get', 'key')).shown, 'in the log\n');
});

test('what cannot be opened or is not there is refused with advice', async () => {
  await assert.rejects(cli(join(folder, 'none.rdb'), 'get', 'key'), /there is no file .*none\.rdb/);
  assert.match((await cli('--write', 'get', 'key')).shown, /--write is for files/);
  assert.match((await cli('--ldb')).shown, /--ldb and --ldb-sync-mode require --eval/);
  assert.deepEqual(await cli('-h'), { code: 0, shown: 'the help\n' });
  assert.deepEqual(await cli('--version'), { code: 0, shown: 'the version\n' });
});
