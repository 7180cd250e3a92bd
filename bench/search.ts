/**
 * Search beside MiniSearch and Orama in the same process, and on redis-server; jobs and ads. Asserts that all find the same documents.
 * In this process, times are processor time (with garbage collection), which does not depend on what else the machine does; on redis-server
 * they are elapsed time.
 * Where the output is not a terminal, a line every ten seconds says how far it has come.
 * Options: --parts=search,growth,jobs,ads (default: all) --contenders=ours,MiniSearch (default: all) --documents=100000 --jobs=100000
 * --ads=10000 --rounds=3 --seconds=0.5 (of one round)
 */
import type * as adKit from '../src/kit/ads/index.js';
import type * as jobKit from '../src/kit/jobs/index.js';
import { built } from './support/built.js';
import { median, option, printTable, progress, textOption, thousands } from './support/measure.js';
import { embeddedPlace, type Place, redisPlace } from './support/place.js';
import {
  OURS_RANKED,
  OURS_SORTED,
  SEARCH_CONTENDERS,
  type SearchContender,
} from './support/search-contenders.js';
import { type BenchQuery, type Corpus, corpusOf, randomFrom } from './support/search-documents.js';
import { prove } from './support/web-part.js';

const { jobIndex } = await built<typeof jobKit>('kit/jobs/index.js');
const { adIndex } = await built<typeof adKit>('kit/ads/index.js');

const count = option('documents', 100_000);
const rounds = option('rounds', 3);
const seconds = option('seconds', 0.5);
const jobCount = option('jobs', 100_000);
const adCount = option('ads', 10_000);

interface Measured {
  readonly indexed: number;
  /** Microseconds per query, by kind. */
  readonly micros: ReadonlyMap<string, number>;
  /** The same for queries whose result is kept; empty if results are not kept. */
  readonly again: ReadonlyMap<string, number>;
}

const corpora = new Map<number, Corpus>();

function corpus(size: number): Corpus {
  const known = corpora.get(size) ?? corpusOf(size);
  corpora.set(size, known);
  return known;
}

const measurements = new Map<string, Measured>();

/** Measures a contender with this number of documents, once: two parts need the same. */
async function measure(contender: SearchContender, size: number): Promise<Measured> {
  const key = `${contender.name} ${size}`;
  const known = measurements.get(key) ?? (await measureOnce(contender, corpus(size)));
  measurements.set(key, known);
  return known;
}

