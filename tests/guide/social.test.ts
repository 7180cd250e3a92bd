import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SocialNetwork, type StatusPage, socialNetwork } from '../../src/kit/social/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import {
  deleteByHand,
  followByHand,
  followersKey,
  homeKey,
  refillByHand,
  removeFromListByHand,
  syndicateByHand,
  syndicateWithListsByHand,
  unfollowByHand,
} from './social-by-hand.js';

interface Bench extends AsyncDisposable {
  readonly store: EmbeddedStore;
  readonly clock: ManualClock;
  readonly network: SocialNetwork;
}

async function bench(users: readonly string[], options: object = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const network = socialNetwork(store, options);
  for (const name of users) await network.signUp(name);
  return { store, clock, network, [Symbol.asyncDispose]: () => store.close() };
}

async function settled({ network, clock }: Bench): Promise<void> {
  const worker = network.work();
  for (;;) {
    await clock.run(30_000);
    const { waiting, active, delayed } = await network.queue.counts();
    if (waiting + active + delayed === 0) break;
  }
  const stopping = worker.stop();
  await clock.run(10);
  await stopping;
}

const texts = ({ statuses }: StatusPage): string[] => statuses.map(({ text }) => text);

describe('Posting to followers by hand, and by the network', () => {
  it('more followers of one second than a pass: the passes by hand never end', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `fan${index}`);
    await using on = await bench(['ann', ...names], { passSize: 10 });
    for (const name of names) await on.store.send('ZADD', followersKey('ann'), 1_700_000_000, name);
    const todo: string[] = ['0'];
    for (let passes = 0; passes < 50; passes++) {
      const start = todo.shift() as string;
      await syndicateByHand(on.store, 'ann', 's1', 1, start, (_, args) => todo.push(args[3] as string), 10);
    }
    assert.deepEqual(todo, ['1700000000'], 'after fifty passes there is another one');
    const served = await Promise.all(names.map((name) => on.store.send<number>('EXISTS', homeKey(name))));
    assert.equal(
      served.reduce((sum, count) => sum + count, 0),
      10,
      'all passes served the same ten',
    );

    for (const name of names) await on.network.follow(name, 'ann');
    await on.network.post('ann', 'hello');
    await settled(on);
    for (const name of names) assert.deepEqual(texts(await on.network.home(name)), ['hello'], name);
  });

  it('the last follower of a pass is served twice by hand', async () => {
    await using on = await bench([]);
    const names = Array.from({ length: 25 }, (_, index) => `fan${index}`);
    for (const [index, name] of names.entries())
      await on.store.send('ZADD', followersKey('ann'), index, name);
    let writes = 0;
    const counting = new Proxy(on.store, {
      get(target, name): unknown {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'pipeline') return typeof value === 'function' ? value.bind(target) : value;
        return async (build: never) => {
          const results = await target.pipeline(build);
          writes += (results as unknown[]).length / 2;
          return results;
        };
      },
    });
    const todo = ['0'];
    for (let start = todo.shift(); start !== undefined; start = todo.shift()) {
      await syndicateByHand(counting, 'ann', 's1', 1, start, (_, args) => todo.push(args[3] as string), 10);
    }
    assert.equal(writes, 27, 'two followers were served twice');
  });

  it('the variant with lists leaves the wrong function for later: lists get nothing', async () => {
    await using on = await bench(['ann', 'bob']);
    await on.store.send('ZADD', 'list:out:ann', 1, 'friends');
    const tasks: [string, readonly unknown[]][] = [];
    await syndicateWithListsByHand(on.store, 'ann', 's1', 1, '0', false, (...task) => tasks.push(task));
    const [[name, args]] = tasks as [[string, readonly unknown[]]];
    assert.deepEqual([name, args.length], ['syndicate', 5], 'a function of four arguments, with five');
    assert.equal(await on.store.send('EXISTS', 'list:statuses:friends'), 0);

    const list = await on.network.createList('bob', 'friends');
    await on.network.addToList(list, 'ann');
    await on.network.post('ann', 'hello');
    assert.deepEqual(texts(await on.network.listTimeline(list)), ['hello']);
  });

  it('a task that holds a connection cannot be written down', async () => {
    await using on = await bench(['ann', 'bob'], { passSize: 1 });
    const connection = { send: on.store.send };
    const [returned] = JSON.parse(JSON.stringify([connection, 'ann', 's1', 1])) as [object];
    assert.deepEqual(returned, {}, 'what a worker reads is no connection');
    await on.network.follow('bob', 'ann');
    await on.network.post('ann', 'hello');
    for (const { data } of await on.network.queue.list('waiting')) {
      assert.deepEqual(JSON.parse(JSON.stringify(data)), data, 'tasks are plain data');
    }
  });
});

