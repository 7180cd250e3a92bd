import { randomUUID } from 'node:crypto';
import { type MarketVariant, market } from '../../kit/market/index.js';
import type { Store } from '../../store/index.js';
import { inSteps, type Lab, type LabSetting, oneValue, SECONDS, turn, withClients } from './lab.js';
import { acquirePlainLock, insist, releaseWithWatch } from './listings/locks.js';
import { listByHand, purchaseByWatch, purchaseUnderLock, scriptedMarket } from './listings/market.js';

interface Offer {
  readonly id: string;
  readonly seller: string;
  readonly price: number;
}

/** One client of a market. */
interface Trader {
  list(seller: string, price: number): Promise<Offer>;
  /** False if it was not bought. */
  buy(buyer: string, offer: Offer): Promise<boolean>;
}

interface Contender {
  readonly name: string;
  readonly isOurs: boolean;
  deposit(store: Store, space: string, user: string): Promise<unknown>;
  connect(store: Store, space: string, onRetry: () => void): Trader;
}

const MONEY = 1_000_000_000;
const MANY_ATTEMPTS = 1_000_000;
const MAX_WAIT_MS = 600_000;

function ours(variant: MarketVariant): Contender {
  return {
    name: `ours, ${variant}`,
    isOurs: true,
    deposit: (store, space, user) => market(store, space, { onWarning: () => {} }).deposit(user, MONEY),
    connect: (store, space, onRetry) => {
      const options = { variant, onRetry, attempts: MANY_ATTEMPTS, wait: MAX_WAIT_MS, onWarning: () => {} };
      const own = market(store, space, options);
      return {
        async list(seller, price) {
          await own.give(seller, 'item');
          const result = await own.list(seller, 'item', price);
          return { id: result.outcome === 'listed' ? result.id : '', seller, price };
        },
        buy: async (buyer, { id, price }) => (await own.purchase(buyer, id, price)).outcome === 'bought',
      };
    },
  };
}

type Buy = (
  store: Store,
  space: string,
  buyer: string,
  offer: Offer,
  onRetry: () => void,
) => Promise<boolean>;

function byHand(name: string, buy: Buy): Contender {
  return {
    name,
    isOurs: false,
    deposit: (store, space, user) => store.send('HSET', `${space}users:${user}`, 'funds', MONEY),
    connect: (store, space, onRetry) => ({
      async list(seller, price) {
        const id = randomUUID();
        await store.send('SADD', `${space}inventory:${seller}`, id);
        if (name === SCRIPT) await scriptedMarket(store, space).list(id, seller, price);
        else await listByHand(store, id, seller, price, space);
        return { id, seller, price };
      },
      buy: (buyer, offer) => buy(store, space, buyer, offer, onRetry),
    }),
  };
}

/** The plain lock, deleted under WATCH by its owner. */
async function underLock(store: Store, name: string, work: () => Promise<boolean>): Promise<boolean> {
  const identifier = await insist(() => acquirePlainLock(store, name));
  try {
    return await work();
  } finally {
    await releaseWithWatch(store, name, identifier);
  }
}

const SCRIPT = 'guide, script';

const GUIDE: readonly Contender[] = [
  byHand('guide, watch', (store, space, buyer, { id, seller, price }, onRetry) => {
    let isFirst = true;
    const onLook = async (): Promise<void> => {
      if (!isFirst) onRetry();
      isFirst = false;
    };
    return purchaseByWatch(store, { buyer, item: id, seller, price, space }, onLook, MANY_ATTEMPTS);
  }),
  byHand('guide, lock', (store, space, buyer, { id, seller, price }) =>
    underLock(store, `${space}market`, () =>
      purchaseUnderLock(store, { buyer, item: id, seller, price, space }),
    ),
  ),
  byHand('guide, fine-lock', (store, space, buyer, { id, seller, price }) =>
    underLock(store, `${space}${id}`, () =>
      purchaseUnderLock(store, { buyer, item: id, seller, price, space }),
    ),
  ),
  byHand(SCRIPT, (store, space, buyer, { id, seller, price }) =>
    scriptedMarket(store, space).purchase({ buyer, item: id, seller, price, space }),
  ),
];

const VARIANTS: readonly MarketVariant[] = ['watch', 'lock', 'fine-lock', 'script'];
/** Bought in 60 s by five buyers, with five sellers. */
const PUBLISHED = [600, 20_500, 111_000, 480_000];

