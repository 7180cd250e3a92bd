import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { whenRedisIsInstalled } from './support/pair.js';

/** What redis-server and ours print when they have started. Programs that start a server wait for these lines. */

const MAIN = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

/** `--save '""'` is how programs, such as aioredis' tests, switch saving off in a way that a shell does not swallow. */
test('A server on a socket prints that it accepts connections there', whenRedisIsInstalled, async () => {
  const redis = await lineOfSocket('redis-server', []);
  const sorrel = await lineOfSocket(process.execPath, [...SOURCE_OPTIONS, MAIN, 'server']);
  assert.equal(sorrel, redis);
});

/** The end of the line that names the socket as ready, with a fixed path. Fails if the server ends without it. */
async function lineOfSocket(program: string, parameters: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-start-'));
  const path = join(folder, 'socket');
  const options = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', '""'];
  const child = spawn(program, [...parameters, ...options], { timeout: 30_000 });
  const exited = once(child, 'exit');
  let output = '';
  try {
    for await (const chunk of child.stdout) {
      output += chunk;
      const line = /\* (.*ready to accept connections at .*)\n/.exec(output)?.[1];
      if (line !== undefined) return line.replace(path, 'PATH');
    }
    throw new Error(`the server did not name its socket: ${output}`);
  } finally {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
