import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { startRedis, startSorrel } from '../oracle/support/index.js';
import { whenRedisIsInstalled } from '../oracle/support/pair.js';
import { stopAllServers } from '../support/fleet/index.js';
import { Live } from './support/live.js';
import { RandomCommands } from './support/random-commands.js';

after(stopAllServers);

const FILE = 'dump.rdb';

/** Settings that change the contents of files. */
const SETTINGS: Record<string, string[]> = {
  'by default': [],
  'without compression and checksum': ['--rdbcompression', 'no', '--rdbchecksum', 'no'],
  'with small nodes and small packed values': [
    ...[
      '--list-max-listpack-size',
      '3',
      '--hash-max-listpack-entries',
      '4',
      '--zset-max-listpack-entries',
      '4',
    ],
    ...['--set-max-intset-entries', '4', '--stream-node-max-entries', '3'],
  ],
  'with packed values only': [
    ...['--hash-max-listpack-entries', '100000', '--zset-max-listpack-entries', '100000'],
    ...['--hash-max-listpack-value', '1000', '--zset-max-listpack-value', '1000'],
  ],
  'under LRU': ['--maxmemory-policy', 'allkeys-lru'],
  'under LFU': ['--maxmemory-policy', 'allkeys-lfu'],
};

async function servers(options: readonly string[]): Promise<{ redis: Live; sorrel: Live }> {
  const [redis, sorrel] = await Promise.all([startRedis(options), startSorrel(options)]);
  return { redis: await Live.of(redis), sorrel: await Live.of(sorrel) };
}

async function fill(live: Live, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const commands = new RandomCommands(random);
  await live.pipeline((target) => {
    for (const db of [0, 1, 15]) {
      target.run('SELECT', db);
      commands.fill(target);
      const names = commands.names.filter((name) => !/^b[lrz]|^select$|^move$|^copy$/.test(name));
      for (let i = 0; i < 300; i++) {
        commands.runCommand(target, names[random.integer(names.length)] as string);
      }
    }
    for (let i = 0; i < 20; i++) target.run('PEXPIRE', `other:${i}`, 1000);
    target.run('SET', 'long', 'abc'.repeat(500_000));
    target.run('SET', Buffer.from([0, 255, 10, 13]), Buffer.from([200, 0, 1]));
    target.run('PEXPIREAT', 'long', 4_102_444_800_123);
    target.run('SELECT', 0);
  });
}

/** Copies the file of one server to the other and compares their data. */
async function handOver(from: Live, to: Live): Promise<void> {
  copyFileSync(join(from.server.directory, FILE), join(to.server.directory, FILE));
  assert.equal(await to.must('DEBUG', 'RELOAD', 'NOSAVE'), 'OK');
  const [given, got] = [await from.contents(), await to.contents()];
  for (const [key, value] of given) assert.deepEqual(got.get(key), value, key);
  assert.equal(got.size, given.size);
  assert.equal(await to.must('DEBUG', 'DIGEST'), await from.must('DEBUG', 'DIGEST'));
}

/** Keys must not expire during the comparison. */
async function standStill({ redis, sorrel }: { redis: Live; sorrel: Live }): Promise<void> {
  for (const live of [redis, sorrel]) await live.must('DEBUG', 'SET-ACTIVE-EXPIRE', 0);
}

async function dropSoonExpiring(live: Live): Promise<void> {
  const soon = Date.now() + 600_000;
  for (let db = 0; db < 16; db++) {
    await live.must('SELECT', db);
    for (const key of (await live.must('KEYS', '*')) as string[]) {
      const at = Number(await live.must('PEXPIRETIME', Buffer.from(key, 'latin1')));
      if (at >= 0 && at < soon)
        await live.must('PEXPIREAT', Buffer.from(key, 'latin1'), 4_000_000_000_000 + db);
    }
  }
  await live.must('SELECT', 0);
}

