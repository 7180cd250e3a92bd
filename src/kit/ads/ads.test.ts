import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type Store } from '../../store/index.js';
import { type AdIndex, adIndex, ecpm } from './index.js';

const PAGE = { locations: ['CH'], content: 'Where to ski' };

async function best(ads: AdIndex, page = PAGE): Promise<string | undefined> {
  const [placement] = await ads.target(page);
  return placement?.ad;
}

/** Shows an ad to readers; some of them click. */
async function show(ads: AdIndex, views: number, clicks: number, page = PAGE): Promise<void> {
  for (let i = 0; i < views; i++) {
    const [placement] = await ads.target(page);
    if (i < clicks && placement !== undefined) await ads.click(placement.target);
  }
}

async function keys(store: Store): Promise<string[]> {
  return ((await store.send('KEYS', '*')) as string[]).sort();
}

describe('Ads', () => {
  it('run the example of their documentation', async () => {
    await using store = await open();
    const ads = adIndex(store, 'site');
    assert.equal(await ads.add('skis', { locations: ['CH'], content: 'Ski boots and skis', cpc: 0.5 }), true);
    const [placement] = await ads.target({ locations: ['CH'], content: 'Where to ski' });
    assert.equal(placement?.ad, 'skis');
    assert.deepEqual(placement.words, ['ski']);
    assert.equal(ecpm({ cpm: 2 }, { views: 5_000 }), 2);
    assert.equal(ecpm({ cpc: 0.25 }, { views: 5_000, events: 60 }), 3);
    assert.equal(ecpm({ cpa: 3 }, { views: 5_000, events: 8 }), 4.8);
    assert.equal(ecpm({ cpa: 3 }, { views: 0 }), 0);
  });

  it('are chosen by location and by what a thousand views earn', async () => {
    await using store = await open();
    const ads = adIndex(store, 'site');
    // Nothing is known yet: one click or action in a thousand views.
    await ads.add('views', { locations: ['CH'], content: 'x', cpm: 1 });
    await ads.add('clicks', { locations: ['CH', 'Zürich'], content: 'x', cpc: 2 });
    await ads.add('actions', { locations: ['DE'], content: 'x', cpa: 3 });
    assert.equal(await best(ads), 'clicks');
    assert.equal(await best(ads, { locations: ['de', 'ch'], content: '' }), 'actions');
    assert.equal(await best(ads, { locations: ['ZURICH'], content: '' }), 'clicks');
    assert.equal(await best(ads, { locations: ['FR'], content: 'x' }), undefined);
    assert.equal(await best(ads, { locations: [], content: 'x' }), undefined);
    const three = await ads.target({ locations: ['CH', 'DE', 'Zürich'], content: '' }, { count: 5 });
    assert.deepEqual(
      three.map(({ ad, ecpm: value }) => [ad, Math.round(value)]),
      [
        ['actions', 3],
        ['clicks', 2],
        ['views', 1],
      ],
    );
    await ads.add('clicks', { locations: ['Zürich'], content: 'x', cpc: 2 });
    assert.equal(await best(ads), 'views', 'it is not in its old location any more');
    assert.deepEqual(await ads.get('views'), { locations: ['CH'], content: 'x', cpm: 1 });
    assert.equal(await ads.remove('views'), true);
    assert.equal(await ads.remove('views'), false);
    assert.equal(await best(ads), undefined);
    assert.equal(await ads.size(), 2);
  });

  it('learn from clicks, and are worth less without them', async () => {
    await using store = await open();
    const ads = adIndex(store, 'site', { priorViews: 50, estimateEvery: 10 });
    await ads.add('poor', { locations: ['CH'], content: 'x', cpc: 1 });
    const before = (await ads.statistics('poor'))?.ecpm ?? 0;
    await show(ads, 100, 0);
    const after = (await ads.statistics('poor'))?.ecpm ?? 0;
    assert.ok(after < before, `${after} after 100 views without a click, ${before} before`);
    await show(ads, 1_000, 500);
    const {
      views,
      clicks,
      ecpm: value,
    } = (await ads.statistics('poor')) as { views: number; clicks: number; ecpm: number };
    assert.deepEqual([views, clicks], [1_100, 500]);
    const exact = ecpm({ cpc: 1 }, { views, events: clicks });
    assert.ok(Math.abs(value - exact) / exact < 0.05, `${value} is near ${exact}`);
    // Other ads of the kind begin with the average, in this and any other process.
    const elsewhere = adIndex(store, 'site', { priorViews: 50, estimateEvery: 10 });
    await elsewhere.add('new', { locations: ['DE'], content: 'x', cpc: 1 });
    const average = (await ads.statistics('new'))?.ecpm ?? 0;
    assert.ok(
      Math.abs(average - (1_000 * 501) / 2_100) < 1e-9,
      `${average} is the average of all ads by click`,
    );
  });

  it('earn a bonus from the words of pages on which they are clicked', async () => {
    await using store = await open();
    const ads = adIndex(store, 'site', { estimateEvery: 1 });
    await ads.add('boots', { locations: ['CH'], content: 'boots ski hiking', cpc: 1 });
    const [skiing, hiking] = ['all about ski', 'hiking in summer'].map((content) => ({
      locations: ['CH'],
      content,
    })) as [typeof PAGE, typeof PAGE];
    await show(ads, 200, 100, skiing);
    await show(ads, 200, 0, hiking);
    const { words, ecpm: value } = (await ads.statistics('boots')) as NonNullable<
      Awaited<ReturnType<AdIndex['statistics']>>
    >;
    assert.deepEqual(Object.keys(words).sort(), ['hiking', 'ski']);
    assert.ok((words['ski']?.bonus ?? 0) > 0 && (words['hiking']?.bonus ?? 0) < 0);
    assert.deepEqual([words['ski']?.views, words['ski']?.events, words['hiking']?.events], [200, 100, 0]);
    // Another ad is worth the same everywhere: it wins where ours has a malus, and loses where it has a bonus.
    await ads.add('other', { locations: ['CH'], content: 'other', cpm: value });
    assert.equal(await best(ads, skiing), 'boots');
    assert.equal(await best(ads, hiking), 'other');
    const [both] = await ads.target({ locations: ['CH'], content: 'ski and hiking' }, { count: 2 });
    const mean = ((words['ski']?.bonus ?? 0) + (words['hiking']?.bonus ?? 0)) / 2;
    assert.equal(both?.ad, mean > 0 ? 'boots' : 'other');
  });

  it('count a click and an action once, and only for some time', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    const ads = adIndex(store, 'site', { keepTargets: 1_000 });
    await ads.add('a', { locations: ['CH'], content: 'ski', cpa: 1 });
    const [one] = await ads.target(PAGE);
    const [two] = await ads.target(PAGE);
    assert.deepEqual([await ads.click(one!.target), await ads.click(one!.target)], [true, false]);
    await clock.run(900);
    assert.deepEqual([await ads.click(two!.target), await ads.action(one!.target)], [true, true]);
    assert.equal(await ads.action(one!.target), false);
    await clock.run(999);
    assert.equal(await ads.action(two!.target), true, 'a click begins the time again');
    await clock.run(1_001);
    assert.equal(await ads.click('unknown'), false);
    assert.equal(await ads.action(two!.target), false);
    const { views, clicks, actions, words } = (await ads.statistics('a')) as NonNullable<
      Awaited<ReturnType<AdIndex['statistics']>>
    >;
    assert.deepEqual([views, clicks, actions, words['ski']?.events], [2, 2, 2, 2]);
    const [last] = await ads.target(PAGE);
    await ads.remove('a');
    assert.equal(await ads.click(last!.target), false, 'the ad is gone');
    assert.equal(await ads.statistics('a'), undefined);
  });

  it('keep what was learnt when their price changes, and forget it with its kind', async () => {
    await using store = await open();
    const ads = adIndex(store, 'site');
    await ads.add('a', { locations: ['CH'], content: 'ski snow', cpc: 1 });
    await show(ads, 20, 10, { locations: ['CH'], content: 'ski snow' });
    const { ecpm: before } = (await ads.statistics('a')) as { ecpm: number };
    assert.equal(await ads.add('a', { locations: ['CH'], content: 'ski summer', cpc: 2 }), false);
    const after = await ads.statistics('a');
    assert.equal(after?.clicks, 10);
    assert.ok(Math.abs((after?.ecpm ?? 0) / before - 2) < 0.3);
    assert.deepEqual(Object.keys(after?.words ?? {}), ['ski']);
    await ads.add('a', { locations: ['CH'], content: 'ski', cpa: 2 });
    const fresh = await ads.statistics('a');
    assert.deepEqual([fresh?.views, fresh?.words], [0, {}]);
    await ads.clear();
    assert.deepEqual(
      (await keys(store)).filter((key) => !key.includes(':target:')),
      [],
    );
  });
});