/** Each contender alone, so that others do not take its memory. Rounds alternate between the kinds of queries. */
async function measureOnce(
  { name, open, isInProcess }: SearchContender,
  { documents, queries }: Corpus,
): Promise<Measured> {
  const searcher = await open();
  const now = isInProcess ? processorTime : elapsedTime;
  const start = now();
  await searcher.index(documents, (done) => {
    if (done % 1_000 === 0) progress(`${name}: ${thousands(done)} of ${thousands(documents.length)} indexed`);
  });
  const indexed = (documents.length * 1_000) / (now() - start);
  const [micros, again] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const [kind, list] of Object.entries(queries)) {
    // The first round checks the answers, and warms up.
    for (const query of list.slice(0, CHECKED)) {
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
      micros.get(kind)?.push(await microsOf(now, list, (query) => searcher.search(query.words)));
      const { searchAgain } = searcher;
      if (searchAgain === undefined) continue;
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

/** Queries of each kind whose answers are checked. */
const CHECKED = 20;

type Clock = () => number;

/** Milliseconds of the processor that this process has used. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function elapsedTime(): number {
  return performance.now();
}

/** Calls that are measured at least, however long they take. */
const MIN_CALLS = 5;

async function microsOf<T>(
  now: Clock,
  list: readonly T[],
  call: (one: T) => Promise<unknown>,
): Promise<number> {
  const warm = performance.now() + seconds * 500;
  for (let i = 0; performance.now() < warm; i++) await call(list[i % list.length] as T);
  const end = performance.now() + seconds * 1_000;
  const start = now();
  let calls = 0;
  while (performance.now() < end || calls < MIN_CALLS) await call(list[calls++ % list.length] as T);
  return ((now() - start) * 1_000) / calls;
}

function shown(micros: number | undefined): string {
  if (micros === undefined) return '';
  return micros >= 1_000
    ? `${(micros / 1_000).toFixed(micros >= 10_000 ? 0 : 1)} ms`
    : `${micros.toFixed(0)} µs`;
}

function averageTotal(list: readonly BenchQuery[] | undefined): number {
  return (list ?? []).reduce((sum, { total }) => sum + total, 0) / (list?.length ?? 1);
}

async function searchPart(): Promise<void> {
  console.log(
    `\n# search: ${thousands(count)} documents of 100 words; time of a query that returns the first 20\n`,
  );
  const results = new Map<string, Measured>();
  const wanted = textOption('contenders', '').split(',');
  for (const contender of SEARCH_CONTENDERS) {
    if (!wanted.some((part) => contender.name.includes(part))) continue;
    results.set(contender.name, await measure(contender, count));
  }
  progress('');
  const names = [...results.keys()];
  const rows = [
    ['documents indexed a second', ...names.map((name) => thousands(results.get(name)?.indexed ?? 0))],
  ];
  for (const part of ['micros', 'again'] as const) {
    for (const kind of Object.keys(corpus(count).queries)) {
      const title = part === 'micros' ? kind : `again: ${kind}`;
      rows.push([title, ...names.map((name) => shown(results.get(name)?.[part].get(kind)))]);
    }
  }
  printTable(['', ...names], rows);
  console.log(
    '\nMiniSearch and Orama return objects of this process. Ours reads each document of the page from the store and parses its JSON, and keeps\n' +
      'the result for further pages; on an index of any program that has the store.',
  );
}

async function growthPart(): Promise<void> {
  console.log(`\n# growth: from ${thousands(count / 10)} to ${thousands(count)} documents, embedded\n`);
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
        Math.log10(ten / one).toFixed(2),
        `${thousands(found)} → ${thousands(foundLater)}`,
        Math.log10(foundLater / found).toFixed(2),
      ]);
    }
  }
  progress('');
  printTable(['', thousands(count / 10), thousands(count), 'exponent', 'documents found', 'exponent'], rows);
}

// ---- jobs ----

interface BenchJob {
  readonly id: string;
  readonly skills: readonly { readonly skill: string; readonly level: number; readonly years: number }[];
  readonly locations: readonly string[];
}

const SKILLS = 200;
const LOCATIONS = 50;

/** Some skills are required much more often than others. */
function jobsOf(number: number): BenchJob[] {
  const random = randomFrom(11);
  return Array.from({ length: number }, (_, i) => {
    const names = new Set<string>();
    while (names.size < 3 + (i % 4)) names.add(skillOf(random));
    const skills = [...names].map((skill) => ({
      skill,
      level: Math.floor(random() * 3),
      years: Math.floor(random() * 6),
    }));
    return { id: `j${i}`, skills, locations: [`l${Math.floor(random() * LOCATIONS)}`] };
  });
}

function skillOf(random: () => number): string {
  return `s${Math.floor(SKILLS * random() ** 2)}`;
}

function candidatesOf(number: number) {
  const random = randomFrom(13);
  return Array.from({ length: number }, () => {
    const names = new Set<string>();
    while (names.size < 20) names.add(skillOf(random));
    const skills = [...names].map((skill) => ({
      skill,
      level: 1 + Math.floor(random() * 2),
      years: 2 + Math.floor(random() * 8),
    }));
    return { skills, locations: [`l${Math.floor(random() * LOCATIONS)}`] };
  });
}

