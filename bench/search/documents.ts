/** Search beside MiniSearch and Orama. */
import { option, printTable, progress, textOption, thousands } from '../support/measure.js';
import { shown } from '../support/query-times.js';
import { SEARCH_CONTENDERS } from '../support/search-contenders.js';
import { corpus, type Measured, measure } from '../support/search-measure.js';
import type { SearchPart } from '../support/search-part.js';

const count = option('documents', 100_000);
const wanted = textOption('contenders', '').split(',');

export const part: SearchPart = {
  about: `${thousands(count)} documents of 100 words; time of a query that returns the first 20`,
  async run() {
    const results = new Map<string, Measured>();
    for (const contender of SEARCH_CONTENDERS) {
      if (!wanted.some((name) => contender.name.includes(name))) continue;
      results.set(contender.name, await measure(contender, count));
    }
    progress('');
    const names = [...results.keys()];
    const rows = [
      ['documents indexed a second', ...names.map((name) => thousands(results.get(name)?.indexed ?? 0))],
    ];
    for (const figures of ['micros', 'again'] as const) {
      for (const kind of Object.keys(corpus(count).queries)) {
        const title = figures === 'micros' ? kind : `again: ${kind}`;
        rows.push([title, ...names.map((name) => shown(results.get(name)?.[figures].get(kind)))]);
      }
    }
    printTable(['', ...names], rows);
    console.log(
      '\nMiniSearch and Orama return objects of this process. Ours reads each document of the page from the store and parses its JSON, and keeps\n' +
        'the result for further pages; on an index of any program that has the store.',
    );
  },
};