for (const [name, options] of Object.entries(SETTINGS)) {
  test(`Redis loads our files and we load Redis's, ${name}`, whenRedisIsInstalled, async () => {
    const both = await servers(options);
    await standStill(both);
    for (const [from, to, seed] of [
      [both.sorrel, both.redis, 1],
      [both.redis, both.sorrel, 2],
    ] as const) {
      await from.must('FLUSHALL');
      await fill(from, seed);
      await dropSoonExpiring(from);
      // Some encodings change when a value is loaded, so both servers load their own file first.
      assert.equal(await from.must('DEBUG', 'RELOAD'), 'OK');
      await handOver(from, to);
    }
    const file = join(both.sorrel.server.directory, FILE);
    assert.equal(await both.sorrel.must('SAVE'), 'OK');
    const { status, stdout } = spawnSync('redis-check-rdb', [file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /RDB looks OK/);
    for (const live of [both.redis, both.sorrel]) {
      live.close();
      await live.server.stop();
    }
  });
}

test('LRU and LFU data are kept in files', whenRedisIsInstalled, async () => {
  const { redis, sorrel } = await servers(['--maxmemory-policy', 'allkeys-lfu', '--lfu-decay-time', '0']);
  for (const [from, to] of [
    [redis, sorrel],
    [sorrel, redis],
  ] as const) {
    await from.must('FLUSHALL');
    await from.must('SET', 'often', 'some');
    await from.must('SET', 'seldom', 'other');
    await from.pipeline((target) => {
      for (let i = 0; i < 300; i++) target.run('GET', 'often');
    });
    await from.must('SAVE');
    const frequency = await from.must('OBJECT', 'FREQ', 'often');
    copyFileSync(join(from.server.directory, FILE), join(to.server.directory, FILE));
    await to.must('DEBUG', 'RELOAD', 'NOSAVE');
    assert.equal(await to.must('OBJECT', 'FREQ', 'often'), frequency);
    const seldom = await to.must('OBJECT', 'FREQ', 'seldom');
    assert.ok(Number(frequency) > Number(seldom), `${frequency} and ${seldom}`);
  }
  for (const live of [redis, sorrel]) {
    live.close();
    await live.server.stop();
  }
});

test('BGSAVE under writes saves the state between two transactions', async () => {
  const sorrel = await Live.of(await startSorrel());
  const other = await Live.of(sorrel.server);
  const count = 20_000;
  await sorrel.pipeline((target) => {
    for (let i = 0; i < count; i++) target.run('MSET', `a:${i}`, 0, `b:${i}`, 0);
  });
  await sorrel.pipeline((target) => {
    for (let i = 0; i < count; i++) target.run('ZADD', 'zset', 0, `member ${i}`, 0, `copy ${i}`);
  });
  assert.equal(await other.must('BGSAVE'), 'Background saving started');
  assert.equal(String(await other.call('BGSAVE')), 'Error: ERR Background save already in progress');
  assert.equal(String(await other.call('SAVE')), 'Error: ERR Background save already in progress');
  let written = 0;
  while ((await other.info('rdb_bgsave_in_progress')) === '1') {
    written++;
    await sorrel.pipeline((target) => {
      for (let n = 0; n < 100; n++) {
        const i = (written * 7919 + n * 104_729) % count;
        target.run('MSET', `a:${i}`, written, `b:${i}`, written);
        target.run('ZADD', 'zset', written, `member ${i}`, written, `copy ${i}`);
      }
    });
  }
  assert.equal(await other.info('rdb_last_bgsave_status'), 'ok');
  await sorrel.must('DEBUG', 'RELOAD', 'NOSAVE');
  const keys = (prefix: string): string[] => Array.from({ length: count }, (_, i) => `${prefix}:${i}`);
  const zeros = Array.from({ length: count }, () => '0');
  assert.deepEqual(await sorrel.must('MGET', ...keys('a')), zeros);
  assert.deepEqual(await sorrel.must('MGET', ...keys('b')), zeros);
  assert.equal(await sorrel.must('ZCOUNT', 'zset', 0, 0), count * 2);
  sorrel.close();
  other.close();
  await sorrel.server.stop();
});

test('a save rule starts a save after enough changes', async () => {
  const sorrel = await Live.of(await startSorrel(['--save', '1 2']));
  await sorrel.must('SET', 'a', 1);
  assert.equal(await sorrel.info('rdb_changes_since_last_save'), '1');
  await sorrel.must('SET', 'b', 2);
  await sorrel.untilInfo('rdb_saves', '1');
  await sorrel.untilInfo('rdb_bgsave_in_progress', '0');
  assert.equal(await sorrel.info('rdb_changes_since_last_save'), '0');
  assert.ok(Number(await sorrel.must('LASTSAVE')) >= Number(await sorrel.info('rdb_last_save_time')));
  sorrel.close();
  await sorrel.server.stop();
});

/** Starts a server in a folder that is not removed, so that the next server finds its files. */
async function startIn(folder: string, ...options: string[]): Promise<Live> {
  return Live.of(await startSorrel(['--dir', folder, ...options]));
}

async function ended(live: Live): Promise<void> {
  const { process: child } = live.server;
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once('exit', resolve));
  }
  live.close();
}