describe('Relations by hand, and by the network', () => {
  it('unfollowing adds to the counts, and a crash leaves them behind', async () => {
    await using on = await bench(['ann', 'bob']);
    await (await followByHand(on.store, 'bob', 'ann', 1))();
    await unfollowByHand(on.store, 'bob', 'ann');
    assert.equal(await on.store.send('HGET', 'user:ann', 'followers'), '2', 'the set is empty');
    await followByHand(on.store, 'bob', 'ann', 1); // … and the process ends here
    await unfollowByHand(on.store, 'bob', 'ann');
    assert.equal(await on.store.send('ZCARD', followersKey('ann')), 0);
    assert.equal(await on.store.send('HGET', 'user:ann', 'followers'), '3');

    await on.network.follow('bob', 'ann');
    await on.network.unfollow('bob', 'ann');
    assert.equal((await on.network.user('ann'))?.followers, 0);
  });

  it('refilling: users of one second are read repeatedly, and others never', async () => {
    await using on = await bench([]);
    for (let i = 0; i < 7; i++) await on.store.send('ZADD', 'following:bob', 5, `user${i}`);
    const passes = await refillByHand(on.store, 'following:bob', 'home:bob', { usersAtOnce: 3 });
    assert.equal(passes.length, 10);
    assert.deepEqual(new Set(passes.flat()), new Set(['user0', 'user1', 'user2']));
  });

  it('taking a user out of a list: it is refilled while it is full, and short after that', async () => {
    await using on = await bench(['ann', 'bob', 'cem'], { timelineSize: 8 });
    for (let i = 0; i < 1_000; i++) {
      await on.store.send('ZADD', 'profile:ann', i + 2_000, `a${i}`);
      await on.store.send('ZADD', 'profile:cem', i, `c${i}`);
    }
    for (const user of ['ann', 'cem']) await on.store.send('ZADD', 'list:in:x', 1, user);
    await refillByHand(on.store, 'list:in:x', 'list:statuses:x');
    await removeFromListByHand(on.store, 'x', 'ann');
    assert.equal(await on.store.send('ZCARD', 'list:statuses:x'), 0, 'there are 1,000 statuses of cem');

    const list = await on.network.createList('bob', 'x');
    for (const user of ['ann', 'cem']) await on.network.addToList(list, user);
    for (const user of ['cem', 'ann'])
      for (let i = 0; i < 10; i++) await on.network.post(user, `${user} ${i}`);
    await on.network.removeFromList(list, 'ann');
    await settled(on);
    assert.deepEqual(
      texts(await on.network.listTimeline(list)),
      Array.from({ length: 8 }, (_, i) => `cem ${9 - i}`),
    );
  });

  it('a deleted status stays in the homes of followers by hand', async () => {
    await using on = await bench(['ann', 'bob']);
    await on.store.send('ZADD', followersKey('ann'), 1, 'bob');
    await syndicateByHand(on.store, 'ann', 's1', 1, '0', () => {});
    await deleteByHand(on.store, 'ann', 's1');
    assert.equal(await on.store.send('ZCARD', homeKey('bob')), 1, 'and takes the place of another one');

    await on.network.follow('bob', 'ann');
    const { id } = await on.network.post('ann', 'hello');
    await on.network.deleteStatus('ann', id);
    assert.equal(await on.store.send('EXISTS', 'social:{bob}:home'), 0);
  });
});
