/** A process of a web shop: does what its parent asks for, by message. Arguments: the port of a Redis. */
import { cached } from '../../../src/kit/cache/index.js';
import { ranking } from '../../../src/kit/rankings/index.js';
import { sessions } from '../../../src/kit/sessions/index.js';
import { open } from '../../../src/store/index.js';
import { LEASE_MS, LIMIT } from './web-crew.js';

const store = await open(`redis://127.0.0.1:${process.argv[2]}`);
const news = ranking(store, 'news');
const all = sessions(store, { limit: LIMIT });

/** Hangs in the first call ever, as a producer that is killed does. */
const slow = cached(
  store,
  async (id: string) => {
    const calls = await store.incr(`calls:${id}`);
    if (calls === 1) await store.blpop('never', 0);
    return `${id} after ${calls} calls`;
  },
  { name: 'slow', lease: LEASE_MS, wait: 60_000 },
);

const CALLS: Readonly<Record<string, (...args: never[]) => Promise<unknown>>> = {
  /** Votes for many articles; returns which votes were counted. */
  vote: async (ids: readonly string[], user: string) => {
    const outcomes = await Promise.all(ids.map((id) => news.vote(id, user)));
    return ids.filter((_, at) => outcomes[at] === 'counted');
  },
  /** Visits sessions; returns those that were there. */
  visit: async (tokens: readonly string[]) => {
    const found: string[] = [];
    for (const token of tokens) if ((await all.touch(token)) !== undefined) found.push(token);
    return found;
  },
  clean: async () => all.clean(),
  produce: async (id: string) => slow(id),
};

interface Request {
  readonly number: number;
  readonly call: string;
  readonly args: readonly never[];
}

process.on('message', async ({ number, call, args }: Request) => {
  try {
    process.send?.({ number, result: await CALLS[call]?.(...args) });
  } catch (error) {
    process.send?.({ number, error: String(error) });
  }
});
process.once('disconnect', () => process.exit(0));
process.send?.({ number: 0 });
