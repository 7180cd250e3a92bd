import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** A file in the build's folder. Its modification time is the start of the build. */
export const BUILD_STAMP = '.built';

/** Whether `dist` holds a build of the current sources. */
export function isBuildCurrent() {
  const stamp = join(projectRoot, 'dist', BUILD_STAMP);
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|lua|css)$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => join('src', path));
  const making = ['build.mjs', 'bundle.mjs', 'bundle-browser.mjs', 'declarations.mjs'].map((name) =>
    join('scripts', name),
  );
  return [...sources, ...making, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].every(
    (path) => statSync(join(projectRoot, path)).mtimeMs <= builtAt,
  );
}
