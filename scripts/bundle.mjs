/**
 * Joins the compiled modules into the files of the package: one per public entry and a few shared ones, both as ES modules
 * and as CommonJS. The reasons and figures are in docs/adr/0011-joined-modules.md.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { parseAst } from 'rollup/parseAst';
import { packedAssets } from './bundle-browser.mjs';

const ENTRIES = [
  'store/index.js',
  'engine/index.js',
  'server/index.js',
  'testing/index.js',
  'console/index.js',
];
const STORE = 'store/index.js';
const CLI = 'cli/main.js';
/** Threads by the modules that start them, with the names of their functions for that. */
const THREADS = {
  'engine/start-thread.js': { start: 'startThread', module: 'store/worker/engine-thread.js' },
  'server/cluster/start-node-thread.js': {
    start: 'startNodeThread',
    module: 'server/cluster/cluster-thread.js',
  },
};
const ASSETS_LOADER = 'console/frame/load-assets.js';

/**
 * Modules on demand: they export only functions, which most programs never call. Their code, with the modules that only they
 * need, is one function in the store's file, which runs at the first call.
 */
const ON_DEMAND = [
  'engine/scripting/index.js',
  'commands/server/debug/debug.js',
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

/** The public entries of the build in a folder, as paths within it. */
export function publicEntries(folder) {
  const components = readdirSync(join(folder, 'kit'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'foundation')
    .map(({ name }) => `kit/${name}/index.js`);
  return [...ENTRIES, ...components];
}

/**
 * @param {string} compiled the folder of the compiler's output
 * @param {string} sources the folder of the Lua files
 * @param {string} target where the ES modules go; the CommonJS ones go to its folder `cjs`
 */
export async function bundle(compiled, sources, target) {
  const store = modulesBehind(join(compiled, STORE), new Set(ON_DEMAND.map((path) => join(compiled, path))));
  const common = [rowsAsData(compiled), luaAsText(compiled, sources), await onDemand(compiled, store)];
  const plugins = [
    ...common,
    ...(await threadsAsText(compiled, common)),
    assetsAsText(compiled, await packedAssets({ quality: 11 })),
  ];
  const options = outputOptions(store);
  const entries = publicEntries(compiled);
  const modules = await joined(inputs(compiled, [...entries, CLI]), plugins);
  await modules.write({ ...options, dir: target, format: 'es' });
  const library = await joined(inputs(compiled, entries), plugins, modules.cache);
  const cjs = join(target, 'cjs');
  await library.write({ ...options, dir: cjs, format: 'cjs', dynamicImportInCjs: false });
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
}

const inputs = (compiled, paths) =>
  Object.fromEntries(paths.map((path) => [path.replace(/\.js$/, ''), join(compiled, path)]));

function joined(input, plugins, cache) {
  return rollup({
    input,
    plugins,
    cache,
    external: (id) => id.startsWith('node:') || id === 'ioredis',
    onLog: (_, { code, message }) => {
      // The compiler's helpers for `await using` test `this`, which is undefined in modules.
      if (code !== 'THIS_IS_UNDEFINED') throw new Error(message);
    },
  });
}

/** One file holds everything that an embedded store needs to start, since Node takes half a millisecond per file. */
function outputOptions(store) {
  return {
    manualChunks: (id) => (store.has(id) || id === LATER ? 'store' : undefined),
    chunkFileNames: 'shared/[name].js',
    hoistTransitiveImports: false,
    // A module may have a default export beside its named ones: pino asks a transport for one.
    exports: 'named',
    interop: 'auto',
    plugins: [shortened()],
  };
}

/** Keeps names and short lines, so that stack traces stay readable. */
function shortened() {
  return {
    name: 'shortened',
    renderChunk: async (code) =>
      (
        await transform(code, {
          minifySyntax: true,
          minifyWhitespace: true,
          lineLimit: 160,
          legalComments: 'none',
        })
      ).code,
  };
}

/** The module and everything it imports, except what only the modules in `without` import. */
function modulesBehind(module, without, found = new Set()) {
  if (found.has(module)) return found;
  found.add(module);
  if (without.has(module)) return found;
  for (const [, path] of readFileSync(module, 'utf8').matchAll(/^(?:import|export|\}) ?.*?'(\.[^']+)';/gm)) {
    modulesBehind(join(dirname(module), path), without, found);
  }
  return found;
}

/** The name of the module that holds the code of the modules on demand. */
const LATER = '\0on-demand';

/**
 * Replaces the modules on demand by functions that load them. The module that holds their code imports what they need from
 * the store as usual.
 */
async function onDemand(compiled, store) {
  const facades = new Map();
  const names = new Map();
  for (const path of ON_DEMAND) {
    const module = join(compiled, path);
    const functions = await functionsOf(module);
    const own = functions.map((name) => [name, `${name}${names.size}`]);
    names.set(module, own);
    facades.set(module, facade(own));
  }
  const later = await laterModule(names, store);
  return {
    name: 'on-demand',
    resolveId: (id) => (id === LATER ? id : undefined),
    load: (id) => (id === LATER ? later : facades.get(id)),
  };
}

const facade = (functions) =>
  [
    `import { load } from '${LATER}';`,
    ...functions.map(
      ([name, unique]) => `export function ${name}(...args) { return load().${unique}(...args); }`,
    ),
  ].join('\n');

/** The names of the functions that a module on demand exports. */
async function functionsOf(path) {
  const exported = Object.entries(await import(pathToFileURL(path).href));
  const other = exported.find(
    ([, value]) => typeof value !== 'function' || String(value).startsWith('class'),
  );
  if (other !== undefined) throw new Error(`${path} is on demand, but ${other[0]} is not a function`);
  return exported.map(([name]) => name);
}

