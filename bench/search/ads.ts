/** The ad for a page, with the view that is counted. */
import type * as adKit from '../../src/kit/ads/index.js';
import { built } from '../support/built.js';
import { median, option, printTable, progress, thousands } from '../support/measure.js';
import { embeddedPlace, type Place, redisPlace } from '../support/place.js';
import { clockOf, exponent, inBulk, microsOf, shown } from '../support/query-times.js';
import { randomFrom } from '../support/search-documents.js';
import type { SearchPart } from '../support/search-part.js';
import { prove } from '../support/web-part.js';

const { adIndex } = await built<typeof adKit>('kit/ads/index.js');

const adCount = option('ads', 10_000);
const rounds = option('rounds', 3);
/** Views from which the index learns, of which one in twenty is clicked. */
const views = option('views', 5_000);

interface KnownAd {
  readonly id: string;
  readonly locations: readonly string[];
  readonly content: string;
  readonly price: { readonly cpm: number };
}

export const part: SearchPart = {
  about: '10 words each of 2,000, 20 locations; pages of 100 words; time of a choice with its view',
  async run() {
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
        [`after ${thousands(views)} views and ${thousands(views / 20)} clicks`, learnt],
      ] as const) {
        const [small, large] = values as [number, number];
        rows.push([`${name}, ${kind}`, shown(small), shown(large), exponent(small, large)]);
      }
    }
    progress('');
    printTable(['', `${thousands(adCount / 10)} ads`, `${thousands(adCount)} ads`, 'exponent'], rows);
  },
};

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
  const known = Array.from({ length: number }, (_, i): KnownAd => {
    const price = [{ cpm: 1 + random() }, { cpc: 0.5 + random() }, { cpa: 1 + 5 * random() }][i % 3] as {
      cpm: number;
    };
    return { id: `a${i}`, locations: [...new Set([locationOf(), locationOf()])], content: textOf(10), price };
  });
  await inBulk(
    known,
    200,
    ({ id, locations, content, price }) => ads.add(id, { locations, content, ...price }),
    (done) => progress(`ads, ${name}: ${thousands(done)} of ${thousands(number)} added`),
  );
  const pages = Array.from({ length: 200 }, () => ({
    locations: [locationOf(), 'none'],
    content: textOf(100),
  }));
  const target = (page: (typeof pages)[number]) => ads.target(page);
  const now = clockOf(place);
  const before = await microsOf(now, pages, target);
  for (let i = 0; i < views; i++) {
    progress(`ads, ${name}, ${thousands(number)} ads: view ${thousands(i)} of ${thousands(views)}`);
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
  known: readonly KnownAd[],
  { locations, content }: { readonly locations: string[]; readonly content: string },
): Promise<void> {
  const page = new Set(content.split(' '));
  let best = 0;
  const near = known.filter((ad) => ad.locations.some((location) => locations.includes(location)));
  const look = async (ad: KnownAd): Promise<void> => {
    const { ecpm = 0, words = {} } = (await ads.statistics(ad.id)) ?? {};
    const common = [...new Set(ad.content.split(' '))].filter((word) => page.has(word));
    const bonuses = common.map((word) => words[word]?.bonus ?? 0);
    const bonus = bonuses.length === 0 ? 0 : (Math.min(...bonuses) + Math.max(...bonuses)) / 2;
    best = Math.max(best, ecpm + bonus);
  };
  await inBulk(near, 200, look, () => {});
  const [placement] = await ads.target({ locations, content });
  prove(
    placement !== undefined && Math.abs(placement.ecpm - best) < 1e-9,
    `the ad chosen earns ${placement?.ecpm}, not ${best}`,
  );
}
