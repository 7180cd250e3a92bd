import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function bench(...parameters: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/bench.mjs', ...parameters], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** The benchmark's own source and those of its parts, in a folder of its name. */
function sourcesOf(name: string): string {
  const folder = join(root, 'bench');
  const parts = readdirSync(folder).includes(name) ? readdirSync(join(folder, name)) : [];
  const paths = [`${name}.ts`, ...parts.map((part) => join(name, part))];
  return paths.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
}

describe('npm run bench', () => {
  const names = readdirSync(join(root, 'bench'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -3));

  it('lists every benchmark with what it measures', () => {
    const { status, output } = bench('--help');
    assert.equal(status, 0);
    for (const name of names) assert.match(output, new RegExp(`^ {2}${name} +[A-Z]`, 'm'));
  });

  for (const name of names) {
    it(`describes ${name} and each option it reads, without running it`, () => {
      const { status, output } = bench(name, '--help');
      assert.equal(status, 0);
      const options = [...sourcesOf(name).matchAll(/[oO]ption\('([\w-]+)'/g)].map(([, option]) => option);
      for (const option of options) assert.match(output, new RegExp(`--${option}=`), `--${option}`);
    });
  }

  it('refuses an option that the benchmark does not have', () => {
    const { status, output } = bench('server', '--round=1');
    assert.equal(status, 1);
    assert.match(output, /has no option --round=1\. See npm run bench -- server --help/);
  });

  it('refuses a benchmark that does not exist', () => {
    const { status, output } = bench('servers');
    assert.equal(status, 1);
    assert.match(output, /There is no benchmark named servers/);
  });
});
