import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type Store } from '../../store/index.js';
import { chats, mailboxes } from './index.js';

/** The acquisitions in the lock of ann's receiver. */
async function holdsOf(store: Store): Promise<string[]> {
  const fields = (await store.send('HKEYS', 'mailbox-receiver:{ann}:state')) as string[];
  return fields.filter((field) => field !== 'fence');
}

describe('Mailboxes', () => {
  it('run the example of their documentation', async () => {
    await using store = await open();
    const mail = mailboxes<{ subject: string }>(store);
    const posted = await mail.send('ann', { subject: 'lunch?' });
    assert.equal(posted.unread, 1);
    for await (const { message } of mail.receive('ann')) {
      assert.equal(message.subject, 'lunch?');
      break;
    }
  });

  it('tell the sender how many messages are unread, and since when', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const mail = mailboxes<string>(store);
    assert.deepEqual(await mail.status('bob'), { unread: 0, waitingSince: undefined });
    await mail.send('bob', 'one');
    clock.advance(86_400_000);
    const { id, unread, waitingSince } = await mail.send('bob', 'two');
    assert.deepEqual([unread, waitingSince], [2, new Date(1_700_000_000_000)]);
    const [first, second] = await mail.read('bob');
    assert.deepEqual([first?.message, first?.sentAt], ['one', new Date(1_700_000_000_000)]);
    assert.deepEqual([second?.message, second?.id], ['two', id]);
    assert.equal(await mail.acknowledge('bob', first?.id as string), 1);
    assert.deepEqual(await mail.status('bob'), { unread: 1, waitingSince: new Date(1_700_086_400_000) });
    assert.equal(await mail.acknowledge('bob', id), 0);
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('return a message again if its reader died before it acknowledged it', async () => {
    await using store = await open();
    const mail = mailboxes<number>(store);
    for (const message of [1, 2, 3]) await mail.send('ann', message);
    const seen: number[] = [];
    for await (const { message } of mail.receive('ann')) {
      seen.push(message);
      if (message === 2) break;
    }
    for await (const { message } of mail.receive('ann')) {
      seen.push(message);
      if (message === 3) break;
    }
    assert.deepEqual(seen, [1, 2, 2, 3]);
  });

  it('refuse messages beyond the limit, and values that JSON cannot represent', async () => {
    await using store = await open();
    const mail = mailboxes(store, { limit: 2 });
    await mail.send('ann', 1);
    const { id } = await mail.send('ann', 2);
    await assert.rejects(mail.send('ann', 3), { code: 'FULL' });
    await mail.acknowledge('ann', id);
    await mail.send('ann', 3);
    await assert.rejects(mail.send('ann', undefined), { code: 'OPTION' });
    await assert.rejects(mail.acknowledge('ann', 'x'), { code: 'OPTION' });
    assert.throws(() => mailboxes(store, { limits: 2 } as object), { code: 'OPTION' });
  });

  it('let one client at a time receive, and report this to the others', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const mail = mailboxes<number>(store);
    for (const message of [1, 2, 3]) await mail.send('ann', message);
    const first = mail.receive('ann');
    assert.equal((await first.next()).value?.message, 1);
    await assert.rejects(mail.receive('ann', { wait: 0 }).next(), {
      code: 'IN_USE',
      message: /another client has received from the mailbox of 'ann' for 0 ms/,
    });
    const refused = assert.rejects(mail.receive('ann').next(), { code: 'IN_USE' });
    await clock.run(15_000);
    await refused;
    const standby = mail.receive('ann', { wait: Number.POSITIVE_INFINITY });
    const next = standby.next();
    await clock.run(60_000);
    await first.return?.();
    assert.equal((await next).value?.message, 1, 'the first receiver had not acknowledged it');
    await standby.return?.();
    assert.equal((await mail.receive('bob', { signal: AbortSignal.abort() }).next()).done, true);
  });

  it('refuse the late acknowledgement of a receiver that was paused', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const mail = mailboxes<number>(store, { lease: 1_000 });
    for (const message of [1, 2]) await mail.send('ann', message);
    const paused = mail.receive('ann');
    assert.equal((await paused.next()).value?.message, 1);
    // As after a pause of the process: its lease has ended, but it does not know yet.
    await store.send('HDEL', 'mailbox-receiver:{ann}:state', ...(await holdsOf(store)));
    const successor = mail.receive('ann');
    assert.equal((await successor.next()).value?.message, 1);
    await assert.rejects(paused.next(), {
      code: 'LOST',
      message: /another client receives from the mailbox of 'ann' now/,
    });
    assert.equal((await mail.status('ann')).unread, 2, 'nothing was dropped');
    assert.equal((await successor.next()).value?.message, 2);
    assert.equal((await mail.status('ann')).unread, 1);
    await successor.return?.();
  });

  it('end the loop of a receiver that has lost its mailbox while it waited', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const mail = mailboxes<number>(store, { lease: 3_000 });
    const lost = assert.rejects(mail.receive('ann').next(), { code: 'LOST' });
    await clock.run(100);
    await store.send('FLUSHALL');
    await clock.run(3_000);
    await lost;
  });

  it('let a reader wait for messages until its signal aborts', async () => {
    await using store = await open();
    const mail = mailboxes<string>(store);
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { message } of mail.receive('ann', { signal: controller.signal })) {
        seen.push(message);
        if (message === 'second') controller.abort();
      }
    })();
    await mail.send('ann', 'first');
    await mail.send('ann', 'second');
    await reading;
    assert.deepEqual(seen, ['first', 'second']);
  });
});

