/**
 * `npm test`: build, lint, types, import table, plain words, then all tests. `npm test -- TEXT…` runs only the tests of the files
 * whose path contains one of the texts, without the other checks. Options (`--test-name-pattern=…`) go to Node.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, projectRoot, runNode } from './steps.mjs';

const parameters = process.argv.slice(2);
const filters = parameters.filter((parameter) => !parameter.startsWith('-'));
const nodeOptions = parameters.filter((parameter) => parameter.startsWith('-'));

installIfNeeded();
const failed = [];
if (filters.length === 0) {
  buildIfNeeded();
  check('lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']);
  check('types', ['node_modules/typescript/bin/tsc', '--noEmit']);
  for (const project of ['examples/shop', 'examples/feed', 'src/console/browser']) {
    check(`types of ${project}`, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', project]);
  }
  check('import table', ['scripts/check-imports.mjs']);
  check('plain words', ['scripts/check-words.mjs']);
  check('reference', ['--import', 'tsx', 'scripts/reference.ts', '--check']);
  check('store commands', ['--import', 'tsx', 'scripts/store-commands.ts', '--check']);
}
const files = testFiles();
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(' ')}.`);
  process.exit(1);
}
runTests(files);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}

function check(name, command) {
  console.log(`\n— ${name}`);
  if (runNode(command) !== 0) failed.push(name);
}

function testFiles() {
  return ['src', 'tests']
    .flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    )
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .sort();
}

function runTests(paths) {
  console.log(`\n— tests (${paths.length} files)`);
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-tests-'));
  const skippedList = join(folder, 'skipped');
  const status = runNode([
    '--import',
    'tsx',
    '--import',
    './scripts/test-seed.mjs',
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/skip-reporter.mjs',
    `--test-reporter-destination=${skippedList}`,
    ...nodeOptions,
    ...paths,
  ]);
  const skipped = readFileSync(skippedList, 'utf8').split('\n').filter(Boolean).map(JSON.parse);
  rmSync(folder, { recursive: true });
  if (status !== 0) failed.push('tests');
  reportSkipped(skipped);
}

function reportSkipped(skipped) {
  console.log(`\n${skipped.length} tests skipped.`);
  for (const reason of new Set(skipped.map((test) => test.reason))) {
    const count = skipped.filter((test) => test.reason === reason).length;
    console.log(`  ${count}: ${reason === true ? 'no reason given' : reason}`);
  }
  const mayNotSkip = process.env.CI === 'true' || process.env.SORREL_REQUIRE_REDIS === '1';
  if (mayNotSkip && skipped.length > 0) failed.push('skipped tests');
}
