/**
 * Builds the part of the console that runs in the browser (src/console/browser) into files: a small first one, and one per page,
 * which is loaded when the page is opened. Their names contain a digest of their content, so that browsers may keep them.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../src/console/browser', import.meta.url));
const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** The files, as `[path, media type, content compressed with brotli in base64]`. */
export async function packedAssets({ quality = 5 } = {}) {
  const files = await browserFiles();
  return files.map(({ path, content }) => {
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    return [path, type, brotliCompressSync(content, options).toString('base64')];
  });
}

/** The files and which of them the page loads at first: `{ path, content, isInitial }`. */
export async function browserFiles() {
  const { outputFiles, metafile } = await build({
    entryPoints: { main: join(source, 'main.tsx'), style: join(source, 'style.css') },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    outdir: '/',
    write: false,
    metafile: true,
    logLevel: 'silent',
    tsconfigRaw: {},
  });
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    ...output,
    name: path.slice(path.lastIndexOf('/') + 1),
  }));
  const named = (start) => outputs.find(({ name }) => name.startsWith(start)).name;
  const initial = new Set([named('style-')]);
  const follow = (name) => {
    if (initial.has(name)) return;
    initial.add(name);
    const { imports } = outputs.find((output) => output.name === name);
    for (const { path, kind } of imports) {
      if (kind === 'import-statement') follow(path.slice(path.lastIndexOf('/') + 1));
    }
  };
  follow(named('main-'));
  const page = {
    path: 'index.html',
    content: Buffer.from(html(named('main-'), named('style-'))),
    isInitial: true,
  };
  const files = outputFiles.map(({ path, contents }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { path: name, content: Buffer.from(contents), isInitial: initial.has(name) };
  });
  return [page, ...files];
}

const html = (script, style) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sorrel console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="./${style}">
<script type="module" src="./${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
