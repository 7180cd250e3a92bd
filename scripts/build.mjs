/**
 * Compiles src into dist. The compiler writes into a folder of its own, which then takes the place of dist: a
 * server that is starting meanwhile never sees half a build, and no file of a deleted source stays behind.
 */
import { cpSync, existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_STAMP } from './build-state.mjs';
import { bundle } from './bundle.mjs';
import { projectRoot, runNode } from './steps.mjs';

const startedAt = new Date();
const dist = join(projectRoot, 'dist');
const fresh = join(projectRoot, `dist.${process.pid}.new`);
const stale = join(projectRoot, `dist.${process.pid}.old`);

const status = runNode(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', fresh]);
if (status !== 0) {
  rmSync(fresh, { recursive: true, force: true });
  process.exit(status);
}
// The compiler leaves the kit's scripts where they are; they are read from beside the modules.
for (const path of readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.lua')) cpSync(join(projectRoot, 'src', path), join(fresh, path));
}
await bundle(fresh).catch((error) => {
  rmSync(fresh, { recursive: true, force: true });
  throw error;
});
const stamp = join(fresh, BUILD_STAMP);
writeFileSync(stamp, '');
utimesSync(stamp, startedAt, startedAt);
if (existsSync(dist)) renameSync(dist, stale);
renameSync(fresh, dist);
rmSync(stale, { recursive: true, force: true });
