import assert from 'node:assert/strict';
import { locks } from '../../../src/kit/locks/index.js';
import { chats, mailboxes } from '../../../src/kit/messaging/index.js';
import { onEveryStore, rejectsWith } from './support.js';

onEveryStore('Mailboxes', (test) => {
  test('messages wait until they are acknowledged', async (store, { space, another }) => {
    const mail = mailboxes<{ n: number }>(store, { prefix: space });
    const before = Date.now();
    for (let n = 1; n <= 3; n++) await mail.send('ann', { n });
    const posted = await mail.send('ann', { n: 4 });
    assert.equal(posted.unread, 4);
    assert.ok(posted.waitingSince.getTime() >= before - 60_000);
    const elsewhere = mailboxes<{ n: number }>(await another(), { prefix: space });
    const letters = await elsewhere.read('ann', { count: 2 });
    assert.deepEqual(
      letters.map(({ message }) => message.n),
      [1, 2],
    );
    assert.equal(await elsewhere.acknowledge('ann', letters[1]?.id as string), 2);
    assert.equal((await mail.status('ann')).unread, 2);
  });

  test('a waiting reader gets messages in order', async (store, { space, another }) => {
    const mail = mailboxes<string>(store, { prefix: space });
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      const own = mailboxes<string>(await another(), { prefix: space });
      for await (const { message } of own.receive('bob', { signal: controller.signal })) {
        seen.push(message);
        if (message === 'last') controller.abort();
      }
    })();
    for (const message of ['é', '\n"quoted"', 'last']) await mail.send('bob', message);
    await reading;
    assert.deepEqual(seen, ['é', '\n"quoted"', 'last']);
  });
});

onEveryStore('Receivers of a mailbox', (test) => {
  test('one client at a time receives: a second one gets an error, or takes over', async (store, {
    space,
    another,
  }) => {
    const mail = mailboxes<number>(store, { prefix: space });
    const other = mailboxes<number>(await another(), { prefix: space });
    for (const message of [1, 2]) await mail.send('ann', message);
    const first = mail.receive('ann');
    assert.equal((await first.next()).value?.message, 1);
    await rejectsWith(other.receive('ann', { wait: 0 }).next(), 'IN_USE');
    const standby = other.receive('ann', { wait: 60_000 });
    const next = standby.next();
    assert.equal((await first.next()).value?.message, 2);
    await first.return?.();
    assert.equal((await next).value?.message, 2, 'the message that was not acknowledged');
    await standby.return?.();
  });

  test('a receiver whose mailbox was taken over cannot acknowledge', async (store, { space, another }) => {
    const mail = mailboxes<number>(store, { prefix: space });
    const other = mailboxes<number>(await another(), { prefix: space });
    await mail.send('ann', 1);
    const first = mail.receive('ann');
    await first.next();
    await locks(store, { prefix: `${space}-receiver` }).forceRelease('ann');
    const second = other.receive('ann');
    assert.equal((await second.next()).value?.message, 1);
    await rejectsWith(first.next(), 'LOST');
    assert.equal((await other.status('ann')).unread, 1);
    await second.return?.();
  });
});

onEveryStore('Group chats', (test) => {
  test('all members read the same messages, which are dropped when all have read them', async (store, {
    space,
    another,
  }) => {
    const talk = chats<string>(store, { prefix: space });
    await talk.create('team', ['ann', 'bob']);
    const reading = (async () => {
      const own = chats<string>(await another(), { prefix: space });
      const seen: number[] = [];
      for await (const { number } of own.receive('team', 'bob')) {
        seen.push(number);
        if (number === 5) break;
      }
      await own.acknowledge('team', 'bob', 5);
      return seen;
    })();
    for (let i = 1; i <= 5; i++) assert.equal(await talk.post('team', 'ann', `m${i}`), i);
    assert.deepEqual(await reading, [1, 2, 3, 4, 5]);
    assert.equal((await talk.unread('team', 'ann')).length, 5);
    assert.equal(await talk.acknowledge('team', 'ann', 5), 0);
    assert.equal(await store.send('XLEN', `${space}:{team}:messages`), 0);
  });

  test('members join and leave, and the chat is deleted with the last one', async (store, { space }) => {
    const talk = chats<string>(store, { prefix: space });
    await talk.create('team', ['ann']);
    await talk.join('team', 'bob');
    assert.deepEqual(await talk.joined('bob'), ['team']);
    assert.equal(await talk.leave('team', 'ann'), 1);
    await rejectsWith(talk.post('team', 'ann', 'gone'), 'NOT_A_MEMBER');
    assert.equal(await talk.leave('team', 'bob'), 0);
    await rejectsWith(talk.post('team', 'bob', 'gone'), 'UNKNOWN_CHAT');
    assert.deepEqual(await talk.joined('bob'), []);
  });
});
