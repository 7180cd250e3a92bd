/** Repeatedly acquires one or two permits. */
import { semaphores } from '../../../src/kit/semaphores/index.js';
import { LEASE_MS } from './locks-crew.js';
import { workUntilStopped } from './locks-worker-setup.js';

await workUntilStopped(async ({ store, draw, moment, report }) => {
  const shared = semaphores(store, { limit: 3, lease: LEASE_MS });
  const permits = draw() < 0.25 ? 2 : 1;
  const permit = await shared.acquire('shared', { permits, wait: 60_000 });
  try {
    const first = await moment();
    for (let pauses = Math.floor(draw() * 6); pauses > 0; pauses--) await store.send('PING');
    const last = await moment();
    if (!(await permit.release())) return;
    for (let i = 0; i < permits; i++) await report(first, last, i);
  } finally {
    // A call whose connection was cut has failed: the permit must not be renewed forever.
    await permit.release().catch(() => {});
  }
});
