import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { type Files, files } from '../../src/kit/files/index.js';
import { open, type Store } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { FILE_NAMES, PORTIONS, READERS, ROUNDS, SIZES, TRANSFER } from './programs/files-plan.js';

/** The probability that a process is killed in a round; otherwise all connections are cut. Starting a process takes long. */
const KILL = 0.08;
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);

/** A process of files-process.ts that is restarted after it was killed. */
class Participant {
  readonly #words: readonly string[];
  #child: ChildProcess;
  #ended: Promise<unknown[]>;
  /** The number of blocks that it reported, over all restarts. */
  blocks = 0;

  constructor(...words: readonly string[]) {
    this.#words = words;
    this.#child = this.#start();
    this.#ended = once(this.#child, 'exit');
  }

  #start(): ChildProcess {
    const program = sourceProgram(new URL('programs/files-process.ts', import.meta.url));
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, program, ...this.#words], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', () => this.blocks++);
    return child;
  }

  async killAndRestart(): Promise<void> {
    this.kill();
    await this.#ended;
    this.#child = this.#start();
    this.#ended = once(this.#child, 'exit');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** It exits by itself only when all files are complete. */
  async finish(): Promise<void> {
    assert.deepEqual(await this.#ended, [0, null]);
  }
}

describe('Files between several processes', { skip: whenRedisIsInstalled.skip }, () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let store: Store;
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-files-'));
  const participants: Participant[] = [];

  before(async () => {
    redis = await startRedis();
    store = await open(`redis://127.0.0.1:${redis.port}`);
  });

  after(async () => {
    for (const participant of participants) participant.kill();
    await store?.close();
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('arrive unchanged, whichever process is killed or loses its connection', {
    timeout: 240_000,
  }, async () => {
    const random = seeded(SEED);
    const shipping = files(store);
    for (const name of FILE_NAMES) {
      const bytes = Buffer.from(Array.from({ length: SIZES[name] as number }, () => random() * 256));
      writeFileSync(join(folder, name), bytes);
      await shipping.create(name, TRANSFER);
    }
    for (const self of ['sender', ...READERS]) {
      participants.push(new Participant(`redis://127.0.0.1:${redis.port}`, folder, self));
    }
    const watch = watchSpace(store);
    let inTheMiddle = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = participants[Math.floor(random() * participants.length)] as Participant;
      const enough = victim.blocks + 1 + Math.floor(random() * 5);
      await store.send('SET', 'allowed', round + 1);
      await until('the portion is on its way', async () => {
        return victim.blocks >= enough || (await isRead(shipping, round + 1));
      });
      if (!(await isRead(shipping, round + 1))) inTheMiddle++;
      if (random() < KILL) await victim.killAndRestart();
      else await store.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }
    await store.send('SET', 'allowed', PORTIONS);
    for (const participant of participants) await participant.finish();
    await watch.stop();
    assert.ok(inTheMiddle > 0, 'no fault occurred during a transfer');
    for (const name of FILE_NAMES) {
      const whole = readFileSync(join(folder, name));
      for (const reader of READERS) {
        assert.ok(readFileSync(join(folder, `${name}.${reader}`)).equals(whole), `${name}, seed ${SEED}`);
      }
      assert.equal((await shipping.status(name)).isRead, true);
      assert.equal(await store.send('EXISTS', `file:{${name}}:blocks`, `file:{${name}}:room`), 0);
    }
  });
});

/** Whether all readers have all whole blocks of the first portions, possibly without the acknowledgement of the last one. */
async function isRead(shipping: Files, portions: number): Promise<boolean> {
  for (const name of FILE_NAMES) {
    const size = SIZES[name] as number;
    const allowed = Math.min(size, portions * Math.ceil(size / PORTIONS));
    const least = Math.floor(allowed / TRANSFER.blockSize) - 1;
    const { readers } = await shipping.status(name);
    if (readers.some(({ blocks }) => blocks < least)) return false;
  }
  return true;
}

/** Repeatedly sums up the bytes of each file in the store. */
function watchSpace(store: Store): { stop(): Promise<void> } {
  let isOver = false;
  let looks = 0;
  async function look(): Promise<void> {
    while (!isOver) {
      for (const name of FILE_NAMES) {
        const entries = await store.bytes.send('XRANGE', `file:{${name}}:blocks`, '-', '+');
        const held = (entries as [Buffer, Buffer[]][]).reduce(
          (sum, [, [, , , block]]) => sum + (block?.length ?? 0),
          0,
        );
        assert.ok(held <= TRANSFER.space, `${name} takes ${held} bytes`);
        looks++;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const looking = look();
  looking.catch(() => {});
  return {
    stop: async () => {
      isOver = true;
      await looking;
      assert.ok(looks > 0);
    },
  };
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 90_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Numbers from 0 to 1, the same in every run (a linear congruential generator; its upper bits are random enough here). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
