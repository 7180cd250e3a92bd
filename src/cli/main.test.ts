import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';

const main = sourceProgram(new URL('main.ts', import.meta.url));

function sorrel(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...SOURCE_OPTIONS, main, ...parameters], { encoding: 'utf8' });
}

test('--version prints the version of the package', () => {
  const { status, stdout } = sorrel('--version');
  assert.match(stdout, /^sorrel \d+\.\d+\.\d+\n$/);
  assert.equal(status, 0);
});

test('server --version is the line that programs look for in that of redis-server', () => {
  for (const option of ['--version', '-v']) {
    const { status, stdout } = sorrel('server', option);
    assert.match(stdout, /^Redis server v=7\.0\.15 sha=\S+ malloc=\S+ bits=64 build=sorrel-\S+\n$/);
    assert.equal(status, 0);
  }
});

test('a link with the name of a program of Redis is that program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-main-'));
  const start = (name: string, ...parameters: string[]) => {
    const link = join(folder, name);
    symlinkSync(main, link);
    const options = { encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [...SOURCE_OPTIONS, link, ...parameters], options);
  };
  assert.match(start('redis-server', '--version').stdout, /^Redis server v=7\.0\.15 /);
  assert.match(start('redis-cli', '--version').stdout, /^sorrel cli /);
  assert.match(start('redis-check-rdb', '--help').stdout, /^Usage: sorrel check-rdb/);
  assert.match(start('redis-other', 'serve').stderr, /no subcommand 'serve'/);
});

test('--help lists the subcommands, and each describes itself', () => {
  assert.match(sorrel('--help').stdout, /^ {2}server +serve/m);
  assert.match(sorrel('server', '--help').stdout, /^Usage: sorrel server/);
});

test('an unknown subcommand is named in the error', () => {
  const { status, stdout, stderr } = sorrel('serve');
  assert.match(stderr, /no subcommand 'serve'/);
  assert.equal(stdout, '');
  assert.equal(status, 1);
});

test("redis-server's parameters without a subcommand are the server's", () => {
  const { status, stderr } = sorrel('--port', '7000', '--no-such-option', 'yes');
  assert.match(stderr, /no-such-option/);
  assert.equal(status, 1);
  const file = join(mkdtempSync(join(tmpdir(), 'sorrel-main-')), 'redis.conf');
  writeFileSync(file, 'no-such-setting yes\n');
  assert.match(sorrel(file).stderr, /no-such-setting/);
});
