/**
 * Joins the modules behind each public entry of a build into few files. Node takes about half a millisecond for every
 * module it loads, and an embedded store has hundreds: joined, a program that opens one starts several times as fast.
 * All entries are joined at once and share what they have in common, so that a class is the same class everywhere. The
 * single modules stay beside them, for whoever is loaded by its path (workers) and for their types.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = ['store/index.js', 'engine/index.js', 'server/index.js', 'cli/main.js'];

/** @param {string} folder what the compiler wrote, to be called `dist` in the end */
export async function bundle(folder) {
  const components = readdirSync(join(folder, 'kit'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `kit/${name}/index.js`);
  const entries = [...ENTRIES, ...components]
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path));
  await build({
    entryPoints: entries,
    outbase: folder,
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [ownAddress(folder)],
  });
}

/** Modules that read files beside them find them where they were before they were joined. */
function ownAddress(folder) {
  return {
    name: 'own-address',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (path.includes(`${sep}node_modules${sep}`) || !text.includes('import.meta.url')) return undefined;
        const own = JSON.stringify(relative(folder, path).split(sep).join('/'));
        const root = "import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6)";
        return {
          contents: text.replaceAll('import.meta.url', `new URL(${own}, ${root}).href`),
          loader: 'js',
        };
      });
    },
  };
}
