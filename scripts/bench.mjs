/**
 * `npm run bench -- NAME [options]`: runs bench/NAME.ts against a current build. The comment at the head of that file describes the benchmark:
 * `--help` prints it, and options that it does not name are refused.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded, headComment, installIfNeeded, projectRoot, runNode } from './steps.mjs';

const [name, ...options] = process.argv.slice(2);
const folder = join(projectRoot, 'bench');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length));

if (name === undefined || name === '--help' || !names.includes(name)) {
  const isHelp = name === '--help';
  if (!isHelp && name !== undefined) console.error(`There is no benchmark named ${name}.`);
  console.log('Usage: npm run bench -- NAME [options], or NAME --help\n\nBenchmarks:');
  for (const each of names) console.log(`  ${each.padEnd(14)}${firstSentence(descriptionOf(each))}`);
  process.exit(isHelp ? 0 : 1);
}
const description = descriptionOf(name);
if (options.includes('--help')) {
  console.log(`npm run bench -- ${name} [options]\n\n${description}`);
  process.exit(0);
}
const unknown = options.find((option) => option.startsWith('--') && !isNamed(option));
if (unknown !== undefined) {
  console.error(`The benchmark ${name} has no option ${unknown}. See npm run bench -- ${name} --help.`);
  process.exit(1);
}
installIfNeeded();
buildIfNeeded();
process.exit(runNode(['--import', 'tsx', join('bench', `${name}.ts`), ...options]));

function descriptionOf(benchmark) {
  return headComment(join(folder, `${benchmark}.ts`));
}

function firstSentence(text) {
  return text.replaceAll('\n', ' ').match(/^.*?[.:](?= |$)/)?.[0] ?? text;
}

function isNamed(option) {
  const [word] = option.split('=');
  return new RegExp(`${word}(?![\\w-])`).test(description);
}
