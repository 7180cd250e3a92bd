/**
 * Builds src into dist: the compiler checks and compiles it, `bundle` joins the modules into a few files, and the type
 * declarations that users need are copied beside them. All files are written into a new folder, which replaces dist at the
 * end. So a server that starts meanwhile never sees half a build, and files of deleted sources disappear.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUILD_STAMP } from './build-state.mjs';
import { bundle, publicEntries } from './bundle.mjs';
import { declarationsBehind } from './declarations.mjs';
import { projectRoot, startNode, step } from './steps.mjs';

const startedAt = new Date();
const dist = join(projectRoot, 'dist');
const fresh = join(projectRoot, `dist.${process.pid}.new`);
const stale = join(projectRoot, `dist.${process.pid}.old`);
const compiled = join(fresh, 'compiled');

mkdirSync(fresh);
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));
// Without a listener, a signal would leave the folder behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', compiled];
const status = await step('build: compiling', () => startNode(tsc));
if (status !== 0) process.exit(status);
await step('build: joining modules', () => bundle(compiled, join(projectRoot, 'src'), fresh));
await step('build: copying type declarations', copyDeclarations);
rmSync(compiled, { recursive: true });
const stamp = join(fresh, BUILD_STAMP);
writeFileSync(stamp, '');
utimesSync(stamp, startedAt, startedAt);
if (existsSync(dist)) renameSync(dist, stale);
renameSync(fresh, dist);
rmSync(stale, { recursive: true, force: true });

function copyDeclarations() {
  const entries = publicEntries(compiled).map((path) => join(compiled, path.replace(/\.js$/, '.d.ts')));
  for (const file of declarationsBehind(entries)) {
    const path = relative(compiled, file);
    // For TypeScript, the nearest package.json decides whether a declaration file belongs to an ES module or to CommonJS.
    for (const folder of [fresh, join(fresh, 'cjs')]) cpSync(file, join(folder, path));
  }
}
