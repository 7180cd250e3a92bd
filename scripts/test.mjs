/**
 * `npm test`: build, lint, types, import table, plain words, then all tests. `npm test -- TEXT…` runs only the tests of the files
 * whose path contains one of the texts, without the other checks. `--timings` prints how long each file took, and after a run of all
 * tests writes it to scripts/test-durations.json. `--jobs=N` runs N processes at a time. Other options (`--test-name-pattern=…`) go to Node.
 *
 * Each test file is a process. The longest start first, and one more than there are processors run at a time, since tests also wait: so
 * all processors are busy until the end.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent } from './build-state.mjs';
import { runJobs } from './job-pool.mjs';
import { headComment, installIfNeeded, projectRoot } from './steps.mjs';

const DURATIONS = join(projectRoot, 'scripts/test-durations.json');
/** Files that take less are not in the table of durations. */
const LONG_SECONDS = 3;

const parameters = process.argv.slice(2);
if (parameters.includes('--help')) {
  console.log(headComment(fileURLToPath(import.meta.url)));
  process.exit(0);
}
const filters = parameters.filter((parameter) => !parameter.startsWith('-'));
const nodeOptions = parameters.filter(
  (parameter) => parameter.startsWith('-') && !/^--(timings$|jobs=)/.test(parameter),
);
const showsTimings = parameters.includes('--timings');
const jobCount = Number(
  parameters.find((parameter) => parameter.startsWith('--jobs='))?.slice(7) ?? availableParallelism() + 1,
);
if (!(jobCount >= 1)) throw new RangeError('--jobs needs a number of processes, 1 or more');

installIfNeeded();
// It needs packages, which may have just been installed.
const { transpileChanged } = await import('./transpile.mjs');

const startedAt = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'sorrel-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const files = longestFirst(testFiles());
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(' ')}.`);
  process.exit(1);
}
await transpileChanged();

const failed = [];
const tests = { passed: 0, failed: 0, skipped: [] };
const timings = [];
const checks = filters.length === 0 ? checksOfTheWhole() : [];
const build = checks.find(({ name }) => name === 'build');
const built = new Promise((resolve) => {
  if (build === undefined) resolve();
  else build.onEnd = resolve;
});
const jobs = [...checks, ...files.map(testJob)];
console.log(`${files.length} test files and ${checks.length} checks, ${jobCount} at a time.`);
if (build !== undefined) console.log('The build comes first, and can take a minute.');
await runJobs(jobs, jobCount, (job, result) => {
  if (job.file === undefined) reportCheck(job, result);
  else reportTests(job, result);
});
reportSummary();
process.exit(failed.length > 0 ? 1 : 0);

/** The build is first, since tests need it. */
function checksOfTheWhole() {
  const tsc = 'node_modules/typescript/bin/tsc';
  const check = (name, ...command) => ({ name, command });
  return [
    ...(isBuildCurrent() ? [] : [check('build', 'scripts/build.mjs')]),
    check('types', tsc, '--noEmit'),
    check('types of examples', tsc, '--noEmit', '-p', 'examples'),
    check('types of src/console/browser', tsc, '--noEmit', '-p', 'src/console/browser'),
    check('import table', 'scripts/check-imports.mjs'),
    check('lint', 'node_modules/@biomejs/biome/bin/biome', 'ci', '.'),
    check('plain words', 'scripts/check-words.mjs'),
    check('reference', 'dist.tests/scripts/reference.js', '--check'),
    check('store commands', 'dist.tests/scripts/store-commands.js', '--check'),
  ];
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

function longestFirst(paths) {
  const durations = JSON.parse(readFileSync(DURATIONS, 'utf8'));
  return paths.sort((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0));
}

function testJob(file, index) {
  const results = join(folder, `${index}.results`);
  return {
    name: file,
    file,
    results,
    after: () => built,
    environment: { SORREL_TRANSPILED: '1' },
    command: [
      '--enable-source-maps',
      '--import',
      './scripts/test-seed.mjs',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/results-reporter.mjs',
      `--test-reporter-destination=${results}`,
      ...nodeOptions,
      join('dist.tests', file.replace(/\.ts$/, '.js')),
    ],
  };
}

function reportCheck({ name, onEnd }, { status, output, seconds }) {
  console.log(`\n— ${name} (${seconds.toFixed(0)} s)${output.trim() === '' ? '' : `\n${output.trimEnd()}`}`);
  if (status !== 0) failed.push(name);
  if (status !== 0 && name === 'build') process.exit(status);
  onEnd?.();
}

function reportTests({ file, results }, { status, output, seconds, cpuSeconds }) {
  // The reporter's summary of the file; there is one of all files at the end.
  const text = output.replaceAll(
    /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+\n/gm,
    '',
  );
  const cpu = cpuSeconds > 0 ? `, ${cpuSeconds.toFixed(1)} s of CPU` : '';
  console.log(`\n— ${file} (${seconds.toFixed(1)} s${cpu})\n${text.trimEnd()}`);
  timings.push({ file, seconds, cpuSeconds });
  const lines = readFileSync(results, 'utf8').split('\n').filter(Boolean).map(JSON.parse);
  for (const { name, passed, skip } of lines) {
    if (!passed) failed.push(`${file}: ${name}`);
    if (skip !== undefined) tests.skipped.push(skip);
    else if (passed) tests.passed++;
    else tests.failed++;
  }
  if (status !== 0 && lines.every(({ passed }) => passed)) failed.push(`${file}: it ended with ${status}`);
  if (lines.length === 0 && nodeOptions.length === 0) failed.push(`${file}: no test ran`);
}

function reportSummary() {
  if (showsTimings) reportTimings();
  const { passed, skipped } = tests;
  const seconds = (performance.now() - startedAt) / 1000;
  const duration = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  const counts = `${passed} passed, ${tests.failed} failed, ${skipped.length} skipped`;
  console.log(`\n${files.length} test files in ${duration}: ${counts}.`);
  for (const reason of new Set(skipped)) {
    const count = skipped.filter((other) => other === reason).length;
    console.log(`  ${count}: ${reason === true ? 'no reason given' : reason}`);
  }
  const mayNotSkip = process.env.CI === 'true' || process.env.SORREL_REQUIRE_REDIS === '1';
  if (mayNotSkip && skipped.length > 0) failed.push('skipped tests');
  if (failed.length > 0) console.error(`\nFailed:\n  ${failed.join('\n  ')}`);
}

function reportTimings() {
  timings.sort((a, b) => b.seconds - a.seconds);
  console.log('\nseconds   of CPU  file');
  for (const { file, seconds, cpuSeconds } of timings) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${cpuSeconds.toFixed(1).padStart(7)}  ${file}`);
  }
  if (filters.length > 0) return;
  const long = timings.filter(({ seconds }) => seconds >= LONG_SECONDS);
  const table = Object.fromEntries(long.map(({ file, seconds }) => [file, Math.round(seconds)]));
  writeFileSync(DURATIONS, `${JSON.stringify(table, undefined, 2)}\n`);
}
