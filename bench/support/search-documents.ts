/** Documents for search benchmarks: the same in every run, with words as frequent as in natural texts (Zipf's law). */

const VOCABULARY = 50_000;
const WORDS_PER_DOCUMENT = 100;
const LETTERS = 6;

/** Repeatable numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words: string[] = [];

/** The word of a rank, 0 for the most frequent. All have the same length: none is the beginning of another. */
export function wordOf(rank: number): string {
  words[rank] ??= makeWord(rank);
  return words[rank];
}

function makeWord(rank: number): string {
  let code = ((rank + 1) * 15_485_863) % 26 ** LETTERS;
  let word = '';
  for (let i = 0; i < LETTERS; i++) {
    word += String.fromCharCode(97 + (code % 26));
    code = Math.floor(code / 26);
  }
  return word;
}

export interface BenchDocument {
  readonly id: string;
  readonly body: string;
  readonly votes: number;
}

/** A query, and the number of documents that it finds. */
export interface BenchQuery {
  readonly words: readonly string[];
  readonly total: number;
}

export interface Corpus {
  readonly documents: readonly BenchDocument[];
  /** Queries by their kind. */
  readonly queries: Readonly<Record<string, readonly BenchQuery[]>>;
}

/** How many documents a query of a kind finds: a part of all, or about ten. */
const PER_KIND = 100;

export function corpusOf(count: number): Corpus {
  const random = randomFrom(7);
  const documents: BenchDocument[] = [];
  const found = new Map<string, number[]>();
  for (let i = 0; i < count; i++) {
    const body: string[] = [];
    for (let at = 0; at < WORDS_PER_DOCUMENT; at++) {
      body.push(wordOf(Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1));
    }
    for (const word of new Set(body)) {
      const list = found.get(word);
      if (list === undefined) found.set(word, [i]);
      else list.push(i);
    }
    documents.push({ id: `d${i}`, body: body.join(' '), votes: Math.floor(random() * 1_000) });
  }
  const query = (...words: string[]): BenchQuery => {
    const lists = words.map((word) => found.get(word) ?? []).sort((a, b) => a.length - b.length);
    const others = lists.slice(1).map((list) => new Set(list));
    return { words, total: (lists[0] ?? []).filter((id) => others.every((other) => other.has(id))).length };
  };
  const rare = [...found].filter(([, list]) => list.length >= 8 && list.length <= 12).map(([word]) => word);
  const of = (make: (i: number) => BenchQuery) => Array.from({ length: PER_KIND }, (_, i) => make(i));
  return {
    documents,
    queries: {
      'a rare word (10 documents)': of((i) => query(rare[i % rare.length] as string)),
      'a rare and a frequent word': of((i) => query(rare[i % rare.length] as string, wordOf(i % 10))),
      'two words (0.5 % of all)': of((i) => query(wordOf(100 + i), wordOf(150 + i))),
      'two frequent words (6 % of all)': of((i) => query(wordOf(25 + (i % 20)), wordOf(50 + (i % 20)))),
      'a frequent word (18 % of all)': of((i) => query(wordOf(40 + (i % 20)))),
    },
  };
}
