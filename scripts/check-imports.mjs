/** Enforces the import table of .dependency-cruiser.mjs on src, and checks that every source file was examined. */
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rules, { MAY_IMPORT } from '../.dependency-cruiser.mjs';
import { projectRoot } from './steps.mjs';

process.chdir(projectRoot);
const { options, ...ruleSet } = rules;
const { output } = await cruise(['src'], { ...options, ruleSet, validate: true }, undefined, {
  tsConfig: extractTSConfig(options.tsConfig.fileName),
});

const examined = new Set(output.modules.map((module) => module.source));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path));
const missed = sources.filter((path) => !examined.has(path));
const outside = sources.filter((path) => !Object.hasOwn(MAY_IMPORT, path.split(sep)[1]));
const imports = output.modules.reduce((sum, module) => sum + module.dependencies.length, 0);

for (const { from, to, rule, cycle } of output.summary.violations) {
  const path = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' → ');
  const { comment } = ruleSet.forbidden.find(({ name }) => name === rule.name);
  console.error(`${from} → ${path}\n    ${comment}`);
}
for (const path of missed) console.error(`${path} was not examined`);
for (const path of outside) console.error(`${path} is in no folder of the table`);
const problems = output.summary.violations.length + missed.length + outside.length;
if (sources.length === 0 || imports === 0) {
  console.error('Nothing was examined: the check itself is broken.');
  process.exitCode = 1;
} else if (problems > 0) {
  console.error(`\n${problems} problems in ${sources.length} modules with ${imports} imports.`);
  process.exitCode = 1;
} else {
  console.log(`The import table holds: ${sources.length} modules with ${imports} imports.`);
}
