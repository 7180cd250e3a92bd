import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import {
  encode,
  NoReply,
  printable,
  RawClient,
  type Reply,
  ReplyReader,
  show,
} from '../oracle/support/index.js';
import { GuardedServer } from './support/guarded-server.js';
import { HostileBytes } from './support/hostile-bytes.js';
import { HostileCommands, PREPARED } from './support/hostile-commands.js';
import { chosenSeed, runFactor } from './support/seed.js';

const MAX_MEGABYTES = 700;

const seed = chosenSeed(20_260_701);
console.log(`SORREL_SEED=${seed} repeats this run`);

describe('A server under attack', { timeout: 600_000 }, () => {
  const random = seededRandom(seed);
  const bytes = new HostileBytes(random);
  let guarded: GuardedServer;

  before(async () => {
    guarded = await GuardedServer.start();
  });
  after(() => guarded.stop());

  async function assertWell(context: string): Promise<void> {
    await guarded.assertWell(`${context}; SORREL_SEED=${seed}`);
    const megabytes = await guarded.residentMegabytes();
    assert.ok(megabytes < MAX_MEGABYTES, `${megabytes} MB are in use (${context})`);
  }

  /** Sends the pieces and ends the connection; returns everything received until the server closes. */
  async function exchange(...pieces: readonly Buffer[]): Promise<Reply[]> {
    const socket = await guarded.socket();
    const received = collected(socket);
    for (const piece of pieces) {
      if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
      socket.write(piece);
    }
    socket.end();
    return repliesIn(await received, pieces);
  }

  for (const [name, draw] of [
    ['noise', () => bytes.noise()],
    ['damaged requests', () => bytes.damaged()],
    ['requests put together at random', () => bytes.assembled()],
  ] as const) {
    it(`replies to ${name}, and closes the connection after a protocol error`, async () => {
      for (let round = 0; round < 10 * runFactor(); round++) {
        const inputs = Array.from({ length: 60 }, draw);
        await Promise.all(inputs.map((input) => exchange(input)));
        await assertWell(name);
      }
    });
  }

  it('parses requests split at any position', async () => {
    const requests = Buffer.concat([
      encode(['SET', 'key', Buffer.from('a\r\nb')]),
      Buffer.from('ECHO "in line"\r\n'),
      encode('GET key'),
    ]);
    const answers = '+OK\r\n$7\r\nin line\r\n$4\r\na\r\nb\r\n';
    for (let at = 1; at < requests.length; at++) {
      const replies = await exchange(requests.subarray(0, at), requests.subarray(at));
      assert.equal(Buffer.concat(replies.map(({ raw }) => raw)).latin1Slice(), answers, `cut at ${at}`);
    }
    await assertWell('cut requests');
  });

  it('sends the protocol error before it closes the connection', async () => {
    for (const [input, reason] of BROKEN) {
      const client = await RawClient.connect(guarded.server.port);
      client.sendRaw(Buffer.from(`PING\r\n${input}`, 'latin1'));
      assert.equal((await client.next()).raw.latin1Slice(), '+PONG\r\n');
      assert.equal(
        (await client.next()).raw.latin1Slice(),
        `-ERR Protocol error: ${reason}\r\n`,
        input.slice(0, 40),
      );
      assert.equal(await client.waitForClose(), true, input.slice(0, 40));
    }
    await assertWell('broken requests');
  });

  it('sends one reply to every command, whatever its arguments', async () => {
    const commands = new HostileCommands(random, () => true);
    for (let batch = 0; batch < 60 * runFactor(); batch++) {
      const client = await RawClient.connect(guarded.server.port, batch % 2 === 0 ? 2 : 3);
      for (const command of PREPARED) await client.call(command);
      const sent = Array.from({ length: 200 }, () => commands.next());
      client.send(...sent);
      for (const command of sent) await expectReply(client, command);
      client.close();
      await assertWell('hostile commands');
    }
  });

  it('replies to transactions of such commands', async () => {
    const commands = new HostileCommands(random, (name) => name !== 'exec' && name !== 'discard');
    for (let batch = 0; batch < 15 * runFactor(); batch++) {
      const client = await RawClient.connect(guarded.server.port);
      for (const command of PREPARED) await client.call(command);
      for (let transaction = 0; transaction < 5; transaction++) {
        const sent = ['MULTI', ...Array.from({ length: 30 }, () => commands.next()), 'EXEC', 'DISCARD'];
        client.send(...sent);
        for (const command of sent) await expectReply(client, command);
      }
      client.close();
      await assertWell('hostile transactions');
    }
  });

  it('survives clients that disconnect at any moment', async () => {
    const commands = new HostileCommands(random, () => true);
    for (let round = 0; round < 15 * runFactor(); round++) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = await guarded.socket();
          socket.write(Buffer.concat(Array.from({ length: 20 }, () => encode(commands.next()))));
          await new Promise((resolve) => setImmediate(resolve));
          if (random.next() < 0.5) socket.resetAndDestroy();
          else socket.destroy();
        }),
      );
      await assertWell('clients that leave');
    }
    await guarded.until(async () => (await guarded.figure('connected_clients')) === 1, 'all clients to go');
  });
});

async function expectReply(client: RawClient, command: Parameters<typeof show>[0]): Promise<void> {
  try {
    let reply = await client.next(60_000);
    while (reply.type === 'push') reply = await client.next(60_000);
  } catch (error) {
    if (error instanceof NoReply) error.message = `no reply to ${show(command)}; SORREL_SEED=${seed}`;
    throw error;
  }
}

function collected(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not close')), 60_000);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
}

/** Parses the replies; checks that all output is valid replies, and that nothing follows a protocol error. */
function repliesIn(output: Buffer, input: readonly Buffer[]): Reply[] {
  const reader = new ReplyReader();
  reader.push(output);
  const replies: Reply[] = [];
  for (let reply = reader.next(); reply !== undefined; reply = reader.next()) replies.push(reply);
  const context = `${printable(Buffer.concat(input))} was answered with ${printable(output)}`;
  assert.equal(reader.rest.length, 0, context);
  const broken = replies.findIndex(({ type, raw }) => type === 'error' && raw.includes('Protocol error'));
  if (broken >= 0) assert.equal(broken, replies.length - 1, context);
  return replies;
}

/** Invalid requests, and why they are invalid. */
const BROKEN: readonly (readonly [string, string])[] = [
  ['*x\r\n', 'invalid multibulk length'],
  ['*2147483648\r\n', 'invalid multibulk length'],
  ['*1\r\n$-1\r\n', 'invalid bulk length'],
  ['*1\r\n$536870913\r\n', 'invalid bulk length'],
  ['*1\r\n$4x\r\n', 'invalid bulk length'],
  ['*1\r\nPING\r\n', "expected '$', got 'P'"],
  ['*1\r\n*1\r\n', "expected '$', got '*'"],
  ['*2\r\n$4\r\nECHO\r\n:1\r\n', "expected '$', got ':'"],
  ['SET k "v\r\n', 'unbalanced quotes in request'],
  ["SET k 'v'x\r\n", 'unbalanced quotes in request'],
  ['x'.repeat(70_000), 'too big inline request'],
  [`*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
  [`*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
];
