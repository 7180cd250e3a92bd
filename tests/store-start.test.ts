import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from '../scripts/steps.mjs';
import { SOURCE_OPTIONS, sourceModule } from '../scripts/transpiled.mjs';

const root = new URL('..', import.meta.url);
const entry = new URL('dist/store/index.js', root);
const BUILT = entry.href;
const SOURCE = sourceModule(new URL('src/store/index.ts', root));

/** The files that importing one brings in, itself included. */
function importedFiles(file: URL, found = new Set<string>()): Set<string> {
  if (found.has(file.href)) return found;
  found.add(file.href);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g)) {
    importedFiles(new URL(path as string, file), found);
  }
  return found;
}

/** Runs a program with `open`, from the build or from the sources, in a process of its own; gives what it printed. */
function run(program: string, from: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...(from === BUILT ? [] : SOURCE_OPTIONS),
      '--input-type=module',
      '--eval',
      `import { open } from ${JSON.stringify(from)};${program}`,
    ],
    { cwd: fileURLToPath(root), encoding: 'utf8', timeout: 120_000, maxBuffer: 1 << 26 },
  );
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

describe('the build of an embedded store', () => {
  before(() => buildIfNeeded());

  it('starts from few and small files', () => {
    const files = [...importedFiles(entry)];
    assert.ok(files.length >= 2 && files.length <= 4, `${files.length} files: ${files.join(', ')}`);
    const bytes = files.reduce((sum, file) => sum + statSync(new URL(file)).size, 0);
    assert.ok(bytes > 100_000 && bytes < 1_250_000, `${bytes} bytes`);
  });

  it('imports nothing of Node or others that only scripts, threads and remote stores need', () => {
    const text = [...importedFiles(entry)].map((file) => readFileSync(new URL(file), 'utf8')).join('\n');
    assert.ok(text.includes('from"node:crypto"'));
    for (const name of ['node:vm', 'node:worker_threads', 'node:net', 'ioredis']) {
      assert.ok(!text.includes(`from"${name}"`), name);
    }
  });

  it('runs the code of the interpreter with the first script, in the middle of a call', () => {
    const output = run(
      `import { Session } from 'node:inspector';
      const session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      const runs = () => {
        let count = 0;
        session.post('Profiler.takePreciseCoverage', (_, { result }) => {
          const functions = result.flatMap((script) => script.functions);
          for (const { functionName, ranges } of functions) if (functionName === 'runOnDemand') count += ranges[0].count;
        });
        return count;
      };
      const store = await open();
      await store.set('key', 'value');
      const counts = [runs()];
      const value = store.sync.eval("return redis.call('GET', KEYS[1])", ['key'], []);
      counts.push(runs());
      const failure = await store.eval("return redis.call('LPUSH', KEYS[1], 1)", ['key'], []).catch((error) => error);
      console.log(counts.join(), value, failure.code, failure.message);
      await store.close();`,
      BUILT,
    );
    assert.match(output, /^0,1 value \S+ WRONGTYPE Operation against a key/);
  });

  it('knows all that the sources say of commands', () => {
    const program = `
      const store = await open();
      console.log(JSON.stringify([store.sync.send('COMMAND'), store.sync.send('COMMAND', 'DOCS')]));
      await store.close();`;
    const built = run(program, BUILT);
    assert.ok(built.length > 100_000);
    assert.equal(built, run(program, SOURCE));
  });
});