/** A module with all modules on demand in one function, which runs once. */
async function laterModule(names, store) {
  const entry = [...names].map(
    ([module, own]) =>
      `export { ${own.map(([name, unique]) => `${name} as ${unique}`).join(', ')} } from ${JSON.stringify(module)};`,
  );
  const build = await rollup({
    input: LATER,
    makeAbsoluteExternalsRelative: false,
    external: (id) => id.startsWith('node:') || (store.has(id) && !names.has(id)),
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === LATER ? id : undefined),
        load: (id) => (id === LATER ? entry.join('\n') : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: 'es' });
  return asFunction(output[0].code);
}

/** Rewrites a module as one with a function `load`, which runs its statements and returns its exports. */
function asFunction(code) {
  const { body } = parseAst(code);
  const textOf = ({ start, end }) => code.slice(start, end);
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  const [exports] = body.filter(({ type }) => type === 'ExportNamedDeclaration');
  const statements = body.filter((statement) => !imports.includes(statement) && statement !== exports);
  const results = exports.specifiers.map(({ local, exported }) => `${exported.name}: ${local.name}`);
  return [
    ...imports.map(textOf),
    'let loaded;',
    'export function load() { return (loaded ??= runOnDemand()); }',
    'function runOnDemand() {',
    ...statements.map(textOf),
    `return { ${results.join(', ')} };`,
    '}',
  ].join('\n');
}

/** Turns the rows of commands into JSON, which V8 reads faster than code. (Rows of settings contain functions.) */
function rowsAsData(compiled) {
  return {
    name: 'rows-as-data',
    async load(id) {
      const path = relative(compiled, id);
      if (!/^commands\W.*rows\.js$/.test(path) || path.includes('config')) return undefined;
      const constants = Object.entries(await import(pathToFileURL(id).href)).map(([name, value]) => {
        const text = JSON.stringify(value);
        if (!isDeepStrictEqual(JSON.parse(text), value)) throw new Error(`${id}: ${name} is not pure data`);
        return `export const ${name} = JSON.parse(${JSON.stringify(text)});`;
      });
      return constants.join('\n');
    },
  };
}

const LUA = '\0lua:';
/** How modules name their own folder for Lua files. */
const LUA_FOLDER = 'readLua(import.meta.url';
/** The folder of the Lua files that components share. */
const FOUNDATION = join('kit', 'foundation');

/** Inserts the texts of the Lua files into the kit's modules, which otherwise read them from disk. */
function luaAsText(compiled, sources) {
  return {
    name: 'lua-as-text',
    resolveId: (id) => (id.startsWith(LUA) ? id : undefined),
    load(id) {
      if (!id.startsWith(LUA)) return undefined;
      const folder = id.slice(LUA.length);
      const own = readdirSync(join(sources, folder), { recursive: true }).map((name) => join(folder, name));
      const shared = readdirSync(join(sources, FOUNDATION)).map((name) => join(FOUNDATION, name));
      const names = [...own, ...shared].filter((name) => name.endsWith('.lua'));
      const texts = names.map((path) => [
        relative(folder, path).split(sep).join('/'),
        readFileSync(join(sources, path), 'utf8'),
      ]);
      return `export default ${JSON.stringify(Object.fromEntries(texts))};`;
    },
    transform(code, id) {
      const path = relative(compiled, id);
      if (!path.startsWith('kit') || !code.includes(LUA_FOLDER)) return undefined;
      const start = `import luaFiles from ${JSON.stringify(LUA + dirname(path))};\n`;
      return { code: start + code.replaceAll(LUA_FOLDER, 'readLua(luaFiles'), map: null };
    },
  };
}

/** In the order of the table: a thread may start those before it. */
async function threadsAsText(compiled, plugins) {
  const replacements = [];
  for (const [starter, { start, module }] of Object.entries(THREADS)) {
    const text = await threadText(compiled, module, [...plugins, ...replacements]);
    replacements.push(threadAsText(compiled, starter, start, text));
  }
  return replacements;
}

/** All code of a thread as one script. */
async function threadText(compiled, module, plugins) {
  const build = await joined(join(compiled, module), plugins);
  const { output } = await build.generate({
    format: 'cjs',
    inlineDynamicImports: true,
    plugins: [shortened()],
  });
  return output[0].code;
}

/** Starts the thread from a string, since bundlers of users do not know of a separate file. */
function threadAsText(compiled, starter, start, text) {
  return {
    name: `${start}-as-text`,
    load: (id) =>
      id !== join(compiled, starter)
        ? undefined
        : `import { Worker } from 'node:worker_threads';
          export const ${start} = (options) => new Worker(${JSON.stringify(text)}, { ...options, eval: true });`,
  };
}

const ASSETS = '\0console-assets';

/** Puts the console's files for the browser into a module of their own, which is loaded with the first request. */
function assetsAsText(compiled, packed) {
  const loader = `import { unpacked } from './assets.js';
    export const loadAssets = async () => unpacked((await import('${ASSETS}')).default);`;
  return {
    name: 'assets-as-text',
    resolveId: (id) => (id === ASSETS ? id : undefined),
    load(id) {
      if (id === ASSETS) return `export default JSON.parse(${JSON.stringify(JSON.stringify(packed))});`;
      return id === join(compiled, ASSETS_LOADER) ? loader : undefined;
    },
  };
}
