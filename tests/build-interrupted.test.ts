import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

test('a build that is interrupted says what it was doing, and leaves nothing behind', async () => {
  const build = spawn(process.execPath, ['scripts/build.mjs'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  build.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.includes('compiling')) build.kill('SIGINT');
  });
  const [code] = await once(build, 'close');
  assert.equal(code, 1);
  assert.match(text, /^— build: compiling … /);
  const left = readdirSync(root).filter((name) => name.startsWith(`dist.${build.pid}.`));
  assert.deepEqual(left, []);
});
