import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open } from '../../store/index.js';
import { type Ad, adIndex } from './index.js';

const PRIOR = 3;
const EVERY = 4;

/** The plain model of one ad. */
interface Known {
  ad: Ad;
  type: 'cpm' | 'cpc' | 'cpa';
  price: number;
  words: string[];
  views: number;
  clicks: number;
  actions: number;
  value: number;
  learnt: Map<string, { views: number; events: number; bonus: number }>;
}

/** Chooses by looking at every ad. */
class Model {
  readonly ads = new Map<string, Known>();
  readonly totals = { cpc: { views: 0, events: 0 }, cpa: { views: 0, events: 0 } };
  readonly targets = new Map<string, { id: string; words: string[]; counted: Set<string> }>();

  add(id: string, ad: Ad): boolean {
    const type = ad.cpm !== undefined ? 'cpm' : ad.cpc !== undefined ? 'cpc' : 'cpa';
    const price = (ad.cpm ?? ad.cpc ?? ad.cpa) as number;
    const words = [...new Set(ad.content.split(' ').filter((word) => word !== ''))];
    const old = this.ads.get(id);
    const kept = old?.type === type ? old : undefined;
    const learnt = new Map([...(kept?.learnt ?? [])].filter(([word]) => words.includes(word)));
    const { views = 0, clicks = 0, actions = 0 } = kept ?? {};
    this.ads.set(id, { ad, type, price, words, views, clicks, actions, value: 0, learnt });
    this.estimate(id);
    return old === undefined;
  }

  estimate(id: string): void {
    const one = this.ads.get(id) as Known;
    one.value = one.price;
    if (one.type === 'cpm') return;
    const { views, events } = this.totals[one.type];
    const average = (events + 1) / (views + 1_000);
    const rate = ((one.type === 'cpc' ? one.clicks : one.actions) + PRIOR * average) / (one.views + PRIOR);
    one.value = 1_000 * one.price * rate;
    for (const counts of one.learnt.values()) {
      counts.bonus = 1_000 * one.price * ((counts.events + PRIOR * rate) / (counts.views + PRIOR) - rate);
    }
  }

  target(locations: readonly string[], content: string, count: number) {
    const page = content.split(' ');
    return [...this.ads]
      .filter(([, { ad }]) => ad.locations.some((location) => locations.includes(location)))
      .sort(([a, one], [b, other]) => other.value - one.value || (a < b ? 1 : -1))
      .map(([id, one]) => {
        const words = one.words.filter((word) => page.includes(word));
        const bonuses = words.map((word) => one.learnt.get(word)?.bonus ?? 0);
        const bonus = words.length === 0 ? 0 : (Math.min(...bonuses) + Math.max(...bonuses)) / 2;
        return { id, words, total: one.value + bonus };
      })
      .sort((one, other) => other.total - one.total)
      .slice(0, count);
  }

  view(target: string, { id, words }: { id: string; words: string[] }): void {
    const one = this.ads.get(id) as Known;
    one.views++;
    if (one.type !== 'cpm') this.totals[one.type].views++;
    for (const word of words) {
      const counts = one.learnt.get(word) ?? { views: 0, events: 0, bonus: 0 };
      one.learnt.set(word, { ...counts, views: counts.views + 1 });
    }
    this.targets.set(target, { id, words, counted: new Set() });
    if (one.views % EVERY === 0) this.estimate(id);
  }

  record(target: string, event: 'clicks' | 'actions'): boolean {
    const known = this.targets.get(target);
    const one = known && this.ads.get(known.id);
    if (known === undefined || one === undefined || known.counted.has(event)) return false;
    known.counted.add(event);
    one[event]++;
    if ((one.type === 'cpc' && event === 'clicks') || (one.type === 'cpa' && event === 'actions')) {
      this.totals[one.type].events++;
      for (const word of known.words) {
        const counts = one.learnt.get(word);
        if (counts !== undefined) counts.events++;
      }
      this.estimate(known.id);
    }
    return true;
  }
}

const content = fc
  .array(fc.constantFrom('ski', 'snow', 'boots', 'sea', 'sun'), { maxLength: 4 })
  .map((words) => words.join(' '));
const locations = fc.uniqueArray(fc.constantFrom('ch', 'de', 'fr'), { minLength: 1, maxLength: 2 });
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const price = fc.constantFrom({ cpm: 1 }, { cpm: 40 }, { cpc: 0.5 }, { cpc: 1 }, { cpa: 1 }, { cpa: 2 });
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ add: id, locations, content, price }) },
  { weight: 1, arbitrary: fc.record({ remove: id }) },
  { weight: 6, arbitrary: fc.record({ locations, content, count: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ event: fc.constantFrom('clicks' as const, 'actions' as const), ago: fc.nat(5) }),
  },
);

describe('Ads behave like a list whose values are all computed for each page', () => {
  it('in random histories', async () => {
    await using store = await open();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const ads = adIndex(store, `r${round++}`, { priorViews: PRIOR, estimateEvery: EVERY });
        const model = new Model();
        const shown: string[] = [];
        for (const one of steps) {
          if ('add' in one) {
            const ad = { locations: one.locations, content: one.content, ...one.price } as Ad;
            assert.equal(await ads.add(one.add, ad), model.add(one.add, ad));
          } else if ('remove' in one) {
            assert.equal(await ads.remove(one.remove), model.ads.delete(one.remove));
          } else if ('event' in one) {
            const target = shown.at(-1 - one.ago) ?? 'unknown';
            const recorded = await (one.event === 'clicks' ? ads.click(target) : ads.action(target));
            assert.equal(recorded, model.record(target, one.event));
          } else {
            const found = await ads.target(
              { locations: one.locations, content: one.content },
              { count: one.count },
            );
            const expected = model.target(one.locations, one.content, one.count);
            assert.deepEqual(
              found.map(({ ad, ecpm, words }) => ({ id: ad, words, total: ecpm })),
              expected,
            );
            for (const [at, { target }] of found.entries()) {
              model.view(target, expected[at] as { id: string; words: string[] });
              shown.push(target);
            }
          }
        }
        for (const [key, { views, clicks, actions, value, learnt }] of model.ads) {
          const words = Object.fromEntries(learnt);
          assert.deepEqual(await ads.statistics(key), { views, clicks, actions, ecpm: value, words });
        }
        await ads.clear();
        await store.send('FLUSHALL');
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 100 },
    );
  });
});
