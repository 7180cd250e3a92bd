import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent } from './build-state.mjs';

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the project's root, with the same terminal. Returns its exit code. */
export function run(program, parameters, environment = {}) {
  const { status, error } = spawnSync(program, parameters, {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  return status ?? 1;
}

/** The comment at the head of a source, as text: for `--help`. */
export function headComment(path) {
  const source = readFileSync(path, 'utf8');
  return source
    .slice('/**'.length, source.indexOf('*/'))
    .replace(/^ \* ?/gm, '')
    .trim();
}

/** Runs a Node script, by its path within the project. */
export function runNode(parameters, environment) {
  return run(process.execPath, parameters, environment);
}

/** The same without waiting here, so that a step can show its time meanwhile. Resolves to the exit code. */
export function startNode(parameters) {
  const child = spawn(process.execPath, parameters, { cwd: projectRoot, stdio: 'inherit' });
  // A signal may have ended only this process.
  process.on('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs one step of a longer task and prints a line with its name at once. The line shows how long the step has taken so far: every second on a
 * terminal, elsewhere by a point every ten seconds. It goes to stderr, since programs read the output of `npm pack`.
 */
export async function step(name, run) {
  const { stderr } = process;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  stderr.write(`— ${name} … `);
  const ticking = stderr.isTTY
    ? setInterval(() => stderr.write(`\r— ${name} … ${seconds().toFixed(0)} s `), 1000)
    : setInterval(() => stderr.write('.'), 10_000);
  try {
    return await run();
  } finally {
    clearInterval(ticking);
    stderr.write(`${stderr.isTTY ? `\r— ${name} … ` : ''}${seconds().toFixed(1)} s\n`);
  }
}

/** Installs the packages of package-lock.json, unless exactly these are installed. */
export function installIfNeeded() {
  if (isInstalled()) return;
  console.error('— installing packages: npm ci');
  const status = run('npm', ['ci', '--include=dev']);
  if (status === 0) return;
  console.error('The packages could not be installed; npm has printed why. It needs to reach its registry.');
  process.exit(status);
}

/** Builds, unless the last build is newer than all sources. */
export function buildIfNeeded() {
  if (isBuildCurrent()) return;
  console.error('The sources are new or have changed, so they are built first. This can take a minute.');
  const status = runNode(['scripts/build.mjs']);
  if (status !== 0) process.exit(status);
}

function isInstalled() {
  const installedLock = join(projectRoot, 'node_modules/.package-lock.json');
  if (!existsSync(installedLock)) return false;
  const wanted = packagesIn(join(projectRoot, 'package-lock.json'));
  const installed = packagesIn(installedLock);
  // npm leaves out optional packages for other platforms.
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}
