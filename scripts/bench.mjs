/** `npm run bench -- NAME [options]`: runs bench/NAME.ts against a current build. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, projectRoot, runNode } from './steps.mjs';

const [name, ...options] = process.argv.slice(2);
const folder = join(projectRoot, 'bench');
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => file.slice(0, -'.ts'.length))
  : [];

if (name === undefined || name === '--help' || !names.includes(name)) {
  const isHelp = name === '--help';
  if (!isHelp && name !== undefined) console.error(`There is no benchmark named ${name}.`);
  console.log(`Usage: npm run bench -- NAME [options]\n\nBenchmarks: ${names.join(', ') || '(none yet)'}`);
  process.exit(isHelp ? 0 : 1);
}
installIfNeeded();
buildIfNeeded();
process.exit(runNode(['--import', 'tsx', join('bench', `${name}.ts`), ...options]));
