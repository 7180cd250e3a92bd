/**
 * Joins the modules behind each public entry of a build into few files. Node takes about half a millisecond for every
 * module it loads, and an embedded store has hundreds: joined, a program that opens one starts several times as fast.
 * All entries are joined at once and share what they have in common, so that a class is the same class everywhere. The
 * single modules stay beside them, for whoever is loaded by its path (workers) and for their types.
 *
 * An embedded store shall start quickest: all it needs at its start is one file (the core), and what it may never need
 * (`ON_DEMAND`) another, read with the first call.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';

const ENTRIES = ['store/index.js', 'engine/index.js', 'server/index.js', 'cli/main.js'];
const CORE = 'store/index.js';

/**
 * Modules that export nothing but functions. They, and what nobody else of the core needs, are read at the first call:
 * what is large and what most programs never call, or not before they have started.
 */
const ON_DEMAND = [
  'engine/scripting/index.js',
  'commands/server/debug.js',
  'commands/server/info/index.js',
  'commands/server/latency.js',
  'commands/server/lolwut.js',
  'commands/server/memory-doctor.js',
  'commands/geo/search.js',
  'commands/generic/dump.js',
  'commands/generic/migrate.js',
  'commands/generic/sort.js',
  'commands/bitmap/bitfield.js',
];

const COMMON_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  packages: 'external',
  legalComments: 'none',
  logLevel: 'warning',
};

/** Names stay, and lines that a terminal can show: an error's stack says where it is. */
const SHORTENED = { minifySyntax: true, minifyWhitespace: true, lineLimit: 160 };

/** @param {string} folder what the compiler wrote, to be called `dist` in the end */
export async function bundle(folder) {
  const modules = await modulesOfCore(folder);
  mkdirSync(join(folder, 'chunks'));
  const facades = new Map();
  for (const path of ON_DEMAND) {
    facades.set(join(folder, path), await writePart(folder, join(folder, path), modules));
  }
  const core = join(folder, 'core.js');
  await writeCore(folder, core, modules, facades);
  await writeEntries(folder, core, modules);
  rmSync(core);
}

/** What an embedded store imports before it is first used: absolute paths. */
async function modulesOfCore(folder) {
  const cut = new Set(ON_DEMAND.map((path) => join(folder, path)));
  const { metafile } = await build({
    ...COMMON_OPTIONS,
    entryPoints: [join(folder, CORE)],
    format: 'esm',
    write: false,
    outdir: folder,
    absWorkingDir: folder,
    metafile: true,
    plugins: [
      dynamicImportsStay(),
      {
        name: 'cut',
        setup({ onLoad }) {
          onLoad({ filter: /\.js$/ }, async ({ path }) =>
            cut.has(path) ? { contents: await emptyModule(path) } : undefined,
          );
        },
      },
    ],
  });
  return new Set(Object.keys(metafile.inputs).map((path) => join(folder, path)));
}

/** A module with the same functions, which do nothing. */
async function emptyModule(path) {
  return (await functionsOf(path)).map((name) => `export function ${name}() {}`).join('\n');
}

/** The names of what a module on demand exports. */
async function functionsOf(path) {
  const exported = Object.entries(await import(pathToFileURL(path).href));
  const other = exported.find(
    ([, value]) => typeof value !== 'function' || String(value).startsWith('class'),
  );
  if (other !== undefined) throw new Error(`${path} is on demand, but ${other[0]} is not a function`);
  return exported.map(([name]) => name);
}

/**
 * Joins what is behind a module on demand, but for the modules of the core, into a file that is given those when it is
 * loaded: a script, since only scripts can be read in the middle of a call. Gives the text of the module in its place.
 */
async function writePart(folder, path, modules) {
  const shared = new Set();
  const { outputFiles } = await build({
    ...COMMON_OPTIONS,
    entryPoints: [path],
    format: 'cjs',
    write: false,
    ...SHORTENED,
    logOverride: { 'empty-import-meta': 'error' },
    plugins: [
      {
        name: 'shared',
        setup({ onResolve }) {
          onResolve({ filter: /^\./ }, ({ path: imported, resolveDir }) => {
            const target = join(resolveDir, imported);
            if (!modules.has(target) || target === path) return undefined;
            shared.add(target);
            return { path: nameIn(folder, target), external: true };
          });
        },
      },
    ],
  });
  const [{ text }] = outputFiles;
  const file = `${createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()}.cjs`;
  writeFileSync(join(folder, 'chunks', file), `module.exports = (require, module) => {${text}};\n`);
  return facade(folder, await functionsOf(path), file, [...shared]);
}

