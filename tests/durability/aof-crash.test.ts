import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { ConnectionClosed, RawClient } from '../oracle/support/raw-client.js';
import { plain } from '../oracle/support/reply.js';
import { type Server, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { temporaryFolder } from './support/aof.js';

/*
 * The server is killed with -9 under load, again and again on the same folder, and what clients were told is looked for
 * after each restart. When it happens is counted in replies, not in time: `npm run test:crash` has more rounds.
 */

const ROUNDS = Number(process.env['SORREL_CRASH_ROUNDS'] ?? 8);
const SEED = Number(process.env['SORREL_CRASH_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 4;
/** What `everysec` may lose at most, in ms. */
const EVERYSEC_LOSS_MS = 2000;

after(stopAllServers);

/** Adds to a counter and a list in transactions, several of them on their way at once, and remembers what was answered. */
class Writer {
  readonly counter: string;
  readonly list: string;
  sent = 0;
  /** How many were answered, at which time. */
  acknowledged: { readonly at: number; readonly count: number }[] = [{ at: 0, count: 0 }];

  constructor(index: number) {
    this.counter = `counter:${index}`;
    this.list = `list:${index}`;
  }

  get count(): number {
    return (this.acknowledged.at(-1) as { count: number }).count;
  }

  /** Until the connection ends. */
  async run(port: number, random: RandomSource, onAnswer: () => void): Promise<void> {
    const client = await RawClient.connect(port);
    try {
      for (;;) {
        const batch = 1 + random.integer(8);
        for (let i = 0; i < batch; i++) {
          this.sent++;
          client.send(
            ['MULTI'],
            ['INCR', this.counter],
            ['RPUSH', this.list, `${this.sent} ${'x'.repeat(random.integer(300))}`],
            ['EXEC'],
          );
        }
        for (let i = 0; i < batch * 4; i++) {
          const reply = await client.next();
          if (i % 4 !== 3) continue;
          const [count] = plain(reply) as number[];
          this.acknowledged.push({ at: Date.now(), count: count as number });
          onAnswer();
        }
      }
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
    } finally {
      client.close();
    }
  }

  /** What must be there after a crash at this time. */
  least(policy: string, crashedAt: number): number {
    if (policy === 'always') return this.count;
    const old = this.acknowledged.filter(({ at }) => at < crashedAt - EVERYSEC_LOSS_MS);
    return old.at(-1)?.count ?? 0;
  }

  /** Goes on from what is there. */
  restart(found: number): void {
    this.sent = found;
    this.acknowledged = [{ at: 0, count: found }];
  }
}

async function start(folder: string, policy: string): Promise<Server> {
  const options = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', policy];
  // Rewrites of their own, too.
  return startSorrel([
    ...options,
    '--auto-aof-rewrite-min-size',
    '200kb',
    '--auto-aof-rewrite-percentage',
    '50',
  ]);
}

async function untilLoaded(client: RawClient): Promise<void> {
  for (;;) {
    const info = String(plain(await client.call(['INFO', 'persistence'])));
    if (/^loading:0/m.test(info)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Lets everybody write until so many answers have come; in half of the rounds a rewrite begins shortly before. */
async function writeAndKill(
  server: Server,
  writers: readonly Writer[],
  random: RandomSource,
): Promise<number> {
  const control = await RawClient.connect(server.port);
  const killAfter = 20 + random.integer(400);
  const rewriteAfter =
    random.integer(2) === 0 ? killAfter - 1 - random.integer(20) : Number.POSITIVE_INFINITY;
  let answers = 0;
  let killedAt = 0;
  const onAnswer = (): void => {
    answers++;
    if (answers === rewriteAfter) control.send(['BGREWRITEAOF']);
    if (answers !== killAfter) return;
    killedAt = Date.now();
    server.process.kill('SIGKILL');
  };
  await Promise.all(writers.map((writer) => writer.run(server.port, random, onAnswer)));
  control.close();
  return killedAt;
}

async function compare(server: Server, writers: readonly Writer[], leasts: readonly number[]): Promise<void> {
  const client = await RawClient.connect(server.port);
  await untilLoaded(client);
  for (const [index, writer] of writers.entries()) {
    const found = Number(plain(await client.call(['GET', writer.counter])) ?? 0);
    const length = plain(await client.call(['LLEN', writer.list]));
    const least = leasts[index] as number;
    assert.ok(found >= least, `${writer.counter} is ${found}, but ${least} were acknowledged`);
    assert.ok(found <= writer.sent, `${writer.counter} is ${found}, but only ${writer.sent} were sent`);
    assert.equal(length, found, 'a transaction is there as a whole or not at all');
    const last = String(plain(await client.call(['LINDEX', writer.list, -1])) ?? '0');
    assert.equal(Number.parseInt(last, 10), found, 'nothing is missing in between');
    writer.restart(found);
  }
  client.close();
}

for (const policy of ['always', 'everysec']) {
  test(`with ${policy}, kill -9 loses nothing it must not lose (seed ${SEED})`, async (t) => {
    const random = seededRandom(SEED);
    const folder = temporaryFolder(t);
    const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(index));
    let server = await start(folder, policy);
    for (let round = 0; round < ROUNDS / 2; round++) {
      const killedAt = await writeAndKill(server, writers, random);
      await server.stop();
      const leasts = writers.map((writer) => writer.least(policy, killedAt));
      server = await start(folder, policy);
      await compare(server, writers, leasts);
    }
    await server.stop();
    assert.ok(existsSync(join(folder, 'appendonlydir')));
  });
}
