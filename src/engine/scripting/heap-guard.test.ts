import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceModule } from '../../../scripts/transpiled.mjs';

/** Runs a program in a process with little memory; returns its output. */
function run(program: string): string {
  const store = sourceModule(new URL('../../store/index.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=120',
      ...SOURCE_OPTIONS,
      '--input-type=module',
      '--eval',
      `import { open } from ${JSON.stringify(store)};
      import { runInNewContext } from 'node:vm';
      const store = await open('memory:', { scriptTimeout: 100_000 });
      ${program}
      await store.close();`,
    ],
    { encoding: 'utf8', timeout: 120_000 },
  );
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

describe('the memory limit for scripts', () => {
  it('ends a script that keeps too much memory, and changes no V8 flag', () => {
    const output = run(`
      const greedy = 'local t = {} for i = 1, 1e8 do t[i] = { i } end';
      const error = await store.eval(greedy, [], []).catch((reason) => reason);
      console.log(error.message, runInNewContext('typeof gc'));`);
    assert.match(output, /not enough memory.* undefined$/);
  });

  it('does not count garbage', () => {
    const output = run(`
      const wasteful = 'local t for i = 1, 3e6 do t = { i, { i } } end return "done"';
      console.log(await store.eval(wasteful, [], []));`);
    assert.equal(output, 'done');
  });
});
