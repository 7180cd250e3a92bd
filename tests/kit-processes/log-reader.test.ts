import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceModule } from '../../scripts/transpiled.mjs';
import { logProcessor } from '../../src/kit/log-processing/index.js';
import { open, type Store } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';
import { seededDraw } from '../support/seeded-draw.js';

const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_250_101);
/** Starting a process takes long, so `npm test` kills few. `npm run torture` asks for more rounds than readers are killed. */
const KILLS = Math.min(200, Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 5));
const LINES_PER_ROUND = 60;

/** A process of log-worker.ts. */
class Reader {
  readonly #child: ChildProcess;
  readonly ended: Promise<unknown>;
  lines = 0;

  constructor(address: string, folder: string) {
    const program = join(PROJECT_ROOT, 'tests/kit-processes/programs/log-worker.mjs');
    const modules = ['store', 'kit/log-processing'].map((entry) =>
      sourceModule(new URL(`../../src/${entry}/index.ts`, import.meta.url)),
    );
    this.#child = spawn(process.execPath, [...SOURCE_OPTIONS, program, address, folder, ...modules], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.ended = once(this.#child, 'exit');
    this.#child.on('message', () => this.lines++);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

describe('A log reader that is killed', whenRedisIsInstalled, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-log-reader-'));
  const draw = seededDraw(SEED);
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let store: Store;
  let address: string;
  const readers: Reader[] = [];
  let [written, sum, rotations] = [0, 0, 0];

  before(async () => {
    redis = await startRedis();
    address = `redis://127.0.0.1:${redis.port}`;
    store = await open(address);
    writeFileSync(join(folder, 'web.log'), '');
  });

  after(async () => {
    await Promise.all(readers.map((reader) => reader.kill()));
    await store?.close();
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Some lines come in two parts, and files are renamed between them. */
  function write(lines: number): void {
    for (let i = 0; i < lines; i++) {
      const value = Math.floor(draw() * 100);
      sum += value;
      const line = `${written++} ${value}\n`;
      const cut = draw() < 0.2 ? Math.floor(draw() * line.length) : line.length;
      appendFileSync(join(folder, 'web.log'), line.slice(0, cut));
      if (cut < line.length) appendFileSync(join(folder, 'web.log'), line.slice(cut));
      if (draw() < 0.02) {
        renameSync(join(folder, 'web.log'), join(folder, `web.log.${rotations++}`));
        writeFileSync(join(folder, 'web.log'), '');
      }
    }
  }

  const counted = async (): Promise<number> => (await store.hlen('logs:{web}:count:seen')) as number;

  it(`counts every line once, after ${KILLS} kills`, { timeout: 1_200_000 }, async () => {
    const start = (): Reader => new Reader(address, folder);
    // Two at a time: while one starts, the other reads.
    readers.push(start(), start());
    let inTheMiddle = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const place = Math.floor(draw() * 2);
      const victim = readers[place] as Reader;
      write(LINES_PER_ROUND);
      const enough = victim.lines + 1 + Math.floor(draw() * LINES_PER_ROUND * 0.8);
      await until('lines are read', async () => victim.lines >= enough || (await counted()) === written);
      if ((await counted()) < written) inTheMiddle++;
      await victim.kill();
      readers[place] = start();
    }
    await until('all lines are counted', async () => (await counted()) === written);
    await Promise.all(readers.map((reader) => reader.kill()));
    const logs = logProcessor(store, 'web', { folder });
    assert.deepEqual(await logs.process(() => assert.fail('all lines have been read')), {
      lines: 0,
      batches: 0,
    });
    const seen = await logs.counts('seen');
    assert.equal(seen.size, written);
    for (const [line, count] of seen) assert.equal(count, 1, `line ${line} of seed ${SEED}`);
    assert.equal((await logs.counts('sums')).get('value'), sum);
    assert.ok(inTheMiddle > 0, 'no reader was killed while there was something to read');
    console.log(
      `${KILLS} kills, ${inTheMiddle} of them while lines were read; ${written} lines, ${rotations} rotations`,
    );
  });
});

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