interface Score {
  readonly listed: number;
  readonly bought: number;
  readonly retries: number;
  readonly wait: number;
}

/** Before the time that counts: code is compiled in it. */
const MAX_WARM_UP_S = 0.5;

async function measure(setting: LabSetting, contender: Contender): Promise<Score> {
  const seconds = oneValue(setting, 'seconds');
  await trade(setting, contender, Math.min(seconds, MAX_WARM_UP_S));
  return trade(setting, contender, seconds);
}

async function trade(setting: LabSetting, contender: Contender, seconds: number): Promise<Score> {
  const { store, signal } = setting;
  const [sellers, buyers] = [oneValue(setting, 'sellers'), oneValue(setting, 'buyers')];
  const space = `${setting.space}-${contender.name.replace(/\W+/g, '-')}-`;
  const users = Array.from({ length: sellers + buyers }, (_, i) =>
    i < sellers ? `seller ${i}` : `buyer ${i}`,
  );
  for (const user of users) await contender.deposit(store, space, user);
  let [listed, bought, retries, waited] = [0, 0, 0, 0];
  const offers: Offer[] = [];
  let [start, end] = [0, 0];
  const isOver = (): boolean => performance.now() >= end || signal.aborted;

  async function sell(trader: Trader, seller: string): Promise<void> {
    for (let i = 0; i === 0 || !isOver(); i++) {
      offers.push(await trader.list(seller, 1 + (i % 100)));
      listed++;
      if (i % 20 === 0) await turn();
    }
  }

  async function buy(trader: Trader, buyer: string): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const offer = offers.shift();
      if (offer === undefined) {
        await turn();
        continue;
      }
      const askedAt = performance.now();
      if (await trader.buy(buyer, offer)) bought++;
      waited += performance.now() - askedAt;
      if (i % 20 === 0) await turn();
    }
  }

  await withClients(store, users.length, async (clients) => {
    const traders = clients.map((client) => contender.connect(client, space, () => retries++));
    start = performance.now();
    end = start + seconds * 1_000;
    await Promise.all(
      traders.map((trader, i) => (i < sellers ? sell(trader, users[i] ?? '') : buy(trader, users[i] ?? ''))),
    );
  });
  const scale = 60_000 / (performance.now() - start);
  const wait = waited / Math.max(1, bought);
  return { listed: listed * scale, bought: bought * scale, retries: retries * scale, wait };
}

/** The experiment on markets. */
export const marketLab: Lab = {
  name: 'market',
  title: 'Market',
  about:
    'Clients list items and others buy them, made safe in four ways: WATCH, a lock, a lock for each item, a script.',
  isOwnPlace: false,
  parameters: [
    { name: 'sellers', label: 'Sellers', values: [5], min: 1, max: 50, isWhole: true },
    { name: 'buyers', label: 'Buyers', values: [5], min: 1, max: 50, isWhole: true },
    SECONDS,
  ],
  run(setting) {
    const scores = new Map<string, Score>();
    const contenders = VARIANTS.flatMap((variant, i) => [GUIDE[i] as Contender, ours(variant)]);
    const steps = contenders.map((contender) => ({
      doing: contender.name,
      run: async () => void scores.set(contender.name, await measure(setting, contender)),
    }));
    const boughtBy = (isOurs: boolean): (number | null)[] =>
      contenders
        .filter((contender) => contender.isOurs === isOurs)
        .map(({ name }) => scores.get(name)?.bought ?? null);
    return inSteps(steps, setting.signal, () => ({
      charts: [
        {
          ...{ title: 'Bought in 60 s', unit: 'purchases', axis: 'way', positions: VARIANTS },
          series: [
            { label: 'guide', kind: 'guide', values: boughtBy(false) },
            { label: 'ours', kind: 'ours', values: boughtBy(true) },
            { label: 'published', kind: 'published', values: PUBLISHED },
          ],
        },
      ],
      tables: [
        {
          title: 'In 60 s',
          columns: ['way', 'listed', 'bought', 'tried again', 'wait for a purchase, ms'],
          rows: contenders.flatMap(({ name }) => {
            const score = scores.get(name);
            if (score === undefined) return [];
            const { listed, bought, retries, wait } = score;
            return [[name, whole(listed), whole(bought), whole(retries), wait.toFixed(2)]];
          }),
        },
      ],
    }));
  },
};

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');
