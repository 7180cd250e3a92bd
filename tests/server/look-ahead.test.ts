import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { WORTH_LOOKING_AHEAD } from '../../src/server/connections/look-ahead.js';
import { RawClient } from '../oracle/support/raw-client.js';
import { startRedis, startSorrel, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';

const KEYS = WORTH_LOOKING_AHEAD + 5000;
const ROUNDS = 300;

/** Commands with deterministic replies on keys of which some exist. */
function draw(random: ReturnType<typeof seededRandom>): string[] {
  const key = (): string => `key:${random.integer(KEYS + 2000)}`;
  const same = key();
  const commands: (() => string[])[] = [
    () => ['GET', key()],
    () => ['SET', key(), `value ${random.integer(10)}`.repeat(random.integer(20))],
    () => ['SET', same, 'again'],
    () => ['DEL', key(), key()],
    () => ['INCR', `count:${random.integer(50)}`],
    () => ['RENAME', key(), key()],
    () => ['APPEND', same, 'x'],
    () => ['MGET', ...Array.from({ length: 12 }, key)],
    () => ['EXISTS', key(), same],
    () => ['EVAL', "return redis.call('SET', KEYS[1], 'by script')", '1', key()],
    () => ['PING'],
    () => ['SELECT', `${random.integer(2)}`],
    () => ['MULTI'],
    () => ['EXEC'],
    () => ['SWAPDB', '0', '1'],
    () => ['GET'],
    () => ['NOSUCH', key()],
  ];
  return (commands[random.integer(commands.length)] as () => string[])();
}

/** Commands on elements of the key `kind`, of which some exist. */
function drawAbout(kind: 'hash' | 'set' | 'ranking', random: ReturnType<typeof seededRandom>): string[] {
  const element = (): string => `element:${random.integer(KEYS + 2000)}`;
  const commands: Record<typeof kind, (() => string[])[]> = {
    hash: [
      () => ['HGET', kind, element()],
      () => ['HSET', kind, element(), `${random.integer(1000)}`, element(), 'two'],
      () => ['HINCRBY', kind, `count:${random.integer(9)}`, '3'],
      () => ['HDEL', kind, element(), element()],
      () => ['HLEN', kind],
    ],
    set: [
      () => ['SADD', kind, element()],
      () => ['SREM', kind, element()],
      () => ['SISMEMBER', kind, element()],
      () => ['LPUSH', kind, 'wrong type'],
    ],
    ranking: [
      () => ['ZADD', kind, `${random.integer(1000)}`, element()],
      () => ['ZADD', kind, 'XX', `${random.integer(1000)}`, element()],
      () => ['ZSCORE', kind, element()],
      () => ['ZREM', kind, element()],
      () => ['ZRANK', kind, element()],
    ],
  };
  const own = commands[kind];
  return (own[random.integer(own.length)] as () => string[])();
}

function encode(words: readonly string[], isInline: boolean): string {
  if (isInline && words.every((word) => /^[\w:]+$/.test(word))) return `${words.join(' ')}\r\n`;
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

describe('LookAhead in a server', { ...whenRedisIsInstalled }, () => {
  after(stopAllServers);

  it('sends the same replies as Redis to pipelines on many keys', { timeout: 120_000 }, async () => {
    const servers = [await startRedis(), await startSorrel()];
    const clients = await Promise.all(servers.map(({ port }) => RawClient.connect(port)));
    const random = seededRandom(20);
    const fill: string[] = [];
    for (let i = 0; i < KEYS; i++) fill.push(encode(['SET', `key:${i}`, `${i}`], false));
    for (let i = 0; i < KEYS; i += 1000) {
      const part = fill.slice(i, i + 1000);
      for (const client of clients) await ask(client, part.join(''), part.length);
    }
    for (let round = 0; round < ROUNDS; round++) {
      const count = 1 + random.integer(60);
      const commands = Array.from({ length: count }, () => draw(random));
      const input = commands.map((words) => encode(words, random.integer(10) === 0)).join('');
      const [redis, sorrel] = await Promise.all(clients.map((client) => ask(client, input, count)));
      assert.deepEqual(sorrel, redis, `round ${round}: ${JSON.stringify(commands)}`);
    }
    for (const client of clients) client.close();
  });

  it('sends the same replies as Redis to pipelines on elements of one large value', {
    timeout: 120_000,
  }, async () => {
    const servers = [await startRedis(), await startSorrel()];
    const clients = await Promise.all(servers.map(({ port }) => RawClient.connect(port)));
    const random = seededRandom(21);
    for (let i = 0; i < KEYS; i += 1000) {
      const elements = Array.from({ length: 1000 }, (_, n) => `element:${i + n}`);
      const part = [
        encode(['HSET', 'hash', ...elements.flatMap((element) => [element, 'v'])], false),
        encode(['SADD', 'set', ...elements], false),
        encode(['ZADD', 'ranking', ...elements.flatMap((element) => ['7', element])], false),
      ];
      for (const client of clients) await ask(client, part.join(''), part.length);
    }
    for (let round = 0; round < ROUNDS; round++) {
      const count = 1 + random.integer(60);
      const kind = (['hash', 'set', 'ranking'] as const)[round % 3] as 'hash' | 'set' | 'ranking';
      const commands = Array.from({ length: count }, () => drawAbout(kind, random));
      const input = commands.map((words) => encode(words, false)).join('');
      const [redis, sorrel] = await Promise.all(clients.map((client) => ask(client, input, count)));
      assert.deepEqual(sorrel, redis, `round ${round}: ${JSON.stringify(commands)}`);
    }
    for (const client of clients) client.close();
  });
});

async function ask(client: RawClient, input: string, replies: number): Promise<string[]> {
  client.sendRaw(input);
  const found: string[] = [];
  while (found.length < replies) found.push((await client.next()).raw.toString('latin1'));
  return found;
}
