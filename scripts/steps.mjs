import { spawnSync } from 'node:child_process';
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

/** Runs a Node script, by its path within the project. */
export function runNode(parameters, environment) {
  return run(process.execPath, parameters, environment);
}

/**
 * Runs one step of a longer task and prints a line with its name, at once, and with its time when it has ended. The lines go to stderr, since
 * programs read the output of `npm pack`.
 */
export async function step(name, run) {
  const startedAt = performance.now();
  process.stderr.write(`— ${name} … `);
  try {
    return await run();
  } finally {
    process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  }
}

/** Installs the packages of package-lock.json, unless exactly these are installed. */
export function installIfNeeded() {
  if (isInstalled()) return;
  console.error('— installing packages');
  const status = run('npm', ['ci', '--include=dev']);
  if (status !== 0) process.exit(status);
}

/** Builds, unless the last build is newer than all sources. */
export function buildIfNeeded() {
  if (isBuildCurrent()) return;
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
