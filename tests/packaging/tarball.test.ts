import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { deadLinks } from '../documentation/extract.js';
import { installedProject, type Project } from './support/packed-package.js';

/** The first example of the README, for plain Node 20. */
const PROGRAM = `
  const store = await open();
  try {
    await store.set('greeting', 'hello', { ex: 60 });
    const lock = await locks(store).acquire('report');
    await lock.release();
    console.log(await store.get('greeting'));
  } finally {
    await store.close();
  }`;

describe('the packed package', () => {
  let project: Project;
  before(() => {
    project = installedProject();
  });
  after(() => project.remove());

  /** Runs a program in the project. */
  function run(file: string, text: string, options: readonly string[] = []): string {
    writeFileSync(join(project.folder, file), text);
    return execFileSync(process.execPath, [...options, file], {
      cwd: project.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  it('has the documentation, and no broken relative link in it', () => {
    const all = readdirSync(project.installed, { recursive: true, encoding: 'utf8' });
    const pages = all.filter((path) => path.endsWith('.md'));
    for (const name of ['README.md', 'docs/store.md', 'docs/guide/README.md', 'src/kit/locks/README.md']) {
      assert.ok(pages.includes(name), name);
    }
    const dead = pages.flatMap((path) => deadLinks(path, project.installed));
    assert.deepEqual(dead, []);
  });

  it('has no sources, tests, maps or other files of the build', () => {
    const all = readdirSync(project.installed, { recursive: true, encoding: 'utf8' });
    const strange = all.filter((path) =>
      /(?<!\.d)\.ts$|\.map$|\.test\.|(^|\/)tests?(\/|$)|\.built|!~/.test(path),
    );
    assert.deepEqual(strange, []);
  });

  it('computes no path at run time, except for the version in the command line', () => {
    const dist = join(project.installed, 'dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.js'),
    );
    const finding = files.filter((path) =>
      /import\.meta|createRequire|__dirname|__filename/.test(readFileSync(join(dist, path), 'utf8')),
    );
    assert.deepEqual(finding, ['cli/main.js']);
  });

  it('runs in an ES module and in a CommonJS one, with the loader of older Nodes, too', () => {
    const esm = `import { open } from 'sorrel';\nimport { locks } from 'sorrel/kit/locks';\n${PROGRAM}`;
    const cjs = `const { open } = require('sorrel');\nconst { locks } = require('sorrel/kit/locks');\n(async () => {${PROGRAM}})();`;
    assert.equal(run('program.mjs', esm), 'hello\n');
    assert.equal(run('program.cjs', cjs), 'hello\n');
    if (process.allowedNodeEnvironmentFlags.has('--experimental-require-module')) {
      assert.equal(run('program.cjs', cjs, ['--no-experimental-require-module']), 'hello\n');
    }
  });

  it('is the same for import and require where Node can load ES modules by require', (test) => {
    const { require_module: canRequire } = process.features as { require_module?: boolean };
    if (canRequire !== true) return test.skip('this Node cannot');
    const program = `import { createRequire } from 'node:module';
      import { StoreError } from 'sorrel';
      console.log(createRequire(import.meta.url)('sorrel').StoreError === StoreError);`;
    assert.equal(run('same.mjs', program), 'true\n');
  });

  it('does not publish the code that components share', () => {
    assert.throws(
      () => run('foundation.mjs', "import 'sorrel/kit/foundation';"),
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    );
  });

  it('has the command line', () => {
    const program = join(project.installed, 'bin/sorrel');
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' });
    assert.match(version, /\d+\.\d+\.\d+/);
  });
});