function qualified(job: BenchJob, { skills }: ReturnType<typeof candidatesOf>[number]): boolean {
  return job.skills.every(({ skill, level, years }) =>
    skills.some((own) => own.skill === skill && own.level >= level && own.years >= years),
  );
}

async function jobsPart(): Promise<void> {
  console.log(`\n# jobs: 3 to 6 skills each of ${SKILLS}; candidates with 20 skills\n`);
  const candidates = candidatesOf(100);
  const rows: string[][] = [];
  for (const [name, place] of [
    ['embedded', embeddedPlace],
    ['redis-server', redisPlace],
  ] as const) {
    const found: number[][] = [];
    for (const number of [jobCount / 10, jobCount]) {
      found.push(await measureJobs(name, place, jobsOf(number), candidates));
    }
    const [small, large] = found as [number[], number[]];
    for (const [at, kind] of ['anywhere', 'in one location'].entries()) {
      const [before, after] = [small[at] as number, large[at] as number];
      rows.push([`${name}, ${kind}`, shown(before), shown(after), Math.log10(after / before).toFixed(2)]);
    }
    rows.push([
      `${name}: jobs found`,
      ...found.map((one) => (one[2] as number).toFixed(1)),
      Math.log10((large[2] as number) / (small[2] as number)).toFixed(2),
    ]);
  }
  progress('');
  printTable(['', `${thousands(jobCount / 10)} jobs`, `${thousands(jobCount)} jobs`, 'exponent'], rows);
}

/** Times of a search anywhere and in one location, and the average number of jobs found anywhere. */
async function measureJobs(
  name: string,
  open: () => Promise<Place>,
  jobs: readonly BenchJob[],
  candidates: ReturnType<typeof candidatesOf>,
): Promise<number[]> {
  const place = await open();
  const store = await place.openStore();
  const index = jobIndex(store, 'bench');
  for (let at = 0; at < jobs.length; at += 100) {
    progress(`jobs, ${name}: ${thousands(at)} of ${thousands(jobs.length)} added`);
    await Promise.all(jobs.slice(at, at + 100).map(({ id, ...job }) => index.add(id, job)));
  }
  let total = 0;
  for (const [at, candidate] of candidates.entries()) {
    const found = await index.find({ skills: candidate.skills });
    total += found.total;
    if (at >= 10) continue;
    const expected = jobs.filter((job) => qualified(job, candidate));
    prove(found.total === expected.length, `${name} finds ${found.total} jobs of ${expected.length}`);
    const near = await index.find(candidate);
    const nearby = expected.filter(({ locations }) => locations[0] === candidate.locations[0]);
    prove(near.total === nearby.length, `${name} finds ${near.total} jobs of ${nearby.length} in a location`);
  }
  const now = store.kind === 'embedded' ? processorTime : elapsedTime;
  const [anywhere, located]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    progress(`jobs, ${name}: round ${round + 1}`);
    anywhere.push(await microsOf(now, candidates, ({ skills }) => index.find({ skills })));
    located.push(await microsOf(now, candidates, (candidate) => index.find(candidate)));
  }
  await store.close();
  await place.stop();
  return [median(anywhere), median(located), total / candidates.length];
}

// ---- ads ----

async function adsPart(): Promise<void> {
  console.log(
    '\n# ads: 10 words each of 2,000, 20 locations; pages of 100 words; time of a choice with its view\n',
  );
  const rows: string[][] = [];
  for (const [name, place] of [
    ['embedded', embeddedPlace],
    ['redis-server', redisPlace],
  ] as const) {
    const fresh: number[] = [];
    const learnt: number[] = [];
    for (const number of [adCount / 10, adCount]) {
      const [before, after] = await measureAds(name, place, number);
      fresh.push(before);
      learnt.push(after);
    }
    for (const [kind, values] of [
      ['before anything is learnt', fresh],
      ['after 20,000 views and 1,000 clicks', learnt],
    ] as const) {
      const [small, large] = values as [number, number];
      rows.push([`${name}, ${kind}`, shown(small), shown(large), Math.log10(large / small).toFixed(2)]);
    }
  }
  progress('');
  printTable(['', `${thousands(adCount / 10)} ads`, `${thousands(adCount)} ads`, 'exponent'], rows);
}