describe('Group chats', () => {
  it('run the example of their documentation', async () => {
    await using store = await open();
    const talk = chats<string>(store);
    await talk.create('team', ['ann', 'bob']);
    assert.equal(await talk.post('team', 'ann', 'hello'), 1);
    const [message] = await talk.unread('team', 'bob');
    assert.deepEqual([message?.number, message?.from, message?.message], [1, 'ann', 'hello']);
    assert.equal(await talk.acknowledge('team', 'bob', 1), 0);
  });

  it('drop messages that all members have read, and keep the others', async () => {
    await using store = await open();
    const talk = chats<number>(store);
    await talk.create('team', ['ann', 'bob']);
    for (const message of [1, 2, 3, 4]) await talk.post('team', 'ann', message);
    const kept = (): Promise<number> => store.send<number>('XLEN', 'chat:{team}:messages');
    await talk.acknowledge('team', 'ann', 4);
    assert.equal(await kept(), 4);
    await talk.acknowledge('team', 'bob', 3);
    assert.equal(await kept(), 1);
    await talk.acknowledge('team', 'bob', 1);
    assert.deepEqual(await talk.members('team'), [
      { member: 'bob', unread: 1 },
      { member: 'ann', unread: 0 },
    ]);
    await talk.acknowledge('team', 'bob', 999);
    assert.equal(await kept(), 0);
    assert.equal(await talk.post('team', 'bob', 5), 5);
  });

  it('let members join and leave', async () => {
    await using store = await open();
    const talk = chats<string>(store);
    await talk.create('team', ['ann']);
    await talk.post('team', 'ann', 'old');
    await talk.join('team', 'bob');
    await talk.join('team', 'cat', { history: true });
    assert.deepEqual(await talk.unread('team', 'bob'), []);
    assert.equal((await talk.unread('team', 'cat')).length, 1);
    assert.deepEqual(await talk.joined('bob'), ['team']);
    assert.equal(await talk.leave('team', 'ann'), 2);
    assert.equal(await talk.leave('team', 'cat'), 1);
    assert.equal(await store.send('XLEN', 'chat:{team}:messages'), 0);
    assert.equal(await talk.leave('team', 'bob'), 0);
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('refuse unknown chats and members', async () => {
    await using store = await open();
    const talk = chats(store);
    const unknown = { code: 'UNKNOWN_CHAT' };
    await assert.rejects(talk.post('none', 'ann', 1), unknown);
    await assert.rejects(talk.join('none', 'ann'), unknown);
    await assert.rejects(talk.leave('none', 'ann'), unknown);
    await assert.rejects(talk.unread('none', 'ann'), unknown);
    await assert.rejects(talk.members('none'), unknown);
    await assert.rejects(talk.acknowledge('none', 'ann', 1), unknown);
    assert.deepEqual(await talk.joined('ann'), []);
    await talk.create('team', ['ann']);
    await assert.rejects(talk.create('team', ['bob']), { code: 'EXISTS' });
    await assert.rejects(talk.post('team', 'eve', 1), { code: 'NOT_A_MEMBER' });
    await assert.rejects(talk.unread('team', 'eve'), { code: 'NOT_A_MEMBER' });
    await assert.rejects(talk.create('empty', []), { code: 'OPTION' });
  });

  it('deliver every message to every member in the same order', async () => {
    await using store = await open();
    const talk = chats<string>(store);
    const members = ['ann', 'bob', 'cat'];
    await talk.create('team', members);
    const readers = members.map(async (member) => {
      const seen: string[] = [];
      for await (const { number, from, message } of talk.receive('team', member)) {
        assert.equal(number, seen.length + 1);
        seen.push(`${from}: ${message}`);
        if (seen.length === 30) break;
      }
      return seen.join('\n');
    });
    await Promise.all(
      members.map(async (member) => {
        for (let i = 0; i < 10; i++) await talk.post('team', member, `${i}`);
      }),
    );
    const [first, ...others] = await Promise.all(readers);
    for (const other of others) assert.equal(other, first);
  });
});
