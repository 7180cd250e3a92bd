import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SOURCE_OPTIONS, sourceModule } from '../scripts/transpiled.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const STORE = sourceModule(new URL('../src/store/index.ts', import.meta.url));

/** Runs a program in a process of its own; it must end by itself. */
function run(program: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...SOURCE_OPTIONS,
      '--input-type=module',
      '--eval',
      `import { open } from ${JSON.stringify(STORE)};${program}`,
    ],
    { cwd: root, encoding: 'utf8', timeout: 120_000 },
  );
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

describe('a process with embedded stores', () => {
  it('ends by itself when 200 engines, each with its own data, have been closed', () => {
    const output = run(`
      const stores = await Promise.all(Array.from({ length: 200 }, () => open()));
      stores.forEach((store, index) => store.sync.set('key', index));
      const values = stores.map((store) => store.sync.get('key'));
      const waits = stores.map((store) => store.blpop('list', 1000).catch((error) => error.code));
      const listeners = await Promise.all(stores.slice(0, 3).map((store) => store.listen({ port: 0 })));
      await Promise.all(stores.map((store) => store.close()));
      const ends = new Set(await Promise.all(waits));
      console.log(values.every((value, index) => value === String(index)), [...ends].join(), listeners.length);
    `);
    assert.equal(output, 'true CLOSED 3');
  });

  it('ends by itself although a store is left open, unless a call waits for it', () => {
    assert.equal(run(`const store = await open(); await store.set('a', 1); console.log('end');`), 'end');
    assert.equal(run(`const store = await open(); console.log(await store.blpop('list', 0.2));`), 'null');
    const paused = `const store = await open(); await store.send('CLIENT PAUSE', 200);`;
    assert.equal(run(`${paused} console.log(await store.get('a'));`), 'null');
    assert.equal(
      run(`${paused} store.get('a').catch(({ code }) => console.log(code)); await store.close();`),
      'CLOSED',
    );
  });

  it('loses nothing that was acknowledged when it ends without closing its folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-process-'));
    const address = JSON.stringify(`file:${folder}`);
    run(`const store = await open(${address}); await store.set('a', 1); store.sync.set('b', 2);`);
    assert.equal(
      run(`const store = await open(${address}); console.log(await store.mget('a', 'b'));`),
      "[ '1', '2' ]",
    );
    rmSync(folder, { recursive: true });
  });

  it('does not load ioredis or the server for an embedded store', () => {
    const output = run(`
      const store = await open();
      await store.set('a', 1);
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire(process.cwd() + '/x.js').cache);
      console.log(loaded.filter((path) => path.includes('ioredis')).length);
    `);
    assert.equal(output, '0');
  });
});
