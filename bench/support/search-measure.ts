import { median, option, progress, thousands } from './measure.js';
import { clockOf, microsOf, shown } from './query-times.js';
import type { SearchContender } from './search-contenders.js';
import { type Corpus, corpusOf } from './search-documents.js';
import { prove } from './web-part.js';

const rounds = option('rounds', 3);

export interface Measured {
  readonly indexed: number;
  /** Microseconds per query, by kind. */
  readonly micros: ReadonlyMap<string, number>;
  /** The same for queries whose result is kept; empty if results are not kept. */
  readonly again: ReadonlyMap<string, number>;
}

const corpora = new Map<number, Corpus>();

export function corpus(size: number): Corpus {
  const known = corpora.get(size) ?? corpusOf(size);
  corpora.set(size, known);
  return known;
}

const measurements = new Map<string, Measured>();

/** Measures a contender with this number of documents, once: two parts need the same. */
export async function measure(contender: SearchContender, size: number): Promise<Measured> {
  const key = `${contender.name} ${size}`;
  const known = measurements.get(key) ?? (await measureOnce(contender, corpus(size)));
  measurements.set(key, known);
  return known;
}

/** Each contender alone, so that others do not take its memory. Rounds alternate between the kinds of queries. */
async function measureOnce(
  { name, open }: SearchContender,
  { documents, queries }: Corpus,
): Promise<Measured> {
  const searcher = await open();
  const now = clockOf(searcher.place);
  const start = now();
  await searcher.index(documents, (done) => {
    if (done % 1_000 === 0) progress(`${name}: ${thousands(done)} of ${thousands(documents.length)} indexed`);
  });
  const indexed = (documents.length * 1_000) / (now() - start);
  const [micros, again] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const [kind, list] of Object.entries(queries)) {
    // The first round checks the answers, and warms up.
    const end = performance.now() + CHECK_MS;
    for (const query of list.slice(0, CHECKED)) {
      if (performance.now() > end) break;
      progress(`${name}: checking ${kind}`);
      const { total, ids } = await searcher.search(query.words);
      prove(total === query.total, `${name} finds ${total} of ${query.total} for ${query.words.join(' ')}`);
      prove(new Set(ids).size === Math.min(total, 20), `${name} returns ${ids.length} of ${total}`);
    }
    micros.set(kind, []);
    again.set(kind, []);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [kind, list] of Object.entries(queries)) {
      progress(`${name}: ${kind}, round ${round + 1}`);
      // One round says enough about queries that take longer than a second.
      if ((micros.get(kind)?.[0] ?? 0) > 1_000_000) continue;
      micros.get(kind)?.push(await microsOf(now, list, (query) => searcher.search(query.words)));
      const { searchAgain } = searcher;
      if (searchAgain === undefined) continue;
      // The searches before have changed the index: no result is kept yet.
      for (const query of list) await searchAgain(query.words);
      again.get(kind)?.push(await microsOf(now, list, (query) => searchAgain(query.words)));
    }
  }
  await searcher.close();
  const medians = (all: ReadonlyMap<string, number[]>) =>
    new Map([...all].filter(([, each]) => each.length > 0).map(([kind, each]) => [kind, median(each)]));
  const measured = { indexed, micros: medians(micros), again: medians(again) };
  // A run takes minutes: what is known is not lost if it is stopped.
  const queryTimes = [...measured.micros.values()].map(shown).join(', ');
  progress('');
  console.log(
    `${name}, ${thousands(documents.length)} documents: ${thousands(indexed)} a second; ${queryTimes}`,
  );
  return measured;
}

/** Queries of each kind whose answers are checked, and the ms after which the rest of a kind is not. */
const CHECKED = 20;
const CHECK_MS = 1_000;
