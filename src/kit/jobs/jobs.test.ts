import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open } from '../../store/index.js';
import { type Candidate, type Job, jobIndex, type Skill } from './index.js';

describe('A job index', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const openings = jobIndex(store, 'openings');
    const skills = ['SQL', { skill: 'TypeScript', years: 3 }];
    assert.equal(await openings.add('1', { skills, locations: ['Zürich'] }), true);
    const candidate = { skills: ['sql', { skill: 'typescript', years: 4 }] };
    assert.deepEqual(await openings.find(candidate), { total: 1, jobs: [{ id: '1', skills: 2 }] });
  });

  it('finds jobs of none, one, two and more skills, in locations or anywhere', async () => {
    await using store = await open();
    const openings = jobIndex(store, 'openings');
    const jobs: Record<string, Job> = {
      any: { skills: [] },
      one: { skills: ['a'], locations: ['Bern', 'Genève'] },
      two: { skills: ['a', 'b'], locations: ['bern'] },
      three: { skills: ['a', 'b', 'c'] },
      four: { skills: ['a', 'b', 'c', 'd'], locations: ['Genève'] },
      level: {
        skills: [
          { skill: 'a', level: 2 },
          { skill: 'b', years: 1.5 },
        ],
        locations: ['Bern'],
      },
    };
    for (const [id, job] of Object.entries(jobs)) assert.equal(await openings.add(id, job), true);
    for (const [candidate, expected] of [
      [{ skills: [] }, ['any']],
      [{ skills: ['x'] }, ['any']],
      [{ skills: ['A'] }, ['one', 'any']],
      [{ skills: ['b', 'a', 'x'] }, ['two', 'one', 'any']],
      [{ skills: ['d', 'c', 'b', 'a'] }, ['four', 'three', 'two', 'one', 'any']],
      [{ skills: ['d', 'c', 'b', 'a'], locations: ['GENEVE'] }, ['four', 'one']],
      [{ skills: ['a', 'b'], locations: ['Genève', 'Bern'] }, ['two', 'one']],
      [{ skills: ['a'], locations: ['Basel'] }, []],
      [
        {
          skills: [
            { skill: 'a', level: 2 },
            { skill: 'b', years: 1.5 },
          ],
        },
        ['level', 'two', 'one', 'any'],
      ],
      [
        {
          skills: [
            { skill: 'a', level: 3 },
            { skill: 'b', years: 1 },
          ],
        },
        ['two', 'one', 'any'],
      ],
    ] as const) {
      const { total, jobs: found } = await openings.find(candidate);
      assert.equal(total, expected.length);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        JSON.stringify(candidate),
      );
    }
    const page = await openings.find({ skills: ['a', 'b'] }, { limit: 1, offset: 1 });
    assert.deepEqual(page, { total: 3, jobs: [{ id: 'one', skills: 1 }] });
    assert.deepEqual(await openings.get('two'), jobs['two']);
    assert.equal(await openings.remove('two'), true);
    assert.equal(await openings.remove('two'), false);
    assert.equal(await openings.get('two'), undefined);
    assert.equal(await openings.size(), 5);
    await openings.clear();
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('explains which skills are missing', async () => {
    await using store = await open();
    const openings = jobIndex(store, 'openings');
    const skills = ['SQL', { skill: 'Go', level: 2 }, { skill: 'C', years: 5 }, 'Rust'];
    await openings.add('1', { skills, locations: ['Bern'] });
    const candidate: Candidate = {
      skills: ['sql', { skill: 'go', level: 1, years: 9 }, { skill: 'c', years: 5 }],
      locations: ['Basel'],
    };
    assert.deepEqual(await openings.explain('1', candidate), {
      qualifies: false,
      missing: [
        { skill: 'Go', level: 2, years: 0, has: { level: 1, years: 9 } },
        { skill: 'Rust', level: 0, years: 0, has: undefined },
      ],
      matched: ['C', 'SQL'],
      isInLocation: false,
    });
    assert.equal(await openings.explain('2', candidate), undefined);
  });

  it('behaves like a list of jobs that is checked one by one', async () => {
    await using store = await open();
    let round = 0;
    const skill = fc.record({
      skill: fc.constantFrom('a', 'B', 'c', 'ä', 'dd', '中'),
      level: fc.integer({ min: 0, max: 2 }),
      years: fc.constantFrom(0, 0.5, 3),
    });
    const skills = fc.array(skill, { maxLength: 5 });
    const locations = fc.uniqueArray(fc.constantFrom('Bern', 'basel', 'Zug'), { maxLength: 2 });
    const id = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ add: id, skills, locations }) },
      { weight: 1, arbitrary: fc.record({ remove: id }) },
      { weight: 4, arbitrary: fc.record({ skills: fc.array(skill, { maxLength: 8 }), locations }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const openings = jobIndex(store, `r${round++}`);
        const model = new Map<string, { skills: Skill[]; locations: string[] }>();
        for (const one of steps) {
          if ('add' in one) {
            const { add, ...job } = one;
            assert.equal(await openings.add(add, job), !model.has(add));
            model.set(add, job);
          } else if ('remove' in one) {
            assert.equal(await openings.remove(one.remove), model.delete(one.remove));
          } else {
            const expected = [...model].filter(([, job]) => qualifies(job, one)).map(([key]) => key);
            const { total, jobs } = await openings.find(one);
            assert.equal(total, expected.length);
            assert.deepEqual(jobs.map((job) => job.id).sort(), expected.sort());
            for (const key of model.keys()) {
              const explained = await openings.explain(key, one);
              assert.equal(explained?.qualifies, expected.includes(key));
            }
          }
        }
        assert.equal(await openings.size(), model.size);
        await openings.clear();
        assert.equal(await store.send('DBSIZE'), 0);
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 60 },
    );
  });
});

const plain = (name: string): string => name.toLowerCase().replace('ä', 'a');

/** What the component must do, checked skill by skill. A candidate's levels and years of equal skills count separately. */
function qualifies(
  job: { skills: readonly Skill[]; locations: readonly string[] },
  candidate: { skills: readonly Skill[]; locations: readonly string[] },
): boolean {
  const best = (name: string, what: 'level' | 'years'): number =>
    Math.max(
      -1,
      ...candidate.skills.filter((one) => plain(one.skill) === plain(name)).map((one) => one[what] ?? 0),
    );
  return (
    (candidate.locations.length === 0 ||
      candidate.locations.some((place) => job.locations.includes(place))) &&
    job.skills.every(
      ({ skill, level = 0, years = 0 }) => best(skill, 'level') >= level && best(skill, 'years') >= years,
    )
  );
}
