import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfNeeded } from '../../../scripts/steps.mjs';
import { PROJECT_ROOT } from '../../support/fleet/server-process.js';

/** A folder with a project that has the package installed as npm would publish it. */
export interface Project {
  readonly folder: string;
  /** The path of the package in it. */
  readonly installed: string;
  remove(): void;
}

/** Packs the package and unpacks it into a new project. Its dependencies and `tools` are linked from here. */
export function installedProject(tools: readonly string[] = []): Project {
  buildIfNeeded();
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-packaging-'));
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  execFileSync('npm', pack, { cwd: PROJECT_ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const [tarball = ''] = readdirSync(folder);
  const installed = join(folder, 'node_modules/sorrel');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
  rmSync(join(folder, tarball));
  for (const name of ['ioredis', ...tools]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(PROJECT_ROOT, 'node_modules', name), link);
  }
  return { folder, installed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
