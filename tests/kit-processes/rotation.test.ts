import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { counters } from '../../src/kit/counters/index.js';
import { logs } from '../../src/kit/logs/index.js';
import { statistics } from '../../src/kit/statistics/index.js';
import { ManualClock, open } from '../../src/store/index.js';

const HOUR = 3_600_000;
const WRITERS = 5;
/** What each of them writes before and after the full hour. */
const ROUNDS = 60;
const SCRIPT = sourceProgram(new URL('programs/rotation-writer.ts', import.meta.url));

interface Writer {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  rounds: number;
}

function startWriter(address: string, number: number): Writer {
  const child = spawn(process.execPath, [...SOURCE_OPTIONS, SCRIPT, address, String(number)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const writer: Writer = { process: child, ended: once(child, 'exit'), rounds: 0 };
  child.on('message', (rounds) => {
    writer.rounds = Number(rounds);
  });
  return writer;
}

describe('Five processes that write at the full hour', () => {
  it('lose nothing and count nothing twice: all of it is in the old hour or in the new one', {
    timeout: 120_000,
  }, async () => {
    // A store of ours, served to the others, so that the test decides when the hour ends.
    const clock = new ManualClock(Date.UTC(2026, 0, 1, 10, 59, 59, 990));
    await using store = await open('memory:', { clock });
    await using listener = await store.listen({ port: 0 });
    const writers = Array.from({ length: WRITERS }, (_, i) => startWriter(listener.address, i + 1));
    const progress = async (rounds: number): Promise<void> => {
      const goals = writers.map((writer) => writer.rounds + rounds);
      while (writers.some((writer, i) => writer.rounds < (goals[i] as number))) {
        for (const { process: child } of writers) assert.equal(child.exitCode, null, 'a writer has ended');
        await new Promise(setImmediate);
      }
    };
    try {
      await progress(ROUNDS);
      // The hour ends in the middle of their work.
      for (let i = 0; i < 20; i++) {
        clock.advance(1);
        await progress(1);
      }
      await progress(ROUNDS);
      for (const { process: child } of writers) child.send('stop');
      await Promise.all(writers.map(({ ended }) => ended));
    } finally {
      for (const { process: child } of writers) child.kill('SIGKILL');
    }
    // A writer tells about its last round before it reads the message.
    const written = writers.map(({ rounds }) => rounds);
    const all = written.reduce((sum, rounds) => sum + rounds, 0);

    const { samples } = await counters(store).series('hits', { precision: HOUR });
    const hours = samples.slice(-2).map(({ count }) => count);
    assert.equal((hours[0] as number) + (hours[1] as number), all);
    assert.ok(
      hours.every((count) => count >= WRITERS * ROUNDS),
      `both hours have their share: ${hours.join(', ')}`,
    );

    const stats = statistics(store);
    const [current, before] = [
      await stats.read('page', 'size'),
      await stats.read('page', 'size', { ago: 1 }),
    ];
    const both = before?.merge(current as NonNullable<typeof current>);
    assert.equal(both?.count, all);
    const sum = written.reduce((total, rounds, i) => total + rounds * (i + 1), 0);
    assert.ok(Math.abs((both?.sum as number) - sum) < 1e-6 * sum);

    const log = logs(store);
    const counts = new Map<string, number>();
    for (const ago of [0, 1]) {
      for (const { message, count } of await log.common('shop', { ago })) {
        counts.set(message, (counts.get(message) ?? 0) + count);
      }
    }
    assert.deepEqual(
      written.map((_, i) => counts.get(`from ${i + 1}`)),
      written,
    );
  });
});
