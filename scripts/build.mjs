/**
 * Builds src into dist: the compiler checks and compiles it, `bundle` joins the modules into few files, and the type
 * declarations that users need go beside these. All of it is written into a new folder that takes the place of dist in
 * the end: a server that is starting meanwhile never sees half a build, and no file of a deleted source stays behind.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUILD_STAMP } from './build-state.mjs';
import { bundle, publicEntries } from './bundle.mjs';
import { declarationsBehind } from './declarations.mjs';
import { projectRoot, runNode } from './steps.mjs';

const startedAt = new Date();
const dist = join(projectRoot, 'dist');
const fresh = join(projectRoot, `dist.${process.pid}.new`);
const stale = join(projectRoot, `dist.${process.pid}.old`);
const compiled = join(fresh, 'compiled');

mkdirSync(fresh);
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));
const status = runNode([
  'node_modules/typescript/bin/tsc',
  '-p',
  'tsconfig.build.json',
  '--outDir',
  compiled,
]);
if (status !== 0) process.exit(status);
await bundle(compiled, join(projectRoot, 'src'), fresh);
const entries = publicEntries(compiled).map((path) => join(compiled, path.replace(/\.js$/, '.d.ts')));
for (const file of declarationsBehind(entries)) {
  const path = relative(compiled, file);
  // TypeScript takes a declaration for one of an ES module or of a CommonJS one by the nearest package.json.
  for (const folder of [fresh, join(fresh, 'cjs')]) cpSync(file, join(folder, path));
}
rmSync(compiled, { recursive: true });
const stamp = join(fresh, BUILD_STAMP);
writeFileSync(stamp, '');
utimesSync(stamp, startedAt, startedAt);
if (existsSync(dist)) renameSync(dist, stale);
renameSync(fresh, dist);
rmSync(stale, { recursive: true, force: true });
