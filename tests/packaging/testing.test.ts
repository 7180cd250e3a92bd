/** Runs the files shown in docs/testing.md in Vitest, Jest and node:test, on the package as npm would publish it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';
import { installedProject, type Project } from './support/packed-package.js';

const run = promisify(execFile);

/** The files of the page: a bold name, then a fence. */
function filesOfPage(): ReadonlyMap<string, string> {
  const page = readFileSync(join(PROJECT_ROOT, 'docs/testing.md'), 'utf8');
  const found = page.matchAll(/^\*\*([\w.]+\.js)\*\*\n\n```ts fragment\n([\s\S]*?)^```$/gm);
  return new Map([...found].map(([, name = '', text = '']) => [name, text]));
}

describe('The setups of docs/testing.md', () => {
  const files = filesOfPage();
  let project: Project;

  before(() => {
    project = installedProject(['vitest', 'redis']);
  });
  after(() => project.remove());

  /** A folder of the project with the code under test and one test file. */
  function folderFor(test: string, type: 'module' | 'commonjs'): string {
    const folder = join(project.folder, test);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    for (const name of ['cart.js', test]) {
      const text = files.get(name);
      assert.ok(text !== undefined, `the page has no ${name}`);
      const isModule = type === 'commonjs' && name === 'cart.js';
      const code = isModule ? transformSync(text, { format: 'cjs', platform: 'node' }).code : text;
      writeFileSync(join(folder, name), code);
    }
    return folder;
  }

  async function passes(folder: string, command: readonly string[], summary: RegExp): Promise<void> {
    // Not part of the tests that run it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const outcome = await run(process.execPath, [...command], { cwd: folder, timeout: 120_000, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    const output = `${outcome.stdout}${outcome.stderr}`.replaceAll(COLOURS, '');
    assert.match(output, summary);
    assert.doesNotMatch(output, /ECONNREFUSED|ENOTFOUND/);
  }

  it('run in Vitest', { timeout: 180_000 }, async () => {
    const folder = folderFor('cart.vitest.test.js', 'module');
    await passes(folder, [bin('vitest/vitest.mjs'), 'run', '--root=.'], /Tests\s+2 passed/);
  });

  it('run in Jest', { timeout: 180_000 }, async () => {
    const folder = folderFor('cart.jest.test.js', 'commonjs');
    const config = JSON.stringify({ testEnvironment: 'node', transform: {} });
    await passes(folder, [bin('jest/bin/jest.js'), `--config=${config}`, '--rootDir=.'], /Tests:\s+2 passed/);
  });

  it('run in node:test', { timeout: 180_000 }, async () => {
    const folder = folderFor('cart.node.test.js', 'module');
    const command = [
      '--test',
      '--experimental-test-module-mocks',
      '--test-reporter=tap',
      'cart.node.test.js',
    ];
    await passes(folder, command, /# pass 2\n# fail 0/);
  });
});

function bin(path: string): string {
  return join(PROJECT_ROOT, 'node_modules', path);
}

const COLOURS = /\u001b\[\d*m/g;
