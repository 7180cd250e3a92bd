import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** A file in a build's folder whose time is that of the build's start. */
export const BUILD_STAMP = '.built';

/** Whether `dist` holds a build of the sources as they are now. */
export function isBuildCurrent() {
  const stamp = join(projectRoot, 'dist', BUILD_STAMP);
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|lua)$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => join('src', path));
  const making = ['build.mjs', 'bundle.mjs', 'declarations.mjs'].map((name) => join('scripts', name));
  return [...sources, ...making, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].every(
    (path) => statSync(join(projectRoot, path)).mtimeMs <= builtAt,
  );
}
