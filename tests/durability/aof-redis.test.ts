import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { plain, RawClient } from '../oracle/support/index.js';
import { whenRedisIsInstalled } from '../oracle/support/pair.js';
import { type Server, startRedis, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { temporaryFolder } from './support/aof.js';
import type { TestEngine, Word } from './support/engine.js';
import { RandomCommands } from './support/random-commands.js';

after(stopAllServers);

type Start = (options: readonly string[]) => Promise<Server>;

/** Random commands of all families, encoded for a connection instead of run in this process. */
function generated(seed: number, count: number): Word[][] {
  const commands: Word[][] = [];
  const collect = { run: (...words: Word[]) => commands.push(words), clock: { advance() {} } };
  const random = new RandomCommands(seededRandom(seed));
  const engine = collect as unknown as TestEngine;
  random.fill(engine);
  for (let i = 0; i < count; i++) random.run(engine);
  // Blocking commands would wait forever.
  return commands.filter(([name]) => !/^b[lrz]/i.test(String(name)));
}

async function ask(client: RawClient, ...words: Word[]): Promise<unknown> {
  return plain(await client.call(words.map((word) => (Buffer.isBuffer(word) ? word : String(word)))));
}

async function untilTrue(condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error('timed out');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function connected(server: Server): Promise<RawClient> {
  const client = await RawClient.connect(server.port);
  await untilTrue(async () => /^loading:0/m.test(String(await ask(client, 'INFO', 'persistence'))));
  return client;
}

function idleJobs(client: RawClient): Promise<void> {
  return untilTrue(async () =>
    /aof_rewrite_in_progress:0/.test(String(await ask(client, 'INFO', 'persistence'))),
  );
}

/** One server writes, with a rewrite halfway, and another loads: both must have the same data. */
async function handOver(folder: string, preamble: string, writer: Start, reader: Start): Promise<void> {
  const options = ['--dir', folder, '--appendonly', 'yes', '--aof-use-rdb-preamble', preamble];
  const first = await writer([...options, '--appendfsync', 'always', '--aof-timestamp-enabled', 'yes']);
  const client = await connected(first);
  // Keys with a time to live would expire on one of them first.
  const expires = /^(p?expire(at)?|getex|p?setex|restore)$/i;
  const commands = generated(42, 600).filter(
    (words) => !expires.test(String(words[0])) && !words.some((word) => word === 'PX' || word === 'EX'),
  );
  const half = Math.floor(commands.length / 2);
  for (const [index, words] of commands.entries()) {
    client.send(words.map((word) => (Buffer.isBuffer(word) ? word : String(word))));
    if (index === half) client.send(['BGREWRITEAOF']);
  }
  for (let i = 0; i <= commands.length; i++) await client.next(30_000);
  await ask(client, 'SELECT', 0);
  await ask(client, 'SET', 'lives', 'long', 'PXAT', 4_000_000_000_000);
  await idleJobs(client);
  const digest = await ask(client, 'DEBUG', 'DIGEST');
  const size = await ask(client, 'DBSIZE');
  client.close();
  await first.stop();

  const manifest = join(folder, 'appendonlydir/appendonly.aof.manifest');
  assert.ok(existsSync(manifest));
  const checked = spawnSync('redis-check-aof', [manifest], { encoding: 'utf8' });
  assert.match(checked.stdout, /All AOF files and manifest are valid/, checked.stdout);

  const second = await reader(options);
  const other = await connected(second);
  assert.equal(await ask(other, 'DEBUG', 'DIGEST'), digest);
  assert.equal(await ask(other, 'DBSIZE'), size);
  assert.equal(await ask(other, 'PEXPIRETIME', 'lives'), 4_000_000_000_000);
  other.close();
  await second.stop();
}

for (const preamble of ['yes', 'no']) {
  test(`Redis loads our files (aof-use-rdb-preamble ${preamble})`, whenRedisIsInstalled, async (t) => {
    await handOver(temporaryFolder(t), preamble, startSorrel, startRedis);
  });

  test(`we load files of Redis (aof-use-rdb-preamble ${preamble})`, whenRedisIsInstalled, async (t) => {
    await handOver(temporaryFolder(t), preamble, startRedis, startSorrel);
  });
}