async function measureAds(
  name: string,
  open: () => Promise<Place>,
  number: number,
): Promise<[number, number]> {
  const place = await open();
  const store = await place.openStore();
  const ads = adIndex(store, 'bench', { stopWords: [] });
  const random = randomFrom(17);
  const textOf = (length: number): string =>
    Array.from({ length }, () => `w${Math.floor(2_000 * random() ** 2)}`).join(' ');
  const locationOf = (): string => `l${Math.floor(random() * 20)}`;
  const known = new Map<
    string,
    { readonly locations: readonly string[]; readonly words: readonly string[] }
  >();
  for (let i = 0; i < number; i++) {
    const [content, locations] = [textOf(10), [...new Set([locationOf(), locationOf()])]];
    const price = [{ cpm: 1 + random() }, { cpc: 0.5 + random() }, { cpa: 1 + 5 * random() }][i % 3] as {
      cpm: number;
    };
    progress(`ads, ${name}: ${thousands(i)} of ${thousands(number)} added`);
    await ads.add(`a${i}`, { locations, content, ...price });
    known.set(`a${i}`, { locations, words: [...new Set(content.split(' '))] });
  }
  const pages = Array.from({ length: 200 }, () => ({
    locations: [locationOf(), 'none'],
    content: textOf(100),
  }));
  const target = (page: (typeof pages)[number]) => ads.target(page);
  const now = store.kind === 'embedded' ? processorTime : elapsedTime;
  const before = await microsOf(now, pages, target);
  for (let i = 0; i < 20_000; i++) {
    progress(`ads, ${name}, ${thousands(number)} ads: view ${thousands(i)} of 20,000`);
    const [placement] = await ads.target(pages[i % pages.length] as (typeof pages)[number]);
    prove(placement !== undefined, 'an ad is found for every page');
    if (i % 20 === 0) await ads.click(placement.target);
  }
  for (const page of pages.slice(0, 5)) await proveBest(ads, known, page);
  const after: number[] = [];
  for (let round = 0; round < rounds; round++) after.push(await microsOf(now, pages, target));
  await store.close();
  await place.stop();
  return [before, median(after)];
}

/** Compares the choice with the values of all ads. */
async function proveBest(
  ads: adKit.AdIndex,
  known: ReadonlyMap<string, { readonly locations: readonly string[]; readonly words: readonly string[] }>,
  { locations, content }: { readonly locations: string[]; readonly content: string },
): Promise<void> {
  const page = new Set(content.split(' '));
  let best = 0;
  for (const [id, ad] of known) {
    if (!ad.locations.some((location) => locations.includes(location))) continue;
    const { ecpm = 0, words = {} } = (await ads.statistics(id)) ?? {};
    const bonuses = ad.words.filter((word) => page.has(word)).map((word) => words[word]?.bonus ?? 0);
    const bonus = bonuses.length === 0 ? 0 : (Math.min(...bonuses) + Math.max(...bonuses)) / 2;
    best = Math.max(best, ecpm + bonus);
  }
  const [placement] = await ads.target({ locations, content });
  prove(
    placement !== undefined && Math.abs(placement.ecpm - best) < 1e-9,
    `the ad chosen earns ${placement?.ecpm}, not ${best}`,
  );
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  search: searchPart,
  growth: growthPart,
  jobs: jobsPart,
  ads: adsPart,
};
const chosen = textOption('parts', Object.keys(PARTS).join(',')).split(',');
const unknown = chosen.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  console.error(`There is no part named ${unknown}. Parts: ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}
for (const name of chosen) await PARTS[name]?.();
