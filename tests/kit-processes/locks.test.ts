import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locks } from '../../src/kit/locks/index.js';
import { whenRedisIsInstalled } from '../support/fleet/index.js';
import { Crew, faultsOfEachKind, maxAtOnce } from './programs/locks-crew.js';

const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_261_115);
/** The number of faults of each kind. `npm run torture` asks for many more. Between two of them, several processes hold the lock. */
const BLOWS = faultsOfEachKind(3);
const HOLDINGS = 50;

describe('A lock between processes', whenRedisIsInstalled, () => {
  it('is never held by two, whichever process is killed, stopped, disconnected, loses the lock or has a wrong clock', {
    timeout: 60_000 + 30_000 * BLOWS,
  }, async () => {
    await using crew = await Crew.start(new URL('./programs/locks-worker.ts', import.meta.url), {
      size: 4,
      seed: SEED,
    });
    await crew.progress(50);
    for (let round = 0; round < BLOWS; round++) {
      await crew.pause();
      await crew.progress(HOLDINGS);
      await crew.kill();
      await crew.progress(HOLDINGS);
      await crew.cut();
      await crew.progress(HOLDINGS);
      await locks(crew.store).forceRelease('shared');
      await crew.progress(HOLDINGS);
    }
    const spans = await crew.finish();
    assert.ok(spans.length >= 4 * BLOWS * HOLDINGS, `${spans.length} holdings`);
    assert.equal(maxAtOnce(spans), 1);
    const tokens = ((await crew.store.send('LRANGE', 'accepted', 0, -1)) as string[]).map(Number);
    assert.deepEqual(
      tokens,
      [...new Set(tokens)].sort((a, b) => a - b),
      'tokens increase from holder to holder',
    );
    assert.equal(await crew.store.send('HGET', 'resource', 'value'), `${tokens.length}`, 'no write was lost');
  });
});
