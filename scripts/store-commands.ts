/**
 * `npm run store-commands`: writes the typed commands of stores, their documentation and their examples from the command
 * table and the rows in scripts/store-commands. With `--check`, fails if the files are not up to date.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitMethods, methodsName } from './store-commands/emit-methods.js';
import { emitExamples, emitReference } from './store-commands/emit-reference.js';
import { emitTypes, interfaceName } from './store-commands/emit-types.js';
import { methodOf } from './store-commands/method.js';
import { headed } from './store-commands/source-text.js';
import { typedCommands } from './store-commands/table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const code = 'src/store/commands';

function generated(): Map<string, string> {
  const groups = new Map(
    [...typedCommands()].map(([group, commands]) => [
      group,
      commands.map(([command, row]) => methodOf(command, row)),
    ]),
  );
  const files = new Map<string, string>();
  for (const [group, methods] of groups) {
    files.set(`${code}/types/${group}.ts`, emitTypes(group, methods));
    files.set(`${code}/methods/${group}.ts`, emitMethods(group, methods));
  }
  files.set(`${code}/all.ts`, emitAll([...groups.keys()]));
  files.set('tests/store-commands/examples.ts', emitExamples(groups));
  files.set('docs/reference/store-commands.md', emitReference(groups));
  return files;
}

/** All groups as one interface and one object. */
function emitAll(groups: readonly string[]): string {
  const imports = [
    "import type { Shape } from '../value.js';\n",
    ...groups.map((group) => `import { ${methodsName(group)} } from './methods/${group}.js';\n`),
    ...groups.map((group) => `import type { ${interfaceName(group)} } from './types/${group}.js';\n`),
  ];
  const bases = groups.map((group) => `${interfaceName(group)}<S>`).join(', ');
  const options = groups.map((group) => `export type * from './types/${group}.js';\n`);
  return headed(
    [...imports, ...options].join(''),
    `/** Every command as a method. \`S\` is the shape of replies. */
export interface Commands<S extends Shape> extends ${bases} {}

/** The code of all methods. They call \`this.run\`. */
export const commandMethods = { ${groups.map((group) => `...${methodsName(group)}`).join(', ')} };
`,
  );
}

/** The text as Biome formats it. */
function formatted(file: string, text: string): string {
  if (!file.endsWith('.ts')) return text;
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const parameters = [biome, 'check', '--write', `--stdin-file-path=${file}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${stderr}`);
  return stdout;
}

const files = [...generated()].map(([file, text]) => [file, formatted(file, text)] as const);
const stale = files.filter(([file, text]) => {
  const path = join(root, file);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});
if (!process.argv.includes('--check')) {
  for (const [file, text] of stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
} else if (stale.length > 0) {
  console.error(`Not up to date: ${stale.map(([file]) => file).join(', ')}. Run: npm run store-commands`);
  process.exit(1);
}
