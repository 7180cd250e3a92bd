import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Commands } from '../../src/store/commands/index.js';
import type { DefaultShape } from '../../src/store/value.js';
import type { Protocol } from '../oracle/support/index.js';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import type { Example } from './example.js';
import { examples } from './examples.js';
import { variants } from './variants.js';
import { type Exchange, engineExchange, serverExchange, WireStore } from './wire-store.js';

const all = [...examples, ...variants];
const PROTOCOLS: readonly Protocol[] = [2, 3];

function storeOn(exchange: Exchange): Commands<DefaultShape> {
  const store: unknown = new WireStore(exchange);
  return store as Commands<DefaultShape>;
}

async function run({ given, call, expectation }: Example, store: Commands<DefaultShape>): Promise<void> {
  for (const each of given) await each(store);
  if (expectation.kind === 'throws') {
    await assert.rejects(call(store), (error: Error) => error.message.includes(expectation.text));
    return;
  }
  const result = await call(store);
  if (expectation.kind === 'result') assert.deepEqual(result, expectation.result);
  else assert.ok(expectation.holds(result), `not as expected: ${JSON.stringify(result)}`);
}

for (const protocol of PROTOCOLS) {
  describe(`each typed command, on an engine with RESP${protocol}`, () => {
    for (const example of all) {
      it(`gives what it documents: ${example.name}`, async () => {
        const exchange = engineExchange(protocol);
        await run(example, storeOn(exchange)).finally(exchange.close);
      });
    }
  });

  describe(
    `the example of each typed command, on redis-server with RESP${protocol}`,
    whenRedisIsInstalled,
    () => {
      let redis: Server;
      before(async () => {
        redis = await startRedis();
      });
      after(() => redis.stop());

      for (const example of all.filter(({ onlyEmbedded }) => onlyEmbedded === undefined)) {
        it(`gives what it documents: ${example.name}`, async () => {
          const exchange = await serverExchange(redis.port, protocol);
          const store = storeOn(exchange);
          await store.flushall();
          await store.functionFlush();
          await store.configSet({
            maxmemory: 0,
            'maxmemory-policy': 'noeviction',
            'slowlog-log-slower-than': 10_000,
          });
          await run(example, store).finally(exchange.close);
        });
      }
    },
  );
}
