import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineClient } from '../../../tests/support/engine-client.js';
import { Engine } from '../engine.js';
import { COUNTING_COMMANDS } from './quick-commands.js';

/** A request of each command that visits all elements of the collections that `fill` creates. */
const REQUESTS: Readonly<Record<string, string>> = {
  hgetall: 'HGETALL hash',
  hkeys: 'HKEYS hash',
  hvals: 'HVALS hash',
  lrange: 'LRANGE list 0 -1',
  smembers: 'SMEMBERS set',
  zrange: 'ZRANGE sorted 0 -1',
  zrangebylex: 'ZRANGEBYLEX sorted - +',
  zrangebyscore: 'ZRANGEBYSCORE sorted -inf +inf',
  zrevrange: 'ZREVRANGE sorted 0 -1',
  zrevrangebylex: 'ZREVRANGEBYLEX sorted + -',
  zrevrangebyscore: 'ZREVRANGEBYSCORE sorted +inf -inf',
};

function fill(client: EngineClient, elements: number): void {
  const all = Array.from({ length: elements }, (_, i) => `e${i}`);
  client.run(
    `HSET hash ${all.map((each) => `${each} v`).join(' ')}`,
    `RPUSH list ${all.join(' ')}`,
    `SADD set ${all.join(' ')}`,
    `ZADD sorted ${all.map((each) => `0 ${each}`).join(' ')}`,
  );
}

/** Whether the clock was read while the command ran. */
function isTimed(client: EngineClient, request: string): boolean {
  const { now } = performance;
  let reads = 0;
  performance.now = () => {
    reads++;
    return now.call(performance);
  };
  try {
    client.run(request);
  } finally {
    performance.now = now;
  }
  return reads > BASE_READS;
}

/** A turn of the engine reads the clock at its begin and its end. */
const BASE_READS = 2;

test('commands that declare their elements are timed if these are many, and only then', () => {
  assert.deepEqual(Object.keys(REQUESTS), [...COUNTING_COMMANDS]);
  for (const [elements, timed] of [
    [5, false],
    [2000, true],
  ] as const) {
    const client = new EngineClient(new Engine());
    fill(client, elements);
    for (const request of Object.values(REQUESTS)) {
      assert.equal(isTimed(client, request), timed, `${request} of ${elements}`);
    }
  }
});

test('a range near either end of a long list is not timed, and one in its middle is', () => {
  const client = new EngineClient(new Engine());
  fill(client, 2000);
  assert.equal(isTimed(client, 'LRANGE list 0 9'), false);
  assert.equal(isTimed(client, 'LRANGE list -10 -1'), false);
  assert.equal(isTimed(client, 'LRANGE list 1000 1009'), true);
});
