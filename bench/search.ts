/**
 * Search beside MiniSearch and Orama in the same process, and on redis-server; how queries grow; jobs, ads, and the fan-out of a status. Asserts
 * that all find the same. Each file of bench/search is a part.
 * Times are processor time, of this process (with garbage collection) and of redis-server, which depend little on what else the machine
 * does; with --elapsed=1 they are elapsed time.
 * Where the output is not a terminal, a line every ten seconds says how far it has come.
 * Options: --parts=documents,growth,jobs,ads,fan-out (default: all) --contenders=ours,MiniSearch (of documents; default: all)
 * --documents=100000 --jobs=100000 --ads=10000 --views=5000 (from which ads learn) --followers=100000 --rounds=3
 * --seconds=0.3 (of one measurement) --elapsed=1
 */
import { readdirSync } from 'node:fs';
import { textOption } from './support/measure.js';
import type { SearchPart } from './support/search-part.js';

const folder = new URL('search/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
const chosen = textOption(
  'parts',
  ['documents', ...names.filter((name) => name !== 'documents')].join(','),
).split(',');

const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no part named ${unknown}. Parts: ${names.join(', ')}`);
  process.exit(1);
}

for (const name of chosen) {
  const { part } = (await import(new URL(`${name}.ts`, folder).href)) as { readonly part: SearchPart };
  console.log(`\n# ${name}: ${part.about}\n`);
  const start = performance.now();
  await part.run();
  console.log(`\n${name} took ${((performance.now() - start) / 1_000).toFixed(0)} s`);
}
