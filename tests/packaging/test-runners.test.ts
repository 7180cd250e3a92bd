import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';
import { checkTable, tableOf } from './support/document-table.js';
import { installedProject, type Project } from './support/packed-package.js';

const SUPPORT = fileURLToPath(new URL('support', import.meta.url));

/** The result of each test, by its title. */
type Outcomes = ReadonlyMap<string, boolean>;

/** A way to run tests: the file with them, and the command line that runs it and writes a report. */
interface Runner {
  readonly file: string;
  readonly program: string;
  command(report: string): readonly string[];
}

const JEST_TESTS = `declareTests({
  test, expect,
  fake: () => jest.useFakeTimers(),
  real: () => jest.useRealTimers(),
  advance: (ms) => jest.advanceTimersByTime(ms),
});`;

const jest = (file: string, options: readonly string[]): Runner['command'] => {
  const config = { testEnvironment: 'node', transform: {}, testMatch: [`**/${file}`] };
  return (report) => [
    ...options,
    join(PROJECT_ROOT, 'node_modules/jest/bin/jest.js'),
    '--runInBand',
    '--json',
    `--outputFile=${report}`,
    `--config=${JSON.stringify(config)}`,
    '--rootDir=.',
  ];
};

const runners: Readonly<Record<string, Runner>> = {
  'Jest, CommonJS': {
    file: 'jest.test.cjs',
    program: `const { declareTests } = require('./runner-tests.cjs');\n${JEST_TESTS}`,
    command: jest('jest.test.cjs', []),
  },
  'Jest, ES modules': {
    file: 'jest.test.mjs',
    program: `import { jest } from '@jest/globals';\nimport { declareTests } from './runner-tests.mjs';\n${JEST_TESTS}`,
    command: jest('jest.test.mjs', ['--experimental-vm-modules', '--no-warnings']),
  },
  Vitest: {
    file: 'vitest.test.mjs',
    program: `import { expect, test, vi } from 'vitest';
      import { declareTests } from './runner-tests.mjs';
      declareTests({
        test, expect,
        fake: () => vi.useFakeTimers(),
        real: () => vi.useRealTimers(),
        advance: (ms) => vi.advanceTimersByTime(ms),
      });`,
    command: (report) => [
      join(PROJECT_ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      'vitest.test.mjs',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
  },
};

/** The report that Jest and Vitest write. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

describe('tests that use the package', () => {
  const seen = new Map<string, Outcomes>();
  let project: Project;

  before(() => {
    project = installedProject(['@jest/globals', 'vitest']);
    for (const name of ['features', 'runner-tests']) {
      const text = readFileSync(join(SUPPORT, `${name}.mjs`), 'utf8');
      writeFileSync(join(project.folder, `${name}.mjs`), text);
      const { code } = transformSync(text.replaceAll('.mjs', '.cjs'), { format: 'cjs', platform: 'node' });
      writeFileSync(join(project.folder, `${name}.cjs`), code);
    }
    for (const { file, program } of Object.values(runners)) {
      writeFileSync(join(project.folder, file), program);
    }
  });
  after(() => project.remove());

  function run(name: string, { command }: Runner): Promise<Outcomes> {
    const report = join(project.folder, 'report.json');
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [...command(report)],
        { cwd: project.folder, timeout: 240_000 },
        (error, stdout, stderr) => {
          try {
            const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
            const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
            if (error !== null) console.error(`${name}: ${testResults.map(({ message }) => message)}`);
            resolve(new Map(tests.map(({ title, status }) => [title, status === 'passed'])));
          } catch {
            reject(error ?? new Error(`${name} wrote no report: ${stdout}${stderr}`));
          }
        },
      );
    });
  }

  for (const [name, runner] of Object.entries(runners)) {
    it(`pass with ${name}`, { timeout: 300_000 }, async () => {
      const outcomes = await run(name, runner);
      seen.set(name, outcomes);
      assert.ok(outcomes.size > 15, `${outcomes.size} tests`);
      for (const [title, hasPassed] of outcomes) assert.ok(hasPassed, title);
    });
  }

  it('have the results that the documentation states', () => {
    const columns = Object.keys(runners).flatMap((name) => [`${name}, real timers`, `${name}, fake timers`]);
    const titles = [...(seen.get('Vitest') ?? new Map()).keys()] as string[];
    const features = [...new Set(titles.map((title) => title.replace(/, (real|fake) timers$/, '')))];
    const cell = (feature: string, column: string): string | true => {
      const [, runner = '', timers] = /^(.*), (\w+ timers)$/.exec(column) ?? [];
      const outcome = seen.get(runner)?.get(`${feature}, ${timers}`);
      return outcome === undefined ? '' : outcome || 'no';
    };
    const rows = features.map(
      (feature) => [feature, columns.map((column) => cell(feature, column))] as const,
    );
    checkTable('runners', tableOf('feature', columns, new Map(rows)));
  });
});
