import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';
import { checkTable, tableOf } from './support/document-table.js';
import { installedProject, type Project } from './support/packed-package.js';

const CONSUMER = fileURLToPath(new URL('support/consumer.mts', import.meta.url));

/** Versions of TypeScript, the packages they are installed as, and the settings they are tried with: each takes seconds. */
const compilers: Readonly<Record<string, { readonly name: string; readonly tried: readonly string[] }>> = {
  '5.4': { name: 'typescript-5.4', tried: ['node16', 'bundler'] },
  '5.9': { name: 'typescript-5.9', tried: ['nodenext'] },
  '6.0': { name: 'typescript', tried: ['nodenext', 'bundler'] },
  '7.0': { name: 'typescript-7', tried: ['nodenext', 'bundler'] },
};

/** Ways to resolve modules, with the kinds of programs that they are for. */
const settings: Readonly<Record<string, { readonly options: object; readonly files: readonly string[] }>> = {
  node16: { options: { module: 'node16' }, files: ['consumer.mts', 'consumer.cts'] },
  nodenext: { options: { module: 'nodenext' }, files: ['consumer.mts', 'consumer.cts'] },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler' }, files: ['consumer.mts'] },
};

describe('the declarations of the package', () => {
  const seen = new Map<string, string | true>();
  let project: Project;

  before(() => {
    project = installedProject(['@types/node', 'undici-types']);
    cpSync(CONSUMER, join(project.folder, 'consumer.mts'));
    cpSync(CONSUMER, join(project.folder, 'consumer.cts'));
  });
  after(() => project.remove());

  /** Compiles without `skipLibCheck`; returns the compiler's errors. */
  function compile(compiler: string, setting: string): Promise<string> {
    const { options, files } = settings[setting]!;
    const folder = join(project.folder, `${compiler}-${setting}`);
    mkdirSync(folder);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      ...options,
    };
    const config = { compilerOptions, files: files.map((file) => `../${file}`) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(PROJECT_ROOT, 'node_modules', compiler, 'bin/tsc');
    return new Promise((resolve) =>
      execFile(process.execPath, [tsc, '-p', folder], { cwd: project.folder }, (_, stdout) =>
        resolve(stdout),
      ),
    );
  }

  for (const [version, { name, tried }] of Object.entries(compilers)) {
    it(`compile with TypeScript ${version}`, { timeout: 300_000 }, async () => {
      const { version: installed } = JSON.parse(
        readFileSync(join(PROJECT_ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      );
      assert.ok(String(installed).startsWith(`${version}.`));
      for (const setting of tried) {
        const complaints = await compile(name, setting);
        seen.set(`${version} ${setting}`, complaints === '' || 'no');
        assert.equal(complaints, '');
      }
    });
  }

  it('have the results that the documentation states', () => {
    const columns = Object.entries(settings).map(
      ([name, { files }]) => `${name} (${files.length === 2 ? 'ES module and CommonJS' : 'ES module'})`,
    );
    const rows = Object.keys(compilers).map(
      (version) =>
        [version, Object.keys(settings).map((setting) => seen.get(`${version} ${setting}`) ?? '')] as const,
    );
    checkTable('types', tableOf('TypeScript', columns, new Map(rows)));
  });
});
