import { checkFoldedName, foldedName, KitError, shown } from '../foundation/index.js';

/** A skill with a level and years of experience. A job requires at least these; a candidate has them. */
export interface Skill {
  readonly skill: string;
  /** A number, 0 or more, such as 0 for a beginner and 2 for an expert. Default 0. */
  readonly level?: number;
  /** Years of experience, 0 or more. Default 0. */
  readonly years?: number;
}

/** Skills of a job or a candidate. A text is a skill without level and years. The highest of several equal skills counts. */
export type Skills = readonly (string | Skill)[];

/** A complete skill. */
export interface CompleteSkill {
  /** As it was written first. */
  readonly skill: string;
  readonly level: number;
  readonly years: number;
}

/** Max number of skills of a job or a candidate: a candidate with N skills has N² / 2 pairs of them. */
const MAX_SKILLS = 100;

/** Skills by their folded names, in the order of bytes. */
export function resolveSkills(owner: string, skills: Skills): ReadonlyMap<string, CompleteSkill> {
  if (!Array.isArray(skills)) {
    throw new KitError('OPTION', `${owner}: \`skills\` must be a list of skills, not ${shown(skills)}`);
  }
  const found = new Map<string, CompleteSkill>();
  for (const given of skills as Skills) {
    const { skill, level, years } = resolveSkill(owner, given);
    const name = foldedName(skill);
    const known = found.get(name);
    found.set(name, {
      skill: known?.skill ?? skill,
      level: Math.max(level, known?.level ?? 0),
      years: Math.max(years, known?.years ?? 0),
    });
  }
  if (found.size > MAX_SKILLS) {
    throw new KitError('OPTION', `${owner}: at most ${MAX_SKILLS} different skills, not ${found.size}`);
  }
  return new Map([...found].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other))));
}

function resolveSkill(owner: string, given: string | Skill): CompleteSkill {
  const {
    skill,
    level = 0,
    years = 0,
    ...others
  } = typeof given === 'string' ? { skill: given } : (given ?? {});
  checkFoldedName(owner, 'a skill', skill);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new KitError('OPTION', `${owner}: a skill has no '${unknown}': it takes skill, level, years`);
  }
  for (const [name, value] of Object.entries({ level, years })) {
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new KitError(
        'OPTION',
        `${owner}: the ${name} of '${skill}' must be a number, 0 or more, not ${shown(value)}`,
      );
    }
  }
  return { skill, level, years };
}

/** The skills as scripts take them: name, level and years of each. */
export function skillArguments(skills: ReadonlyMap<string, CompleteSkill>): (string | number)[] {
  return [...skills].flatMap(([name, { level, years }]) => [name, level, years]);
}
