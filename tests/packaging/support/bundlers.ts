import { join } from 'node:path';
import { promisify } from 'node:util';
import commonjsModule from '@rollup/plugin-commonjs';
import jsonModule from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

// Their types are those of CommonJS, whatever they are.
const commonjs = commonjsModule as unknown as typeof commonjsModule.default;
const json = jsonModule as unknown as typeof jsonModule.default;

/** Bundles a program with all its imports into files of a folder; returns the name of the file to run. */
export type Bundler = (program: string, folder: string) => Promise<string>;

/** ioredis is CommonJS: in ES modules it needs a `require` for the modules of Node. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const withEsbuild =
  (file: string, options: esbuild.BuildOptions): Bundler =>
  async (program, folder) => {
    const outfile = join(folder, file);
    await esbuild.build({ entryPoints: [program], bundle: true, platform: 'node', outfile, ...options });
    return file;
  };

async function withRollup(program: string, folder: string): Promise<string> {
  const plugins = [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), json()];
  const bundle = await rollup({ input: program, plugins, onLog: () => {} });
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: 'program.mjs',
    chunkFileNames: '[hash].mjs',
  });
  return 'program.mjs';
}

async function withVite(program: string, folder: string): Promise<string> {
  await vite({
    root: join(program, '..'),
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: program, outDir: folder, rollupOptions: { output: { entryFileNames: 'program.mjs' } } },
  });
  return 'program.mjs';
}

async function withWebpack(program: string, folder: string): Promise<string> {
  const output = { path: folder, filename: 'program.cjs' };
  // Minifying takes longer than all the rest; esbuild does it here.
  const optimization = { minimize: false };
  const compiler = webpack({ entry: program, target: 'node20', mode: 'production', output, optimization });
  const stats = await promisify(compiler.run.bind(compiler))();
  if (stats?.hasErrors()) throw new Error(stats.toString({ preset: 'errors-only' }));
  return 'program.cjs';
}

/** The columns of the table. */
export const bundlers: Readonly<Record<string, Bundler>> = {
  'esbuild, CommonJS, minified': withEsbuild('program.cjs', { format: 'cjs', minify: true }),
  'esbuild, ES modules': withEsbuild('program.mjs', { format: 'esm' }),
  'the same, with a banner': withEsbuild('program.mjs', { format: 'esm', banner: { js: BANNER } }),
  Rollup: withRollup,
  'Vite, SSR': withVite,
  webpack: withWebpack,
};
