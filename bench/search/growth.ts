/** How the time of a query grows with the number of documents, and with the number of those that it finds. */
import { option, printTable, progress, thousands } from '../support/measure.js';
import { exponent, shown } from '../support/query-times.js';
import { OURS_RANKED, OURS_SORTED } from '../support/search-contenders.js';
import type { BenchQuery } from '../support/search-documents.js';
import { corpus, measure } from '../support/search-measure.js';
import type { SearchPart } from '../support/search-part.js';

const count = option('documents', 100_000);

export const part: SearchPart = {
  about: `queries among ${thousands(count / 10)} and ${thousands(count)} documents, embedded`,
  async run() {
    const [small, large] = [corpus(count / 10), corpus(count)];
    const rows: string[][] = [];
    for (const contender of [OURS_RANKED, OURS_SORTED]) {
      const before = await measure(contender, count / 10);
      const after = await measure(contender, count);
      for (const kind of Object.keys(large.queries)) {
        const [one, ten] = [before.micros.get(kind) ?? 0, after.micros.get(kind) ?? 0];
        const [found, foundLater] = [averageTotal(small.queries[kind]), averageTotal(large.queries[kind])];
        rows.push([
          `${contender.name}: ${kind}`,
          shown(one),
          shown(ten),
          exponent(one, ten),
          `${thousands(found)} → ${thousands(foundLater)}`,
          exponent(found, foundLater),
        ]);
      }
    }
    progress('');
    printTable(
      ['', thousands(count / 10), thousands(count), 'exponent', 'documents found', 'exponent'],
      rows,
    );
  },
};

function averageTotal(list: readonly BenchQuery[] | undefined): number {
  return (list ?? []).reduce((sum, { total }) => sum + total, 0) / (list?.length ?? 1);
}
