import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sorrel-check-rdb-'));
after(() => rmSync(folder, { recursive: true }));

function check(bytes: Buffer): { status: number | null; stdout: string; stderr: string; path: string } {
  const path = join(folder, 'dump.rdb');
  writeFileSync(path, bytes);
  const parameters = ['--import', 'tsx', main, 'check-rdb', path];
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
  assert.match(stdout, new RegExp(`^${path} is sound\n`));
  assert.match(stdout, /RDB version 10, \d+ bytes\n/);
  assert.match(stdout, /redis-ver +7\.0\.15\n/);
  assert.match(stdout, /keys +2, of them 1 with a time to live, 1 expired\n/);
  assert.ok(stdout.includes(createHash('sha256').update(SOUND).digest('hex')));
});

test('check-rdb tells of bytes behind the end', () => {
  assert.match(
    check(Buffer.concat([SOUND, Buffer.alloc(5)])).stdout,
    /5 bytes that belong to something else\n/,
  );
});

test('check-rdb says where a file is damaged and ends with 1', () => {
  const { status, stderr, path } = check(SOUND.subarray(0, 36));
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^${path} is damaged at byte \\d+: the file ends after 36 bytes`));
  assert.match(stderr, /\(in key "key" of database 20, which begins at byte \d+\)\n0 keys before that/);
});

test('check-rdb names a file that is not there', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main, 'check-rdb', '/none'], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /ENOENT.*\/none/);
});
