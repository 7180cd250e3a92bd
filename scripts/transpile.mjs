/**
 * Transpiles the modules of the project into one folder, file by file and without type checks. Tests, and the processes and
 * threads that they start, run from there: importing the engine takes a third of the time that a loader needs.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stop, transform } from 'esbuild';
import { projectRoot } from './steps.mjs';
import { TRANSPILED } from './transpiled.mjs';

const FOLDERS = ['src', 'tests', 'scripts'];

/** Transpiles the files that have changed since they were transpiled. */
export async function transpileChanged() {
  const sources = FOLDERS.flatMap((folder) => filesOf(projectRoot, folder)).filter(isModule);
  const wanted = new Set(sources.flatMap((path) => [target(path), `${target(path)}.map`]));
  const present = FOLDERS.flatMap((folder) => filesOf(TRANSPILED, folder));
  for (const path of present) if (!wanted.has(path)) rmSync(join(TRANSPILED, path));
  const options = statSync(join(projectRoot, 'scripts/transpile.mjs')).mtimeMs;
  await Promise.all(
    sources
      .filter((path) => changedAt(projectRoot, path, options) > changedAt(TRANSPILED, target(path), 0))
      .map(write),
  );
  // Ends the process that has done it.
  await stop();
}

/** The transpiled file, by the path of its source within the project. */
function target(path) {
  return path.replace(/\.tsx?$/, '.js');
}

function isModule(path) {
  return /\.(?:tsx?|mjs)$/.test(path) && !path.endsWith('.d.ts');
}

function filesOf(root, folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath ?? entry.path, entry.name)
          .slice(root.length)
          .replace(/^[/\\]/, ''),
      );
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function changedAt(root, path, earliest) {
  return Math.max(earliest, statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

async function write(path) {
  const source = join(projectRoot, path);
  const text = readFileSync(source, 'utf8');
  // Modules read files beside their source, and start processes and threads from it.
  const knowsItsUrl = text.includes('import.meta.url');
  const { code, map } = await transform(text, {
    loader: path.endsWith('.mjs') ? 'js' : extname(path).slice(1),
    ...{ jsx: 'automatic', jsxImportSource: 'preact' },
    format: 'esm',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: false,
    sourcefile: pathToFileURL(source).href,
    define: knowsItsUrl ? { 'import.meta.url': 'sourceUrl' } : {},
    banner: knowsItsUrl ? `const sourceUrl = ${JSON.stringify(pathToFileURL(source).href)};` : '',
  });
  const file = join(TRANSPILED, target(path));
  mkdirSync(dirname(file), { recursive: true });
  const name = file.slice(dirname(file).length + 1);
  replaceFile(`${file}.map`, map);
  replaceFile(file, `${code}//# sourceMappingURL=${name}.map\n`);
}

/** In one step, since tests of another run may be using the file. */
function replaceFile(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
