import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interposed } from '../../../tests/support/interposed-store.js';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type Sessions, type SessionsOptions, sessions } from './index.js';

const HOUR = 3_600_000;
/** Sessions end up to this much later than their idle time, of an hour. */
const SLACK = HOUR / 1_000;

interface Data {
  theme: string;
  step: number;
}

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly all: Sessions<Data>;
}

async function bench(options: SessionsOptions = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return { clock, store, all: sessions<Data>(store, options), [Symbol.asyncDispose]: () => store.close() };
}

describe('A session', () => {
  it('is found by its token, with user and data', async () => {
    await using on = await bench();
    const { token, id } = await on.all.create({ user: 'ann', data: { theme: 'dark' } });
    const found = await on.all.get(token);
    assert.deepEqual(found, {
      id,
      user: 'ann',
      data: { theme: 'dark' },
      createdAt: new Date(1_700_000_000_000),
      seenAt: new Date(1_700_000_000_000),
      endsAt: new Date(1_700_000_000_000 + 7 * 24 * HOUR),
    });
    assert.equal(await on.all.get('another'), undefined);
    assert.equal(await on.all.get(id), undefined, 'the id gives no access');
    const stored = (await on.store.send('KEYS', '*')) as string[];
    assert.ok(
      stored.every((key) => !key.includes(token)),
      'the store does not have the token',
    );
  });

  it('ends after its idle time, which each visit starts again, and after its lifetime in any case', async () => {
    await using on = await bench({ idle: HOUR, lifetime: 3 * HOUR });
    const { token } = await on.all.create({ data: { step: 1 } });
    for (let i = 0; i < 5; i++) {
      on.clock.advance(HOUR / 2);
      assert.ok((await on.all.touch(token)) !== undefined, `${i}`);
    }
    const { endsAt } = (await on.all.touch(token)) as { endsAt: Date };
    assert.deepEqual(endsAt, new Date(1_700_000_000_000 + 3 * HOUR));
    on.clock.advance(HOUR / 2 - 1);
    assert.ok((await on.all.touch(token)) !== undefined);
    on.clock.advance(2);
    assert.equal(await on.all.touch(token), undefined);
    assert.equal(await on.all.update(token, { step: 2 }), undefined);
    const idle = await on.all.create();
    on.clock.advance(HOUR + SLACK);
    assert.equal(await on.all.get(idle.token), undefined);
  });

  it('ends no earlier than its idle time, also if a visit did not extend the times to live of its keys', async () => {
    await using on = await bench({ idle: HOUR });
    const { token } = await on.all.create();
    await on.all.touch(token, { item: 'book' });
    const before = await on.store.send('PEXPIRETIME', ...(await on.store.send<string[]>('KEYS', '*record*')));
    on.clock.advance(10);
    const { seenAt } = (await on.all.touch(token, { item: 'book' })) as { seenAt: Date };
    const after = await on.store.send('PEXPIRETIME', ...(await on.store.send<string[]>('KEYS', '*record*')));
    assert.equal(after, before);
    on.clock.advance(HOUR - 1);
    assert.deepEqual((await on.all.get(token))?.seenAt, seenAt);
    assert.deepEqual(await on.all.viewed(token), ['book']);
    on.clock.advance(SLACK);
    assert.equal(await on.all.get(token), undefined);
    assert.deepEqual(await on.all.viewed(token), []);
    assert.equal(await on.all.count(), 0);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('is not extended by reading it', async () => {
    await using on = await bench({ idle: HOUR });
    const { token } = await on.all.create();
    on.clock.advance(HOUR - 1);
    assert.ok(await on.all.get(token));
    on.clock.advance(1 + SLACK);
    assert.equal(await on.all.get(token), undefined);
  });

  it('keeps fields that others change at the same time', async () => {
    await using on = await bench();
    const { token } = await on.all.create({ data: { theme: 'dark', step: 1 } });
    await Promise.all([on.all.update(token, { step: 2 }), on.all.update(token, { theme: 'light' })]);
    assert.deepEqual((await on.all.get(token))?.data, { theme: 'light', step: 2 });
    await on.all.update(token, { theme: undefined } as object);
    assert.deepEqual((await on.all.get(token))?.data, { step: 2 });
  });

  it('remembers the last viewed items, each once, most recent first', async () => {
    await using on = await bench({ viewed: 3 });
    const { token } = await on.all.create();
    for (const item of ['a', 'b', 'c', 'd', 'b']) {
      await on.all.touch(token, { item });
      on.clock.advance(1);
    }
    assert.deepEqual(await on.all.viewed(token), ['b', 'd', 'c']);
    assert.deepEqual(await on.all.viewed('another'), []);
  });

  it('gets another token at a login, keeps data and items, and the old token is worth nothing', async () => {
    await using on = await bench();
    const { token } = await on.all.create({ data: { step: 3 } });
    await on.all.touch(token, { item: 'book' });
    const rotated = await on.all.rotate(token, { user: 'ann' });
    assert.ok(rotated !== undefined && rotated.token !== token);
    assert.deepEqual([rotated.user, rotated.data], ['ann', { step: 3 }]);
    assert.equal(await on.all.touch(token), undefined);
    assert.deepEqual(await on.all.viewed(rotated.token), ['book']);
    assert.deepEqual(await on.all.viewed(token), []);
    assert.equal((await on.all.ofUser('ann')).length, 1);
    assert.equal(await on.all.rotate('another'), undefined);
    await on.all.revoke(rotated.token);
    on.clock.advance(700_000);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });
});

describe('The sessions of a user', () => {
  it('are listed, most recently seen first, and revoked one by one or all together', async () => {
    await using on = await bench();
    const first = await on.all.create({ user: 'ann' });
    on.clock.advance(10);
    const second = await on.all.create({ user: 'ann' });
    const bob = await on.all.create({ user: 'bob' });
    on.clock.advance(10);
    const third = await on.all.create({ user: 'ann' });
    on.clock.advance(10);
    await on.all.touch(first.token);
    assert.deepEqual(
      (await on.all.ofUser('ann')).map(({ id }) => id),
      [first.id, third.id, second.id],
    );
    assert.equal(await on.all.revokeById(second.id), true);
    assert.equal(await on.all.revokeById(second.id), false);
    assert.equal(await on.all.revokeUser('ann', { except: first.token }), 1);
    assert.deepEqual(
      (await on.all.ofUser('ann')).map(({ id }) => id),
      [first.id],
    );
    assert.equal(await on.all.revokeUser('ann'), 1);
    assert.deepEqual(await on.all.ofUser('ann'), []);
    assert.equal((await on.all.get(bob.token))?.user, 'bob');
  });

  it('do not include those that ended', async () => {
    await using on = await bench({ idle: HOUR, lifetime: 100 * HOUR });
    await on.all.create({ user: 'ann' });
    on.clock.advance(2 * HOUR);
    const { id } = await on.all.create({ user: 'ann' });
    assert.deepEqual(
      (await on.all.ofUser('ann')).map((session) => session.id),
      [id],
    );
    assert.equal(await on.store.send('ZCARD', 'session-user:{ann}:sessions'), 1, 'its entry is gone');
  });

  it('leave no entries behind, although each session only expires', async () => {
    await using on = await bench({ idle: HOUR, lifetime: 10_000 * HOUR });
    for (let i = 0; i < 100; i++) {
      await on.all.create({ user: 'ann' });
      on.clock.advance(2 * HOUR);
    }
    assert.ok((await on.store.send<number>('ZCARD', 'session-user:{ann}:sessions')) <= 65);
  });
});

/** Whether a script lists sessions that may be removed. */
const isListing = (inputs: object): boolean => 'count' in inputs && Number(inputs.count) > 0;

describe('Cleaning', () => {
  it('removes the sessions that were not seen for the longest time, with what belongs to them', async () => {
    await using on = await bench({ limit: 3 });
    const tokens: string[] = [];
    for (let i = 0; i < 6; i++) {
      on.clock.advance(10);
      tokens.push((await on.all.create({ user: `user ${i}` })).token);
      await on.all.touch(tokens[i] as string, { item: 'book' });
    }
    on.clock.advance(10);
    await on.all.touch(tokens[0] as string);
    assert.equal(await on.all.count(), 6);
    assert.equal(await on.all.clean(), 3);
    const there = await Promise.all(tokens.map(async (token) => (await on.all.get(token)) !== undefined));
    assert.deepEqual(there, [true, false, false, false, true, true]);
    assert.equal(await on.all.count(), 3);
    assert.equal(await on.all.clean(), 0);
    const left = (await on.store.send('KEYS', '*viewed*')) as string[];
    assert.equal(left.length, 3);
    assert.deepEqual(await on.all.ofUser('user 1'), []);
    assert.equal(await on.store.send('EXISTS', 'session-user:{user 1}:sessions'), 0);
  });

  it('leaves a session that came back after it was listed', async () => {
    await using on = await bench({ limit: 1, shards: 1 });
    const old = await on.all.create();
    on.clock.advance(10);
    const other = await on.all.create();
    on.clock.advance(10);
    // The visit arrives between the listing and the removal: the store's answers are held back for it.
    const returning = interposed(on.store, isListing, () => on.all.touch(old.token));
    const all = sessions(returning, { limit: 1, shards: 1 });
    await all.clean();
    assert.ok((await on.all.get(old.token)) !== undefined, 'it came back');
    assert.equal(await on.all.clean(), 1);
    assert.equal(await on.all.get(other.token), undefined, 'now the other one is the oldest');
    assert.ok((await on.all.get(old.token)) !== undefined);
  });

  it('leaves sessions that came back after their times were asked for', async () => {
    await using on = await bench({ limit: 100, shards: 1 });
    const tokens: string[] = [];
    for (let i = 0; i < 200; i++) {
      on.clock.advance(1);
      tokens.push((await on.all.create()).token);
    }
    const returning = interposed(
      on.store,
      (inputs) => 'rank' in inputs && Number(inputs.rank) > 0,
      // At the very moment of the answer, too.
      () => Promise.all(tokens.slice(0, 40).map((token) => on.all.touch(token))),
    );
    assert.equal(await sessions(returning, { limit: 100, shards: 1 }).clean(), 100);
    const there = await Promise.all(tokens.map(async (token) => (await on.all.get(token)) !== undefined));
    assert.deepEqual(
      there,
      tokens.map((_, at) => at < 40 || at >= 140),
    );
  });

  it('forgets sessions that have expired', async () => {
    await using on = await bench({ idle: HOUR });
    for (let i = 0; i < 20; i++) await on.all.create();
    on.clock.advance(2 * HOUR);
    assert.equal(await on.all.count(), 0);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('leaves nothing to revoke of a session that has ended by itself', async () => {
    await using on = await bench({ idle: HOUR });
    const { token } = await on.all.create({ user: 'ann' });
    const plain = await on.all.create();
    on.clock.advance(2 * HOUR);
    assert.equal(await on.all.revoke(token), false);
    assert.equal(await on.all.revoke(plain.token), false);
    assert.equal(await on.all.revokeUser('ann'), 0);
  });

  it('goes on in the background until it is stopped', async () => {
    await using on = await bench({ limit: 2 });
    const failures: unknown[] = [];
    const cleaner = on.all.keepClean({ every: 1_000, onError: (error) => failures.push(error) });
    for (let i = 0; i < 5; i++) await on.all.create();
    await on.clock.run(1_000);
    assert.equal(await on.all.count(), 2);
    await cleaner.stop();
    for (let i = 0; i < 5; i++) await on.all.create();
    await on.clock.run(5_000);
    assert.equal(await on.all.count(), 7);
    assert.deepEqual(failures, []);
  });

  it('ends when its store is closed', async () => {
    const on = await bench();
    const failures: unknown[] = [];
    const cleaner = on.all.keepClean({ onError: (error) => failures.push(error) });
    await on.store.close();
    await on.clock.run(1_000);
    await cleaner.stop();
    assert.deepEqual(failures, []);
  });
});
