import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** Where `npm test` puts transpiled modules. It is within the project, so that they find its packages and its package.json. */
export const TRANSPILED = join(projectRoot, 'dist.tests');

/** Whether tests run from transpiled modules. If not, a loader (tsx) transpiles what they import. */
export const isTranspiled = process.env['SORREL_TRANSPILED'] === '1';

/** Node's options for a process or thread that imports modules of the sources. */
export const SOURCE_OPTIONS = isTranspiled
  ? ['--enable-source-maps']
  : ['--import', import.meta.resolve('tsx')];

/** The URL by which such a process imports a module, given the URL of its source. */
export function sourceModule(url) {
  if (!isTranspiled) return String(url);
  const path = relative(projectRoot, fileURLToPath(url)).replace(/\.tsx?$/, '.js');
  return pathToFileURL(join(TRANSPILED, path)).href;
}

/** The same as a path, for programs. */
export function sourceProgram(url) {
  return fileURLToPath(sourceModule(url));
}
