/** Five clients that list items and five that buy them: the variants of the guide and ours. */
import { randomUUID } from 'node:crypto';
import {
  MARKET_CONTENDERS,
  type MarketContender,
  type Offer,
  type Trader,
} from '../support/market-contenders.js';
import { printTable, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { inRounds, prove, type Score, times, type WebPart } from '../support/web-part.js';

const LISTERS = 5;
const BUYERS = 5;
const MONEY = 1_000_000_000;
const VARIANTS = ['WATCH', 'lock', 'fine-lock', 'script'] as const;
const USERS = [
  ...Array.from({ length: LISTERS }, (_, i) => `seller ${i}`),
  ...Array.from({ length: BUYERS }, (_, i) => `buyer ${i}`),
];

type MarketScore = Score<'listed' | 'bought' | 'retries' | 'wait'>;

export const part: WebPart = {
  about: '5 clients list and 5 buy: listed, bought and repeated in 60 s, average wait for a purchase',
  async run({ places, rounds, seconds }) {
    const found = new Map<string, ReadonlyMap<string, MarketScore>>();
    for (const place of places) {
      found.set(
        place.name,
        await inRounds(`market, ${place.name}`, rounds, MARKET_CONTENDERS, (contender) =>
          race(contender, place, seconds),
        ),
      );
    }
    for (const { name } of places) {
      console.log(`\n${name}, measured for ${seconds} s\n`);
      printTable(
        ['', 'listed', 'bought', 'retries', 'wait, ms'],
        MARKET_CONTENDERS.map((contender) => {
          const scores = found.get(name) as ReadonlyMap<string, MarketScore>;
          const { listed, bought, retries, wait } = scores.get(contender.name) as MarketScore;
          return [contender.name, thousands(listed), thousands(bought), thousands(retries), wait.toFixed(3)];
        }),
      );
    }
    const bought = (place: string, contender: string): number =>
      found.get(place)?.get(contender)?.bought ?? 0;
    const best = (place: string, isOurs: boolean): number =>
      Math.max(
        ...MARKET_CONTENDERS.filter((contender) => contender.isOurs === isOurs).map(({ name }) =>
          bought(place, name),
        ),
      );
    console.log(
      "\nBought, as a multiple of the guide's: each variant with the same one, and the best with the best\n",
    );
    const ratios = (ours: (place: string) => number, theirs: (place: string) => number): string[] => [
      ...places.map(({ name }) => times(ours(name), theirs(name))),
      times(ours('embedded'), theirs('redis-server')),
    ];
    printTable(
      ['', ...places.map(({ name }) => name), 'embedded to redis-server'],
      [
        ...VARIANTS.map((variant) => [
          variant,
          ...ratios(
            (place) => bought(place, `ours, ${variant}`),
            (place) => bought(place, `guide, ${variant}`),
          ),
        ]),
        [
          'best',
          ...ratios(
            (place) => best(place, true),
            (place) => best(place, false),
          ),
        ],
      ],
    );
    console.log(
      "\nThe guide's lock has no lease (a client that dies closes the market), its inventories are sets (the second of two equal items is\n" +
        'lost), and its listings have no id: a listing is the item and its seller. In this race neither matters: every item has a name of its own.',
    );
  },
};

async function race(contender: MarketContender, place: Place, seconds: number): Promise<MarketScore> {
  const space = `m${randomUUID()}`;
  await contender.prepare(place, space, USERS, MONEY);
  let retries = 0;
  const traders = await Promise.all(USERS.map(() => contender.connect(place, space, () => retries++)));
  const offers: Offer[] = [];
  /** Buyers that wait for an offer. They must not poll: that would take time from the others. */
  const waiting: (() => void)[] = [];
  let [listed, bought, waited] = [0, 0, 0];
  const end = performance.now() + seconds * 1_000;
  const isOver = (): boolean => performance.now() >= end;
  // Embedded calls never wait, so that other clients would not run.
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  async function sell(trader: Trader, seller: string): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      offers.push(await trader.list(seller, 1 + (i % 100)));
      waiting.shift()?.();
      listed++;
      if (i % 20 === 0) await turn();
    }
    for (const goOn of waiting.splice(0)) goOn();
  }

  async function buy(trader: Trader, buyer: string): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const offer = offers.shift();
      if (offer === undefined) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      const start = performance.now();
      prove(await trader.buy(buyer, offer), `${contender.name} did not sell ${offer.id}`);
      waited += performance.now() - start;
      bought++;
      if (i % 20 === 0) await turn();
    }
  }

  await Promise.all(
    traders.map((trader, i) => {
      const user = USERS[i] as string;
      return i < LISTERS ? sell(trader, user) : buy(trader, user);
    }),
  );
  await Promise.all(traders.map((trader) => trader.close()));
  const { money, owned, forSale } = await contender.count(place, space, USERS);
  prove(money === MONEY * USERS.length, `${contender.name}: the money is ${money}`);
  prove(
    owned === bought && forSale === listed - bought,
    `${contender.name}: ${owned} sold, ${forSale} for sale`,
  );
  const scale = 60 / seconds;
  return {
    listed: listed * scale,
    bought: bought * scale,
    retries: retries * scale,
    wait: waited / Math.max(1, bought),
  };
}
