import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mailboxes } from '../../src/kit/messaging/index.js';
import { whenRedisIsInstalled } from '../support/fleet/index.js';
import { Crew, faultsOfEachKind, LEASE_MS } from './programs/locks-crew.js';
import { MAILBOX } from './programs/mailboxes-plan.js';

const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1_357_924);
/** The number of faults of each kind. `npm run torture` asks for many more. */
const BLOWS = faultsOfEachKind(2);
const MESSAGES = 40;

describe('A mailbox between processes', whenRedisIsInstalled, () => {
  it('loses no message, whichever receiver is killed, stopped, disconnected or has a wrong clock', {
    timeout: 60_000 + 30_000 * BLOWS,
  }, async () => {
    const script = new URL('./programs/mailboxes-worker.ts', import.meta.url);
    await using crew = await Crew.start(script, { size: 3, seed: SEED });
    const mail = mailboxes<number>(crew.store, { lease: LEASE_MS });
    let sent = 0;
    const send = async (): Promise<void> => {
      for (let i = 0; i < MESSAGES; i++) await mail.send(MAILBOX.name, sent++);
    };
    const isRead = async (): Promise<void> => {
      const giveUpAt = Date.now() + 90_000;
      while ((await mail.status(MAILBOX.name)).unread > 0) {
        assert.ok(Date.now() < giveUpAt, 'the messages were not read in time');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    /** Sends messages until the work is done, which waits until some have been handled. */
    const sendDuring = async (work: Promise<void>): Promise<void> => {
      let isDone = false;
      const ended = work.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        if ((await mail.status(MAILBOX.name)).unread < MESSAGES) await mail.send(MAILBOX.name, sent++);
        else await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await ended;
    };
    for (let round = 0; round < BLOWS; round++) {
      await send();
      await sendDuring(crew.pause());
      await crew.kill();
      await send();
      await crew.cut();
      await isRead();
    }
    await crew.finish();
    const handled = ((await crew.store.send('LRANGE', MAILBOX.handled, 0, -1)) as string[]).map(Number);
    const all = Array.from({ length: sent }, (_, i) => i);
    const firstTimes = [...new Set(handled)];
    assert.deepEqual(firstTimes, all, 'each message was handled, and no message before an earlier one');
    // A message is received again only if its receiver stopped, died or lost the mailbox before it acknowledged.
    assert.ok(handled.length < 2 * sent, `${handled.length - sent} messages were handled again`);
  });
});
