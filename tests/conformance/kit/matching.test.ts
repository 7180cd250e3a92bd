import assert from 'node:assert/strict';
import { adIndex } from '../../../src/kit/ads/index.js';
import { jobIndex } from '../../../src/kit/jobs/index.js';
import { onEveryStore } from './support.js';

onEveryStore('Matching', (test) => {
  test('jobs are found by all their skills, by several clients', async (store, {
    space,
    another,
    failover,
  }) => {
    const [mine, elsewhere] = [store, await another()].map((own) =>
      jobIndex(own, 'jobs', { prefix: space }),
    ) as [ReturnType<typeof jobIndex>, ReturnType<typeof jobIndex>];
    const skills = ['a', 'b', 'c', 'd', 'é', '中'];
    await Promise.all(
      Array.from({ length: 64 }, (_, i) => {
        const required = skills.filter((_skill, bit) => (i >> bit) & 1);
        const job = {
          skills: required.map((skill) => ({ skill, level: i % 3 })),
          locations: [i % 2 === 0 ? 'Bern' : 'Zug'],
        };
        return (i % 4 < 2 ? mine : elsewhere).add(`j${i}`, job);
      }),
    );
    await failover();
    const able = skills.map((skill) => ({ skill, level: 2 }));
    assert.equal((await elsewhere.find({ skills: able })).total, 64);
    assert.equal((await mine.find({ skills: able.slice(0, 3) })).total, 8);
    assert.equal((await mine.find({ skills: ['A', 'B', 'E'] })).total, 3, 'without level, those of level 0');
    assert.equal((await mine.find({ skills: able.slice(1), locations: ['BERN'] })).total, 32);
    assert.equal((await mine.find({ skills: able.slice(1), locations: ['Zug'] })).total, 0);
    assert.equal(await mine.add('j63', { skills: ['new'] }), false);
    assert.equal((await elsewhere.find({ skills: able })).total, 63);
    assert.deepEqual((await elsewhere.explain('j63', { skills: [] }))?.missing, [
      { skill: 'new', level: 0, years: 0, has: undefined },
    ]);
    assert.equal(await elsewhere.remove('j62'), true);
    await mine.clear();
    assert.equal(await elsewhere.size(), 0);
  });

  test('ads learn from the clicks that all clients report', async (store, { space, another, failover }) => {
    const options = { prefix: space, priorViews: 5 };
    const [mine, elsewhere] = [store, await another()].map((own) => adIndex(own, 'ads', options)) as [
      ReturnType<typeof adIndex>,
      ReturnType<typeof adIndex>,
    ];
    await mine.add('clicks', { locations: ['CH'], content: 'Ski in Zürich', cpc: 1 });
    await elsewhere.add('views', { locations: ['CH', 'DE'], content: 'Money', cpm: 0.9 });
    const page = { locations: ['ch'], content: 'Where to SKI' };
    const placements = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const [placement] = await (i % 2 === 0 ? mine : elsewhere).target(page);
        assert.equal(placement?.ad, 'clicks');
        return placement.target;
      }),
    );
    const counted = await Promise.all(
      placements.flatMap((target) => [mine.click(target), elsewhere.click(target)]),
    );
    assert.equal(counted.filter(Boolean).length, 20, 'each click once');
    await failover();
    const statistics = await elsewhere.statistics('clicks');
    assert.deepEqual([statistics?.views, statistics?.clicks, statistics?.words['ski']?.events], [20, 20, 20]);
    assert.ok((statistics?.ecpm ?? 0) > 500);
    const both = await elsewhere.target({ locations: ['CH', 'DE'], content: '' }, { count: 3 });
    assert.deepEqual(
      both.map(({ ad }) => ad),
      ['clicks', 'views'],
    );
    assert.equal(await mine.remove('clicks'), true);
    assert.equal(await elsewhere.click(placements[0] as string), false);
    await mine.clear();
    assert.equal(await elsewhere.size(), 0);
  });
});
