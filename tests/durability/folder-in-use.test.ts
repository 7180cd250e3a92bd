import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Server, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { openAof, temporaryFolder } from './support/aof.js';
import { Live } from './support/live.js';

after(stopAllServers);

const start = (folder: string, ...options: string[]): Promise<Server> =>
  startSorrel(['--dir', folder, ...options]);
const startAof = (folder: string, ...options: string[]): Promise<Server> =>
  start(folder, '--appendonly', 'yes', ...options);

test('two servers cannot append to the same files, and a crashed server does not block the next', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startAof(folder);
  await assert.rejects(
    startAof(folder),
    new RegExp(`appendonlydir is in use by process ${first.process.pid}: close it there first`),
  );
  await assert.rejects(openAof(folder), /is in use by process \d+/);
  const other = await startAof(folder, '--appendfilename', 'other.aof');
  await other.stop();
  first.process.kill('SIGKILL');
  await first.stop();
  const second = await startAof(folder);
  const live = await Live.of(second);
  live.client.send(['SHUTDOWN', 'NOSAVE']);
  await new Promise((resolve) => second.process.once('exit', resolve));
  live.close();
  const left = readdirSync(join(folder, 'appendonlydir')).filter((name) => name.includes('lock'));
  assert.deepEqual(left, ['other.aof.lock'], 'a server that shuts down normally leaves no lock');
});

test('servers that only save can share a folder, but cannot both turn on appendonly', async (t) => {
  const folder = temporaryFolder(t);
  const first = await Live.of(await start(folder));
  const second = await Live.of(await start(folder));
  await first.must('SET', 'key', 'value');
  await first.must('SAVE');
  await second.must('SAVE');
  await first.must('CONFIG', 'SET', 'appendonly', 'yes');
  await first.untilInfo('aof_rewrite_in_progress', '0');
  const refused = String(await second.call('CONFIG', 'SET', 'appendonly', 'yes'));
  assert.match(refused, /CONFIG SET failed \(possibly related to argument 'appendonly'\) - .* is in use by/);
  await first.must('CONFIG', 'SET', 'appendonly', 'no');
  await second.must('CONFIG', 'SET', 'appendonly', 'yes');
  for (const live of [first, second]) {
    live.close();
    await live.server.stop();
  }
});