/** The text of a module with those functions, which reads the file when one is first called. */
function facade(folder, functions, file, shared) {
  const given = shared.map((target, index) => `${JSON.stringify(nameIn(folder, target))}: shared${index}`);
  return [
    `import { createRequire } from 'node:module';`,
    ...shared.map((target, index) => `import * as shared${index} from ${JSON.stringify(target)};`),
    'let loaded;',
    'function load() {',
    `  const require = createRequire(new URL('chunks/', ${ROOT}));`,
    `  const given = { ${given.join(', ')} };`,
    '  const part = { exports: {} };',
    `  require('./${file}')((name) => given[name] ?? require(name), part);`,
    '  loaded = part;',
    '  return part;',
    '}',
    ...functions.map(
      (name) => `export function ${name}(...args) { return (loaded ?? load()).exports.${name}(...args); }`,
    ),
  ].join('\n');
}

/** Joins the modules of the core into one; it exports what each of them does, under names of their own. */
async function writeCore(folder, core, modules, facades) {
  const exports = [];
  for (const [index, path] of [...modules].entries()) {
    const names = await namesExported(path);
    const renamed = names.map((name) => `${name} as ${exportName(index, name)}`);
    exports.push(`export { ${renamed.join(', ')} } from ${JSON.stringify(path)};`);
  }
  await build({
    ...COMMON_OPTIONS,
    stdin: { contents: exports.join('\n'), resolveDir: folder },
    outfile: core,
    format: 'esm',
    plugins: [
      dynamicImportsStay(),
      {
        name: 'facades',
        setup({ onLoad }) {
          onLoad({ filter: /\.js$/ }, ({ path }) => {
            const contents = facades.get(path);
            return contents === undefined ? undefined : { contents };
          });
        },
      },
      rowsAsData(),
      ownAddress(folder),
    ],
  });
}

const namesExported = async (path) => Object.keys(await import(pathToFileURL(path).href));
const exportName = (index, name) => `from${index}_${name}`;

/** Joins everything else; whoever imports a module of the core gets the core. */
async function writeEntries(folder, core, modules) {
  const components = readdirSync(join(folder, 'kit'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `kit/${name}/index.js`);
  const order = [...modules];
  const { outputFiles } = await build({
    ...COMMON_OPTIONS,
    entryPoints: [...ENTRIES, ...components]
      .map((path) => join(folder, path))
      .filter((path) => existsSync(path)),
    outbase: folder,
    outdir: folder,
    allowOverwrite: true,
    write: false,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    ...SHORTENED,
    plugins: [
      {
        name: 'core',
        setup({ onLoad }) {
          onLoad({ filter: /\.js$/ }, async ({ path }) => {
            if (path === core) return { contents: readFileSync(core, 'utf8') };
            if (!modules.has(path)) return undefined;
            const index = order.indexOf(path);
            const names = (await namesExported(path)).map((name) => `${exportName(index, name)} as ${name}`);
            return { contents: `export { ${names.join(', ')} } from ${JSON.stringify(core)};` };
          });
        },
      },
      ownAddress(folder),
    ],
  });
  writeFilled(outputFiles);
}

/** Writes files, but for the empty ones that are left of modules which only passed on what the core has. */
function writeFilled(files) {
  const isEmpty = ({ text }) => text.trim() === '';
  const empty = new Set(files.filter(isEmpty).map(({ path }) => basename(path)));
  for (const { path, text } of files) {
    if (empty.has(basename(path))) continue;
    const kept = text.replace(/import"[^"]*?([^"/]+)";/g, (statement, name) =>
      empty.has(name) ? '' : statement,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, kept);
  }
}

/** Leaves `import()` as it is, but for the path, which holds wherever the importing module goes. */
function dynamicImportsStay() {
  return {
    name: 'dynamic-imports-stay',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import' ? { path: join(resolveDir, path), external: true } : undefined,
      );
    },
  };
}

/** Rows of commands (those of settings hold functions too) are data, which is read faster as JSON than as code that makes it. */
function rowsAsData() {
  return {
    name: 'rows-as-data',
    setup({ onLoad }) {
      onLoad({ filter: /rows\.js$/ }, async ({ path }) => {
        if (!path.includes(`${sep}commands${sep}`) || path.includes(`${sep}config${sep}`)) return undefined;
        const constants = Object.entries(await import(pathToFileURL(path).href)).map(([name, value]) => {
          const text = JSON.stringify(value);
          if (!isDeepStrictEqual(JSON.parse(text), value))
            throw new Error(`${path}: ${name} is more than data`);
          return `export const ${name} = JSON.parse(${JSON.stringify(text)});`;
        });
        return { contents: constants.join('\n') };
      });
    },
  };
}

/** The address of dist, in the words of a module somewhere in it. */
const ROOT = "import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6)";

/** Modules that read files beside them find them where they were before they were joined. */
function ownAddress(folder) {
  return {
    name: 'own-address',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (path.includes(`${sep}node_modules${sep}`) || !text.includes('import.meta.url')) return undefined;
        const own = JSON.stringify(nameIn(folder, path));
        return {
          contents: text.replaceAll('import.meta.url', `new URL(${own}, ${ROOT}).href`),
          loader: 'js',
        };
      });
    },
  };
}

const nameIn = (folder, path) => relative(folder, path).split(sep).join('/');