function folderFor(name: string): string {
  const folder = join(process.env['TMPDIR'] ?? '/tmp', `sorrel-durability-${process.pid}-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('SHUTDOWN and SIGTERM save if there are save rules, and NOSAVE and SAVE override this', async () => {
  const folder = folderFor('shutdown');
  const rules = ['--save', '3600 1000'];
  let live = await startIn(folder, ...rules);
  await live.must('SET', 'key', 'by shutdown');
  live.client.send(['SHUTDOWN']);
  await ended(live);
  live = await startIn(folder, ...rules);
  assert.equal(await live.must('GET', 'key'), 'by shutdown');
  assert.equal(await live.info('rdb_last_load_keys_loaded'), '1');
  await live.must('SET', 'key', 'by signal');
  live.server.process.kill('SIGTERM');
  await ended(live);
  live = await startIn(folder, ...rules);
  assert.equal(await live.must('GET', 'key'), 'by signal');
  await live.must('SET', 'key', 'never');
  live.client.send(['SHUTDOWN', 'NOSAVE']);
  await ended(live);
  live = await startIn(folder);
  assert.equal(await live.must('GET', 'key'), 'by signal');
  await live.must('SET', 'key', 'by request');
  live.client.send(['SHUTDOWN', 'SAVE']);
  await ended(live);
  live = await startIn(folder);
  assert.equal(await live.must('GET', 'key'), 'by request');
  live.client.send(['SHUTDOWN']);
  await ended(live);
  assert.deepEqual(readdirSync(folder), [FILE]);
});

test('a server that cannot save does not shut down unless forced, and refuses writes', async () => {
  const folder = folderFor('unwritable');
  const live = await startIn(folder, '--save', '3600 1000');
  await live.must('SET', 'key', 1);
  // A directory cannot be replaced by a file.
  mkdirSync(join(folder, FILE));
  assert.equal(String(await live.call('SAVE')), 'Error: ERR');
  assert.equal(String(await live.call('SHUTDOWN')), 'Error: ERR Errors trying to SHUTDOWN. Check logs.');
  await live.must('SET', 'key', 2);
  await live.must('BGSAVE');
  await live.untilInfo('rdb_last_bgsave_status', 'err');
  assert.match(String(await live.call('SET', 'key', 3)), /^Error: MISCONF Redis is configured to save RDB/);
  assert.match(String(await live.call('PING')), /^Error: MISCONF/);
  assert.equal(await live.must('GET', 'key'), '2');
  await live.must('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no');
  await live.must('SET', 'key', 3);
  assert.deepEqual(readdirSync(folder), [FILE]);
  live.client.send(['SHUTDOWN', 'FORCE']);
  await ended(live);
});

test('a full disk leaves the old file unchanged', async (context) => {
  const folder = folderFor('full');
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (mounted.status !== 0) {
    context.skip('only root can mount a small file system');
    return;
  }
  try {
    const live = await startIn(folder, '--save', '3600 1000');
    await live.must('SET', 'key', 'kept');
    await live.must('SAVE');
    const before = readFileSync(join(folder, FILE));
    await live.must('CONFIG', 'SET', 'rdbcompression', 'no');
    await live.must('DEBUG', 'POPULATE', 100, 'filler', 20_000);
    assert.equal(String(await live.call('SAVE')), 'Error: ERR');
    await live.must('BGSAVE');
    await live.untilInfo('rdb_bgsave_in_progress', '0');
    assert.equal(await live.info('rdb_last_bgsave_status'), 'err');
    assert.match(String(await live.call('SET', 'key', 1)), /^Error: MISCONF/);
    assert.deepEqual(readdirSync(folder), [FILE]);
    assert.deepEqual(readFileSync(join(folder, FILE)), before);
    await live.must('CONFIG', 'SET', 'rdbcompression', 'yes');
    await live.must('BGSAVE');
    await live.untilInfo('rdb_last_bgsave_status', 'ok');
    await live.must('SET', 'key', 2);
    live.client.send(['SHUTDOWN', 'NOSAVE']);
    await ended(live);
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

test('a server does not start with a damaged file, and reports the position of the damage', async () => {
  const folder = folderFor('damaged');
  const live = await startIn(folder);
  await live.must('DEBUG', 'POPULATE', 100);
  await live.must('SAVE');
  live.client.send(['SHUTDOWN', 'NOSAVE']);
  await ended(live);
  const file = readFileSync(join(folder, FILE));
  writeFileSync(join(folder, FILE), file.subarray(0, 1000));
  await assert.rejects(startIn(folder), /byte \d+: the file ends after 1000 bytes/);
  file[500] = (file[500] as number) ^ 1;
  writeFileSync(join(folder, FILE), file);
  await assert.rejects(startIn(folder), /byte \d+: /);
});
