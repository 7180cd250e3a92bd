import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ManualClock, open } from '../../src/store/index.js';
import type { Protocol } from '../oracle/support/index.js';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import type { Example, TestedStore } from './example.js';
import { examples } from './examples.js';
import { variants } from './variants.js';
import { type Exchange, engineExchange, serverExchange, type WireForm, WireStore } from './wire-store.js';

const START_MS = 1_700_000_000_123;
const PROTOCOLS: readonly Protocol[] = [2, 3];
const all = [...examples, ...variants];
const anywhere = all.filter(({ onlyEmbedded }) => onlyEmbedded === undefined);

function storeOn(exchange: Exchange, form?: WireForm): TestedStore {
  const store: unknown = new WireStore(exchange, form);
  return store as TestedStore;
}

async function run(
  { given, call, expectation }: Example,
  store: TestedStore,
  seen: (result: unknown) => unknown = (result) => result,
): Promise<void> {
  for (const each of given) await each(store);
  if (expectation.kind === 'throws') {
    await assert.rejects(call(store), (error: Error) => error.message.includes(expectation.text));
    return;
  }
  const result = seen(await call(store));
  if (expectation.kind === 'result') assert.deepEqual(result, expectation.result);
  else assert.ok(expectation.holds(result), `not as expected: ${JSON.stringify(result)}`);
}

/** A test for each example. */
function itGivesWhatItDocuments(
  list: readonly Example[],
  inStore: (example: Example) => Promise<void>,
): void {
  for (const example of list) it(`gives what it documents: ${example.name}`, () => inStore(example));
}

for (const protocol of PROTOCOLS) {
  describe(`each typed command, on an engine with RESP${protocol}`, () => {
    itGivesWhatItDocuments(all, async (example) => {
      const exchange = engineExchange(protocol, START_MS);
      await run(example, storeOn(exchange)).finally(exchange.close);
    });
  });
}

describe('each typed command, with strings as bytes and integers as bigint', () => {
  for (const protocol of PROTOCOLS) {
    describe(`with RESP${protocol}`, () => {
      itGivesWhatItDocuments(all, async (example) => {
        const exchange = engineExchange(protocol, START_MS);
        await run(example, storeOn(exchange, { bytes: true, exact: true }), asText).finally(exchange.close);
      });
    });
  }
});

/** The same with bytes as text and big integers as numbers. */
function asText(result: unknown): unknown {
  if (Buffer.isBuffer(result)) return result.toString();
  if (typeof result === 'bigint') return Number(result);
  if (Array.isArray(result)) return result.map(asText);
  if (typeof result !== 'object' || result === null || result instanceof Date) return result;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, asText(value)]));
}

describe('each typed command, on an embedded store', () => {
  itGivesWhatItDocuments(all, async (example) => {
    await using store = await open('memory:', { clock: new ManualClock(START_MS) });
    await run(example, store);
  });
});

describe('each typed command, on redis-server', whenRedisIsInstalled, () => {
  let redis: Server;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  for (const protocol of PROTOCOLS) {
    describe(`with RESP${protocol}`, () => {
      itGivesWhatItDocuments(anywhere, async (example) => {
        const exchange = await serverExchange(redis.port, protocol);
        const store = storeOn(exchange);
        await makeNew(store);
        await run(example, store).finally(exchange.close);
      });
    });
  }

  describe('through a store', () => {
    itGivesWhatItDocuments(anywhere, async (example) => {
      await using store = await open(`redis://127.0.0.1:${redis.port}`);
      await makeNew(store);
      await run(example, store);
    });
  });
});

/** Leaves nothing of the examples before. */
async function makeNew(store: TestedStore): Promise<void> {
  await store.flushall();
  await store.functionFlush();
  await store.scriptFlush();
  await store.configSet({
    maxmemory: 0,
    'maxmemory-policy': 'noeviction',
    'slowlog-log-slower-than': 10_000,
  });
}
