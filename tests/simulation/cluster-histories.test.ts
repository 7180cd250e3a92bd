import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Cluster } from '../../src/cluster/cluster.js';
import { runClusterHistory } from './cluster-history.js';

const ROUNDS = Number(process.env['SORREL_SIMULATION_ROUNDS'] ?? 3);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

it(`${ROUNDS} histories of clusters have one winner in an epoch and one view in the end`, async (t) => {
  const total = { failovers: 0, moved: 0, events: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { failovers, moved, events } = await runClusterHistory(SEED * 100_000 + round);
    total.failovers += failovers;
    total.moved += moved;
    total.events += events;
  }
  t.diagnostic(`${total.events} events, ${total.failovers} failovers, ${total.moved} slots moved`);
  assert.ok(total.failovers > 0);
});

it('all nodes get to know each other although packets of a handshake are late', async () => {
  await runClusterHistory(810_056, 0);
});

it('the same seed gives the same history', async () => {
  assert.deepEqual(await runClusterHistory(7, 5), await runClusterHistory(7, 5));
});

/** A simulation that finds nothing proves nothing: each of these bugs must be found within a few histories. */
describe('the simulation finds the bug that', () => {
  const bugs: Readonly<Record<string, readonly [found: RegExp, firstSeed: number, plant: () => void]>> = {
    'votes are not stored': [
      /voted for|forgot its vote|both won/,
      1,
      () => void mock.method(Cluster.prototype, 'save', () => {}),
    ],
    'a single vote wins an election': [
      /both won/,
      9,
      () => void mock.getter(Cluster.prototype, 'quorum', () => 1),
    ],
  };
  for (const [name, [found, firstSeed, plant]] of Object.entries(bugs)) {
    it(name, async () => {
      plant();
      try {
        await assert.rejects(async () => {
          for (let round = 0; round < MAX_HISTORIES; round++) await runClusterHistory(firstSeed + round);
        }, found);
      } finally {
        mock.restoreAll();
      }
    });
  }
});

const MAX_HISTORIES = 20;
