import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';

const main = sourceProgram(new URL('main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sorrel-check-rdb-'));
after(() => rmSync(folder, { recursive: true }));

function check(bytes: Buffer): { status: number | null; stdout: string; stderr: string; path: string } {
  const path = join(folder, 'dump.rdb');
  writeFileSync(path, bytes);
  const parameters = [...SOURCE_OPTIONS, main, 'check-rdb', path];
  return { ...spawnSync(process.execPath, parameters, { encoding: 'utf8' }), path };
}

/** Two keys in database 20, one with a time to live that is over; the checksum is switched off. */
const SOUND = Buffer.from(
  'REDIS0010\xfa\x09redis-ver\x067.0.15\xfe\x14\x00\x03key\x05value\xfd\x01\x00\x00\x00\x00\x03old\x01x\xff' +
    '\0'.repeat(8),
  'latin1',
);

test('check-rdb describes a sound file', () => {
  const { status, stdout, path } = check(SOUND);
  assert.equal(status, 0);
  assert.ok(stdout.startsWith(`[offset 0] Checking RDB file ${path}\n`));
  assert.match(stdout, /AUX FIELD redis-ver = '7\.0\.15'\n.*Selecting DB ID 20\n/);
  assert.match(
    stdout,
    /\\o\/ RDB looks OK! \\o\/\n\[info\] 2 keys read\n\[info\] 1 expires\n\[info\] 1 already expired\n/,
  );
  assert.ok(stdout.endsWith(`[info] by type: 2 string\n[info] SHA-256 ${sha256(SOUND)}\n`));
});

test('check-rdb tells of bytes behind the end', () => {
  assert.match(check(Buffer.concat([SOUND, Buffer.alloc(5)])).stdout, /5 bytes behind the end/);
});

test('check-rdb says where a file is damaged and ends with 1', () => {
  const { status, stdout } = check(SOUND.subarray(0, 36));
  assert.equal(status, 1);
  assert.match(stdout, /--- RDB ERROR DETECTED ---\n\[offset \d+\] Unexpected EOF reading RDB file\n/);
  assert.match(stdout, /Reading key 'key'\n/);
});

test('check-rdb names a file that is not there', () => {
  const { status, stderr } = spawnSync(process.execPath, [...SOURCE_OPTIONS, main, 'check-rdb', '/none'], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^sorrel check-rdb: .*\/none: No such file or directory$/m);
});

test('the check tools name their version and parameters as those of Redis do, and the reason in the words of the system', () => {
  const run = (...parameters: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [...SOURCE_OPTIONS, main, ...parameters], { encoding: 'utf8' });
  assert.equal(run('check-rdb', '--version').stdout, 'redis-check-rdb 7.0.15\n');
  assert.equal(run('check-rdb').stderr, 'Usage: sorrel check-rdb <rdb-file-name>\n');
  assert.match(run('check-aof').stderr, /^Usage: sorrel check-aof \[--fix/);
  assert.equal(run('check-rdb', folder).stderr, 'sorrel check-rdb: Is a directory\n');
  const server = run('server', '/none.conf');
  assert.match(server.stderr, /can't open config file '\/none.conf': No such file or directory$/m);
  assert.equal(server.status, 1);
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
