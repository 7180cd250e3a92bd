import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { checkRdb } from '../../src/persistence/rdb-check.js';
import { ConnectionClosed, RawClient } from '../oracle/support/raw-client.js';
import { plain } from '../oracle/support/reply.js';
import { type Server, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { temporaryFolder } from './support/aof.js';

/*
 * The server is killed with -9 under load, repeatedly on the same folder. After each restart the test checks
 * that all acknowledged writes are there. `npm run torture -- crash` runs more rounds.
 */

const ROUNDS = Number(process.env['SORREL_CRASH_ROUNDS'] ?? 0);
const SEED = Number(process.env['SORREL_CRASH_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 4;
/** The maximum age, in ms, of writes that `everysec` may lose. */
const EVERYSEC_LOSS_MS = 2000;
/** After this number of crashes a new folder is used: loading gets slower as the data grows. */
const ROUNDS_PER_FOLDER = 20;

after(stopAllServers);

/**
 * Increments a counter and appends to a list in transactions, several of them in flight, and records the
 * acknowledgements.
 */
class Writer {
  readonly counter: string;
  readonly list: string;
  sent = 0;
  /** The counter when the server started. */
  before = 0;
  /** The number of acknowledged transactions and the times of the acknowledgements. */
  acknowledged: { readonly at: number; readonly count: number }[] = [];

  constructor(index: number) {
    this.counter = `counter:${index}`;
    this.list = `list:${index}`;
  }

  /** Writes until the connection ends, with a pause of `pauseMs` after every few commands. */
  async run(port: number, random: RandomSource, pauseMs: number, onAnswer: () => void): Promise<void> {
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
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
    } finally {
      client.close();
    }
  }

  /** The number of transactions that must survive a crash at this time. */
  minSurviving(policy: Policy, crashedAt: number): number {
    // Under `always` this includes transactions acknowledged after the signal was sent.
    const before = policy === 'always' ? Number.POSITIVE_INFINITY : crashedAt - EVERYSEC_LOSS_MS;
    return this.acknowledged.findLast(({ at }) => at < before)?.count ?? this.before;
  }

  /** Continues from the counter that was found. */
  restart(found: number): void {
    this.sent = found;
    this.before = found;
    this.acknowledged = [];
  }
}

type Policy = 'always' | 'everysec';

async function start(folder: string, policy: Policy): Promise<Server> {
  const options = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', policy];
  // Also with automatic rewrites.
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

/**
 * Lets all clients write, and kills the server at a random moment: with `always` after some acknowledgements, with
 * `everysec` when some are so old that they must not be lost. In most rounds a rewrite or a save begins shortly
 * before.
 */
async function writeAndKill(
  server: Server,
  policy: Policy,
  writers: readonly Writer[],
  random: RandomSource,
): Promise<{ readonly killedAt: number; readonly pid: number }> {
  const control = await RawClient.connect(server.port);
  const pid = await processId(control);
  const killAfter = 20 + random.integer(400);
  const killAge = EVERYSEC_LOSS_MS + 200 + random.integer(800);
  const job = [undefined, 'BGREWRITEAOF', 'BGREWRITEAOF', 'BGSAVE'][random.integer(4)];
  const lead = 1 + random.integer(20);
  let answers = 0;
  let firstAt = 0;
  let killedAt = 0;
  const isAlmostTime = (): boolean =>
    policy === 'always' ? answers >= killAfter - lead : Date.now() - firstAt >= killAge - lead;
  const isTime = (): boolean =>
    policy === 'always' ? answers >= killAfter : Date.now() - firstAt >= killAge;
  let hasJob = false;
  const onAnswer = (): void => {
    if (answers++ === 0) firstAt = Date.now();
    if (!hasJob && job !== undefined && isAlmostTime()) {
      hasJob = true;
      control.send([job]);
    }
    if (killedAt !== 0 || !isTime()) return;
    killedAt = Date.now();
    server.process.kill('SIGKILL');
  };
  const pauseMs = policy === 'always' ? 0 : 10;
  await Promise.all(writers.map((writer) => writer.run(server.port, random, pauseMs, onAnswer)));
  control.close();
  return { killedAt, pid };
}

async function compare(
  client: RawClient,
  writers: readonly Writer[],
  minimums: readonly number[],
): Promise<void> {
  for (const [index, writer] of writers.entries()) {
    const found = Number(plain(await client.call(['GET', writer.counter])) ?? 0);
    const length = plain(await client.call(['LLEN', writer.list]));
    const min = minimums[index] as number;
    assert.ok(found >= min, `${writer.counter} is ${found}, but ${min} were acknowledged`);
    assert.ok(found <= writer.sent, `${writer.counter} is ${found}, but only ${writer.sent} were sent`);
    assert.equal(length, found, 'a transaction is restored completely or not at all');
    const last = String(plain(await client.call(['LINDEX', writer.list, -1])) ?? '0');
    assert.equal(Number.parseInt(last, 10), found, 'no element is missing in between');
    writer.restart(found);
  }
}

/** Other files left by a crash are either complete or removed. */
function inspect(folder: string, crashed: number): void {
  const dump = join(folder, 'dump.rdb');
  if (existsSync(dump)) assert.ok(checkRdb(dump, dump, () => {}).isSound);
  const left = readdirSync(folder).filter(
    (name) => name.startsWith('temp-') && name.includes(`-${crashed}-`),
  );
  assert.deepEqual(left, [], 'an incomplete file of the crashed process still exists');
}

async function processId(client: RawClient): Promise<number> {
  const info = String(plain(await client.call(['INFO', 'server'])));
  return Number(/^process_id:(\d+)/m.exec(info)?.[1]);
}

/** Crashes the server `rounds` times on one folder. */
async function crash(t: TestContext, policy: Policy, rounds: number, random: RandomSource): Promise<void> {
  const folder = temporaryFolder(t);
  const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(index));
  let server = await start(folder, policy);
  for (let round = 0; round < rounds; round++) {
    const { killedAt, pid } = await writeAndKill(server, policy, writers, random);
    await server.stop();
    const minimums = writers.map((writer) => writer.minSurviving(policy, killedAt));
    assert.ok(
      writers.some(({ before }, index) => (minimums[index] as number) > before),
      'this round proves nothing: no acknowledged write is old enough that it must survive',
    );
    server = await start(folder, policy);
    const client = await RawClient.connect(server.port);
    await untilLoaded(client);
    await compare(client, writers, minimums);
    inspect(folder, pid);
    client.close();
  }
  await server.stop();
}

for (const [policy, usual] of [
  ['always', 4],
  ['everysec', 2],
] as const) {
  test(`with ${policy}, no acknowledged write is lost by kill -9 (seed ${SEED})`, async (t) => {
    const random = seededRandom(SEED);
    const rounds = ROUNDS > 0 ? Math.ceil(ROUNDS / 2) : usual;
    for (let done = 0; done < rounds; done += ROUNDS_PER_FOLDER) {
      await crash(t, policy, Math.min(ROUNDS_PER_FOLDER, rounds - done), random);
      t.diagnostic(`${Math.min(rounds, done + ROUNDS_PER_FOLDER)} of ${rounds} crashes`);
    }
  });
}
