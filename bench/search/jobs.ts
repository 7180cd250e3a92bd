/** Jobs that a candidate has all skills for. */
import type * as jobKit from '../../src/kit/jobs/index.js';
import { built } from '../support/built.js';
import { median, option, printTable, progress, thousands } from '../support/measure.js';
import { embeddedPlace, type Place, redisPlace } from '../support/place.js';
import { clockOf, exponent, inBulk, microsOf, shown } from '../support/query-times.js';
import { randomFrom } from '../support/search-documents.js';
import type { SearchPart } from '../support/search-part.js';
import { prove } from '../support/web-part.js';

const { jobIndex } = await built<typeof jobKit>('kit/jobs/index.js');

const jobCount = option('jobs', 100_000);
const rounds = option('rounds', 3);

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

export const part: SearchPart = {
  about: `3 to 6 skills each of ${SKILLS}; time to find those of a candidate with 20 skills`,
  async run() {
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
        rows.push([`${name}, ${kind}`, shown(before), shown(after), exponent(before, after)]);
      }
      rows.push([
        `${name}: jobs found`,
        ...found.map((one) => (one[2] as number).toFixed(1)),
        exponent(small[2] as number, large[2] as number),
      ]);
    }
    progress('');
    printTable(['', `${thousands(jobCount / 10)} jobs`, `${thousands(jobCount)} jobs`, 'exponent'], rows);
  },
};

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
  await inBulk(
    jobs,
    500,
    ({ id, ...job }) => index.add(id, job),
    (done) => progress(`jobs, ${name}: ${thousands(done)} of ${thousands(jobs.length)} added`),
  );
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
  const now = clockOf(place);
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
