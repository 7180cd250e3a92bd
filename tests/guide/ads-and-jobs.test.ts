import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adIndex } from '../../src/kit/ads/index.js';
import { type Job, jobIndex } from '../../src/kit/jobs/index.js';
import { searchIndex } from '../../src/kit/search/index.js';
import { type EmbeddedStore, open } from '../../src/store/index.js';
import {
  AdsByHand,
  findJobsByHand,
  findLevelsByHand,
  findYearsByHand,
  indexJobByHand,
  indexLevelsByHand,
  indexYearsByHand,
} from './matching-by-hand.js';
import { indexByHand } from './search-by-hand.js';

const PAGE = { locations: ['CH'], content: 'ski' };
const AD = { locations: ['CH'], content: 'ski boots', cpc: 1 } as const;

async function showOurs(store: EmbeddedStore, views: number, clicks: number) {
  const ads = adIndex(store, 'site', { priorViews: 1, estimateEvery: 1 });
  await ads.add('a', AD);
  for (let i = 0; i < views; i++) {
    const [placement] = await ads.target(PAGE);
    if (i < clicks) await ads.click(placement?.target as string);
  }
  return ads;
}

describe('Ads by hand and with the component', () => {
  it('by hand: clicks are written to one key and read from another, so nothing is learnt', async () => {
    await using store = await open();
    const ads = new AdsByHand(store);
    await ads.add('a', ['ski'], 1);
    for (let i = 0; i < 10; i++) await ads.view('a');
    for (let i = 0; i < 5; i++) await ads.click('a');
    assert.equal(await ads.value('a'), 1, 'as at the beginning');
    const value = (await (await showOurs(store, 10, 5)).statistics('a'))?.ecpm ?? 0;
    assert.ok(value > 400 && value < 600, `five clicks in ten views are worth about 500, not ${value}`);
  });

  it('by hand: an ad without clicks keeps its first value', async () => {
    await using store = await open();
    const ads = new AdsByHand(store);
    await ads.add('a', ['ski'], 1);
    for (let i = 0; i < 50; i++) await ads.view('a');
    assert.equal(await ads.value('a'), 1);
    assert.ok(((await (await showOurs(store, 50, 0)).statistics('a'))?.ecpm ?? 1) < 0.1);
  });

  it('by hand: each process has its own average', async () => {
    await using store = await open();
    const [one, other] = [new AdsByHand(store), new AdsByHand(store)];
    await one.add('a', ['ski'], 1);
    await one.view('a');
    await one.click('a');
    await one.add('b', ['ski'], 1);
    await other.add('c', ['ski'], 1);
    assert.notEqual(await one.value('b'), await one.value('c'), 'the same ad, added by two processes');
    await showOurs(store, 10, 5);
    const [ours, theirs] = [adIndex(store, 'site'), adIndex(store, 'site')];
    await ours.add('b', AD);
    await theirs.add('c', AD);
    assert.equal((await ours.statistics('b'))?.ecpm, (await ours.statistics('c'))?.ecpm);
  });

  it('by hand: ads and documents use the same keys with different types', async () => {
    await using store = await open();
    await indexByHand(store, 'document', 'ski');
    await assert.rejects(new AdsByHand(store).add('a', ['ski'], 1), { code: 'WRONGTYPE' });
    const texts = searchIndex(store, 'site', { fields: { body: 'text' } });
    await texts.index('document', { body: 'ski' });
    await showOurs(store, 3, 3);
    assert.equal((await texts.search('ski')).total, 1);
  });
});

async function ours(store: EmbeddedStore, jobs: Readonly<Record<string, Job['skills']>>) {
  const openings = jobIndex(store, 'openings');
  for (const [id, skills] of Object.entries(jobs)) await openings.add(id, { skills });
  return async (skills: Job['skills']) => (await openings.find({ skills })).jobs.map(({ id }) => id).sort();
}

describe('Jobs by hand and with the component', () => {
  it('by hand: a job that is indexed again keeps its old skills', async () => {
    await using store = await open();
    await indexJobByHand(store, 'job', ['sql', 'go']);
    await indexJobByHand(store, 'job', ['rust']);
    assert.deepEqual(await findJobsByHand(store, ['sql']), ['job'], 'it requires rust');
    assert.deepEqual(await findJobsByHand(store, ['sql', 'rust']), [], 'and is missed by those who have it');
    const openings = jobIndex(store, 'openings');
    await openings.add('job', { skills: ['sql', 'go'] });
    await openings.add('job', { skills: ['rust'] });
    assert.equal((await openings.find({ skills: ['sql'] })).total, 0);
    assert.equal((await openings.find({ skills: ['sql', 'rust'] })).total, 1);
  });

  it('by hand: levels above the own one are counted, so exact matches are missed and others found', async () => {
    await using store = await open();
    await indexLevelsByHand(store, 'one', { sql: 1 });
    await indexLevelsByHand(store, 'two', { sql: 1, go: 1 });
    assert.deepEqual(await findLevelsByHand(store, { sql: 1 }), ['two'], 'the wrong one');
    const find = await ours(store, {
      one: [{ skill: 'sql', level: 1 }],
      two: ['sql', 'go'].map((skill) => ({ skill, level: 1 })),
    });
    assert.deepEqual(await find([{ skill: 'sql', level: 1 }]), ['one']);
    assert.deepEqual(await find([{ skill: 'sql', level: 0 }]), []);
    assert.deepEqual(await find(['sql', 'go'].map((skill) => ({ skill, level: 2 }))), ['one', 'two']);
  });

  it('by hand: the years search returns a job that the candidate does not qualify for, and only one', async () => {
    await using store = await open();
    await indexYearsByHand(store, 'both', { sql: 2, go: 5 });
    assert.deepEqual(await findYearsByHand(store, { sql: 3 }), ['both'], 'go is missing');
    await indexYearsByHand(store, 'a', { sql: 1 });
    await indexYearsByHand(store, 'b', { sql: 3 });
    assert.deepEqual(await findYearsByHand(store, { sql: 3 }), ['a'], 'b is missed');
    const find = await ours(store, {
      both: [
        { skill: 'sql', years: 2 },
        { skill: 'go', years: 5 },
      ],
      a: [{ skill: 'sql', years: 1 }],
      b: [{ skill: 'sql', years: 3 }],
    });
    assert.deepEqual(await find([{ skill: 'sql', years: 3 }]), ['a', 'b']);
    assert.deepEqual(await find([{ skill: 'sql', years: 2.5 }]), ['a']);
  });
});
