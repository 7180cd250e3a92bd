import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whenRedisIsInstalled } from '../support/fleet/index.js';
import { Crew, faultsOfEachKind, maxAtOnce } from './programs/locks-crew.js';

const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 7_654_321);
/** The number of faults of each kind. `npm run torture` asks for many more. Between two of them, several processes hold permits. */
const BLOWS = faultsOfEachKind(3);
const HOLDINGS = 50;

describe('A semaphore between processes', whenRedisIsInstalled, () => {
  it('never grants more permits than its limit, whatever happens to the holders', {
    timeout: 60_000 + 30_000 * BLOWS,
  }, async () => {
    const script = new URL('./programs/semaphores-worker.ts', import.meta.url);
    await using crew = await Crew.start(script, { size: 5, seed: SEED });
    await crew.progress(50);
    for (let round = 0; round < BLOWS; round++) {
      await crew.pause();
      await crew.progress(HOLDINGS);
      await crew.kill();
      await crew.progress(HOLDINGS);
      await crew.cut();
      await crew.progress(HOLDINGS);
    }
    const spans = await crew.finish();
    assert.ok(spans.length >= 3 * BLOWS * HOLDINGS, `${spans.length} holdings`);
    const most = maxAtOnce(spans);
    assert.ok(most <= 3, `${most} permits were out at once`);
    assert.ok(most > 1, 'permits were held at the same time');
  });
});
