import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Sentinel } from '../../src/sentinel/sentinel.js';
import { runSentinelHistory } from './sentinel-history.js';

const ROUNDS = Number(process.env['SORREL_SIMULATION_ROUNDS'] ?? 4);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

it(`${ROUNDS} histories of Sentinels have one leader in an epoch and one master in the end`, async (t) => {
  const total = { failovers: 0, events: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { failovers, events } = await runSentinelHistory(SEED * 100_000 + round);
    total.failovers += failovers;
    total.events += events;
  }
  t.diagnostic(`${total.events} events, ${total.failovers} failovers`);
  assert.ok(total.failovers > 0);
});

it('the same seed gives the same history', async () => {
  assert.deepEqual(await runSentinelHistory(7, 10), await runSentinelHistory(7, 10));
});

/** A simulation that finds nothing proves nothing: each of these bugs must be found within a few histories. */
describe('the simulation finds the bug that', () => {
  const { prototype: sentinel } = Sentinel;
  const bugs: Readonly<Record<string, readonly [found: RegExp, plant: () => void]>> = {
    'votes are not stored': [
      /voted for|both elected|went back/,
      () => void mock.method(sentinel, 'flush', () => true),
    ],
    'a later epoch is ignored': [
      /both elected|in epoch/,
      () => void mock.method(sentinel, 'adoptEpoch', () => {}),
    ],
    'the new address of a master is not adopted': [
      /the master is|not within/,
      () => void mock.method(sentinel, 'changeAddress', () => {}),
    ],
  };
  for (const [name, [found, plant]] of Object.entries(bugs)) {
    it(name, async () => {
      plant();
      try {
        await assert.rejects(async () => {
          for (let seed = 1; seed <= MAX_HISTORIES; seed++) await runSentinelHistory(seed);
        }, found);
      } finally {
        mock.restoreAll();
      }
    });
  }
});

const MAX_HISTORIES = 40;
