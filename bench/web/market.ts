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
    const bestBought = (place: string, isOurs: boolean): number =>
      Math.max(
        ...MARKET_CONTENDERS.filter((contender) => contender.isOurs === isOurs).map(
          (contender) => found.get(place)?.get(contender.name)?.bought ?? 0,
        ),
      );
    console.log('\nBought: our best variant, as a multiple of the best of the guide\n');
    printTable(
      ['', 'in the same place', 'on redis-server'],
      places.map(({ name }) => [
        name,
        times(bestBought(name, true), bestBought(name, false)),
        name === 'embedded' ? times(bestBought(name, true), bestBought('redis-server', false)) : '',
      ]),
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
