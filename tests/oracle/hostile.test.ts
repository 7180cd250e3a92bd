import { seededRandom } from '../../src/bytes/random.js';
import { HostileBytes } from '../server/support/hostile-bytes.js';
import { HostileCommands, PREPARED } from '../server/support/hostile-commands.js';
import { chosenSeed, runFactor } from '../server/support/seed.js';
import {
  type ConnectionPair,
  compareLive,
  printable,
  type RawClient,
  type Reply,
  show,
} from './support/index.js';

const seed = chosenSeed(20_260_702);

/** Input that no normal client sends gets the same replies as from Redis, byte for byte. */

for (const kind of ['noise', 'damaged', 'assembled'] as const) {
  compareLive(`input that breaks the protocol: ${kind}`, async ({ connect }) => {
    const bytes = new HostileBytes(seededRandom(seed));
    const differences: string[] = [];
    for (let i = 0; i < 200 * runFactor(); i++) {
      const input = bytes[kind]();
      const { redis, sorrel } = await connect();
      const [ofRedis, ofSorrel] = await Promise.all([output(redis, input), output(sorrel, input)]);
      if (ofRedis !== ofSorrel) {
        differences.push(`${printable(input)}\n  redis   ${ofRedis}\n  sorrel  ${ofSorrel}`);
      }
    }
    report(differences);
  });
}

compareLive('commands with meaningless arguments', async ({ connect }) => {
  const commands = new HostileCommands(seededRandom(seed), (name) => !UNPREDICTABLE.has(name));
  const differences: string[] = [];
  for (let batch = 0; batch < 30 * runFactor(); batch++) {
    const pair = await connect(batch % 2 === 0 ? 2 : 3);
    for (const command of PREPARED) await Promise.all([pair.redis.call(command), pair.sorrel.call(command)]);
    const sent = Array.from({ length: 200 }, () => commands.next()).filter(
      (command) => !setsTimeToLive(command),
    );
    const difference = await firstDifference(pair, sent);
    if (difference !== undefined) differences.push(difference);
  }
  report(differences);
});

/** The server's output for the input, until it closes the connection. */
async function output(client: RawClient, input: Buffer): Promise<string> {
  client.sendRaw(input);
  client.endWriting();
  if (!(await client.waitForClose())) return '(not closed)';
  const replies = client.takeReceived().map(({ raw }) => raw);
  client.close();
  return printable(Buffer.concat(replies));
}

/** Sends everything to both servers. After the first difference, later replies are not compared. */
async function firstDifference(pair: ConnectionPair, sent: readonly Buffer[][]): Promise<string | undefined> {
  pair.redis.send(...sent);
  pair.sorrel.send(...sent);
  for (const [i, command] of sent.entries()) {
    const [redis, sorrel] = await Promise.all([pair.redis.next(), pair.sorrel.next()]);
    if (canonical(redis) === canonical(sorrel)) continue;
    return [
      show(command),
      `  redis   ${printable(redis.raw)}`,
      `  sorrel  ${printable(sorrel.raw)}`,
      '  after',
      ...sent.slice(Math.max(0, i - 5), i).map((earlier) => `    ${show(earlier)}`),
    ].join('\n');
  }
  return undefined;
}

/** The reply without the parts that may differ: the order of hash tables, the current time, and IDs derived from it. */
function canonical(reply: Reply): string {
  if (reply.type === 'array' || reply.type === 'set' || reply.type === 'push') {
    return `${reply.type}(${reply.items.map(canonical).sort().join()})`;
  }
  if (reply.type === 'map') {
    return `map(${reply.entries
      .map((entry) => entry.map(canonical).join('='))
      .sort()
      .join()})`;
  }
  return reply.raw.latin1Slice().replaceAll(/1[789]\d{11}(-\d+)?/g, 'now');
}

/** A key with a short time to live may have expired in one server but not in the other. */
function setsTimeToLive(command: readonly Buffer[]): boolean {
  return command.some((word) => /^(ex|px|exat|pxat)$/i.test(word.latin1Slice()));
}

function report(differences: readonly string[]): void {
  if (differences.length === 0) return;
  const error = new Error(`SORREL_SEED=${seed} repeats this\n\n${differences.join('\n\n')}`);
  error.stack = '';
  throw error;
}

/** Commands whose reply or effect is random, or depends on time or on the server. */
const UNPREDICTABLE = new Set([
  ...['spop', 'srandmember', 'hrandfield', 'zrandmember', 'randomkey', 'scan', 'sscan', 'hscan', 'zscan'],
  ...['expire', 'pexpire', 'setex', 'psetex', 'ttl', 'pttl', 'expiretime', 'pexpiretime', 'time', 'lastsave'],
  ...[
    'info',
    'role',
    'lolwut',
    'dump',
    'pfselftest',
    'config|get',
    'command',
    'command|docs',
    'command|info',
  ],
  ...[
    'command|list',
    'command|count',
    'object|freq',
    'object|idletime',
    'sort',
    'sort_ro',
    'xautoclaim',
    'xclaim',
  ],
  ...['xpending', 'xinfo|consumers'],
  ...['client|id', 'client|list', 'client|info', 'memory|stats', 'memory|usage', 'memory|doctor'],
  ...['memory|malloc-stats', 'latency|histogram', 'latency|history', 'latency|latest', 'latency|doctor'],
  ...['slowlog|get', 'slowlog|len'],
]);
