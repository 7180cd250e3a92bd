import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  resolveLocations,
  resolveOptions,
  resolverOf,
  shown,
  storedIndex,
  text,
} from '../foundation/index.js';
import { ADD, CLEAR, FIND, REMOVE } from './job-scripts.js';
import { type CompleteSkill, resolveSkills, type Skills, skillArguments } from './skills.js';

export interface JobIndexOptions extends EvictionOptions {
  /** Prefix of all keys. Default `jobs`. */
  readonly prefix?: string;
}

export interface Job {
  /** What a candidate must have. Without skills, every candidate qualifies. At most 100. */
  readonly skills: Skills;
  /** Where the job is. Without locations it is found only by candidates who name none. */
  readonly locations?: readonly string[];
}

export interface Candidate {
  /** What the candidate has. At most 100. */
  readonly skills: Skills;
  /** Only jobs in one of these locations. Default: anywhere. */
  readonly locations?: readonly string[];
}

export interface FindOptions {
  /** Max number of jobs, up to 1,000. Default 20. */
  readonly limit?: number;
  /** How many jobs to skip. Default 0. */
  readonly offset?: number;
}

export interface JobMatch {
  readonly id: string;
  /** How many different skills the job requires. */
  readonly skills: number;
}

export interface JobMatches {
  /** The number of jobs that the candidate qualifies for. */
  readonly total: number;
  /** Those that require most skills first, then in the order of their ids. */
  readonly jobs: readonly JobMatch[];
}

/** A skill that the candidate does not have, or not enough of. */
export interface MissingSkill {
  readonly skill: string;
  /** What the job requires. */
  readonly level: number;
  readonly years: number;
  /** What the candidate has; undefined without the skill. */
  readonly has: { readonly level: number; readonly years: number } | undefined;
}

export interface Explanation {
  /** Whether nothing is missing and the location fits: whether `find` returns the job. */
  readonly qualifies: boolean;
  readonly missing: readonly MissingSkill[];
  /** The required skills that the candidate has. */
  readonly matched: readonly string[];
  /** Whether the job is in one of the candidate's locations, or the candidate names none. */
  readonly isInLocation: boolean;
}

/**
 * Finds the jobs that a candidate fully qualifies for. Skills and locations are compared without case and accents. Each call is atomic. All
 * keys of an index are in one slot of a Cluster.
 */
export interface JobIndex {
  readonly name: string;
  /** Adds a job, or replaces the one with this id. Returns whether it is new. */
  add(id: string, job: Job): Promise<boolean>;
  /** Returns false if there was no such job. */
  remove(id: string): Promise<boolean>;
  /** The job; undefined if there is none. */
  get(id: string): Promise<Job | undefined>;
  /**
   * The jobs for which the candidate has all skills, with the required level and years.
   *
   * @example
   * const { total, jobs } = await openings.find({ skills: ['SQL', { skill: 'TypeScript', years: 4 }], locations: ['Zürich'] });
   */
  find(candidate: Candidate, options?: FindOptions): Promise<JobMatches>;
  /** Whether a candidate qualifies for a job, and which skills are missing; undefined if there is no such job. */
  explain(id: string, candidate: Candidate): Promise<Explanation | undefined>;
  /** The number of jobs. */
  size(): Promise<number>;
  /** Removes all jobs, some hundred at a time. */
  clear(): Promise<void>;
}

/**
 * Opens an index of jobs.
 *
 * @example
 * const openings = jobIndex(store, 'openings');
 * await openings.add('1', { skills: ['SQL', { skill: 'TypeScript', years: 3 }], locations: ['Zürich'] }); // true
 * await openings.find({ skills: ['sql', { skill: 'typescript', years: 4 }] }); // { total: 1, jobs: [{ id: '1', skills: 2 }] }
 */
export function jobIndex(store: Store, name: string, options: JobIndexOptions = {}): JobIndex {
  checkStore('jobIndex', store);
  const { prefix, ...eviction } = resolveOptions('jobIndex', options, RULES);
  const guard = new EvictionGuard(store, 'jobIndex', eviction);
  const add = guard.before(store.script(ADD));
  const remove = store.script(REMOVE);
  const clear = store.script(CLEAR);
  const find = store.script(FIND);
  const stored = storedIndex(store, name, {
    ...{ owner: 'jobIndex', prefix, part: 'job', clearedAtOnce: 200 },
    steps: (base) => ({ remove: (id) => remove({ base, id }), clear: (max) => clear({ base, max }) }),
  });
  const { base, checkId } = stored;

  async function get(id: string): Promise<Job | undefined> {
    const source = await stored.source(id);
    return source === undefined ? undefined : (JSON.parse(source) as Job);
  }

  return {
    name,
    get,
    add: async (id, job) => {
      checkId(id);
      const { skills, locations } = resolveJob('a job', job);
      const requirements = skillArguments(skills);
      const source = JSON.stringify(job);
      return (await add({ base, id, source, locations: ['', ...locations].join('\0'), requirements })) === 1;
    },
    remove: stored.remove,
    find: async (candidate, given) => {
      const { limit, offset } = resolveFind(given);
      const { skills, locations } = resolveJob('a candidate', candidate);
      const found = await find({ base, locations: locations.join('\0'), skills: skillArguments(skills) });
      return matchesOf(found, limit, offset);
    },
    explain: async (id, candidate) => {
      const wanted = resolveJob('a candidate', candidate);
      const job = await get(id);
      return job === undefined ? undefined : explanationOf(resolveJob('a job', job), wanted);
    },
    size: stored.size,
    clear: stored.clear,
  };
}

interface Resolved {
  readonly skills: ReadonlyMap<string, CompleteSkill>;
  readonly locations: readonly string[];
}

function resolveJob(what: string, given: Job | Candidate): Resolved {
  if (typeof given !== 'object' || given === null) {
    throw new KitError(
      'OPTION',
      `jobIndex: ${what} must be an object such as { skills: ['SQL'] }, not ${shown(given)}`,
    );
  }
  const { skills, locations = [], ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new KitError('OPTION', `jobIndex: ${what} has no '${unknown}': it takes skills, locations`);
  }
  return { skills: resolveSkills('jobIndex', skills), locations: resolveLocations('jobIndex', locations) };
}

function matchesOf(found: readonly (string | number)[], limit: number, offset: number): JobMatches {
  const jobs: JobMatch[] = [];
  for (let at = 0; at < found.length; at += 2) {
    jobs.push({ id: String(found[at]), skills: Number(found[at + 1]) });
  }
  jobs.sort((one, other) => other.skills - one.skills || (one.id < other.id ? -1 : 1));
  return { total: jobs.length, jobs: jobs.slice(offset, offset + limit) };
}

function explanationOf(job: Resolved, candidate: Resolved): Explanation {
  const missing: MissingSkill[] = [];
  const matched: string[] = [];
  for (const [name, { skill, level, years }] of job.skills) {
    const own = candidate.skills.get(name);
    if (own !== undefined && own.level >= level && own.years >= years) matched.push(skill);
    else missing.push({ skill, level, years, has: own && { level: own.level, years: own.years } });
  }
  const isInLocation =
    candidate.locations.length === 0 ||
    candidate.locations.some((location) => job.locations.includes(location));
  return { qualifies: missing.length === 0 && isInLocation, missing, matched, isInLocation };
}

const RULES = { prefix: text('jobs'), ...EVICTION_RULES };
const FIND_RULES = { limit: integer(20, { min: 1, max: 1_000 }), offset: integer(0, { min: 0 }) };
const resolveFind = resolverOf<typeof FIND_RULES, FindOptions>('find', FIND_RULES);
