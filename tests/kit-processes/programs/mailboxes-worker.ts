/** Receives from one mailbox, in turn with other processes, and records each message that it handled. */
import { mailboxes } from '../../../src/kit/messaging/index.js';
import { LEASE_MS } from './locks-crew.js';
import { workUntilStopped } from './locks-worker-setup.js';
import { MAILBOX } from './mailboxes-plan.js';

await workUntilStopped(async ({ store, draw, moment, report }) => {
  const mail = mailboxes<number>(store, { lease: LEASE_MS });
  // Receivers stop by themselves: after some messages, or if there are none.
  let left = 1 + Math.floor(draw() * 20);
  const signal = AbortSignal.timeout(500);
  for await (const { id, message } of mail.receive(MAILBOX.name, { wait: 200, signal })) {
    const first = await moment();
    await store.rpush(MAILBOX.handled, message);
    await report(first, await moment(), Number(id.split('-')[0]));
    if (--left === 0) break;
  }
});
