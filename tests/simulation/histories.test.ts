import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runHistory } from './history.js';

const ROUNDS = Number(process.env['SORREL_SIMULATION_ROUNDS'] ?? 15);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

it(`${ROUNDS} histories of up to seven servers keep all invariants, and the servers agree at the end`, async (t) => {
  const total = { full: 0, partial: 0, events: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { full, partial, events } = await runHistory(SEED * 100_000 + round);
    total.full += full;
    total.partial += partial;
    total.events += events;
  }
  t.diagnostic(`${total.events} events, ${total.full} full and ${total.partial} partial synchronisations`);
  assert.ok(total.full > 0 && total.partial > 0);
});

it('the same seed gives the same history', async () => {
  assert.deepEqual(await runHistory(7, 30), await runHistory(7, 30));
});
