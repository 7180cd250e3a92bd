/** `sorrel/kit/jobs`: the jobs that a candidate fully qualifies for. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type Candidate,
  type Explanation,
  type FindOptions,
  type Job,
  type JobIndex,
  type JobIndexOptions,
  type JobMatch,
  type JobMatches,
  jobIndex,
  type MissingSkill,
} from './jobs.js';
export type { Skill, Skills } from './skills.js';
