import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import {
  type NetworkEvent,
  type NetworkOptions,
  type SocialNetwork,
  type StatusPage,
  socialNetwork,
} from './index.js';
import { ATTACH, DELIVER, OFFER } from './scripts.js';

const LEASE = 30_000;

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly network: SocialNetwork;
}

async function bench(options: NetworkOptions = {}, users = ['ann', 'bob', 'cem']): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const network = socialNetwork(store, { onError: () => {}, ...options });
  for (const name of users) await network.signUp(name);
  return { clock, store, network, [Symbol.asyncDispose]: () => store.close() };
}

const texts = ({ statuses }: StatusPage): string[] => statuses.map(({ text }) => text);

/** Lets a worker do what is in the queue. */
async function drain({ clock, network }: Bench): Promise<void> {
  const worker = network.work();
  for (let round = 0; round < 100; round++) {
    await clock.run(LEASE);
    const { waiting, active, delayed, dead } = await network.queue.counts();
    assert.equal(dead, 0);
    if (waiting + active + delayed === 0) break;
  }
  const stopping = worker.stop();
  await clock.run(10);
  await stopping;
}

/** A network that calls `meanwhile` once, just before this script runs. */
function interrupted(
  on: Bench,
  script: object,
  meanwhile: () => Promise<unknown>,
  options: NetworkOptions = {},
): SocialNetwork {
  let isDone = false;
  const store = new Proxy(on.store, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
      return (definition: never) => {
        const run = target.script(definition) as (inputs: never) => Promise<unknown>;
        if (definition !== script) return run;
        return async (inputs: never) => {
          if (!isDone) {
            isDone = true;
            await meanwhile();
          }
          return run(inputs);
        };
      };
    },
  });
  return socialNetwork(store, { onError: () => {}, ...options });
}

/** Follows an author by many users at once: all in one ms. */
async function crowd({ store, network }: Bench, author: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `fan${index}`);
  await Promise.all(names.map((name) => network.signUp(name)));
  // As an import would do it; each call of `follow` takes a few round trips.
  await store.pipeline((batch) =>
    names.flatMap((name, index) => [
      batch.send('ZADD', `social:{${name}}:following`, index + 1, author),
      batch.send('ZADD', `social:{${author}}:followers`, 1_700_000_000_000, name),
    ]),
  );
  return names;
}

describe('Users', () => {
  it('have names that differ in more than case and Unicode form', async () => {
    await using on = await bench({}, []);
    const all = await Promise.all(
      ['Zoë', 'zoë', 'ZOË', 'Zoe\u0308', 'ｚoë'].map((login) => on.network.signUp(login)),
    );
    assert.equal(all.filter((user) => user !== undefined).length, 1);
    const zoe = await on.network.user('zoË');
    assert.deepEqual([zoe?.id, zoe?.login, zoe?.name, zoe?.posts], ['zoë', 'Zoë', 'Zoë', 0]);
    assert.equal((await on.network.signUp('北京', { name: 'Beijing', data: { a: 1 } }))?.name, 'Beijing');
    assert.deepEqual((await on.network.user('北京'))?.data, { a: 1 });
    for (const name of ['', 'a b', 'a/b', '{x}', '-a', 'x'.repeat(51), 'a\n']) {
      await assert.rejects(on.network.signUp(name), { code: 'OPTION' }, name);
    }
  });

  it('that do not exist cannot do anything, and nothing is changed', async () => {
    await using on = await bench({}, ['ann']);
    const { network } = on;
    const { id } = await network.post('ann', 'hello');
    const list = await network.createList('ann', 'friends');
    const before = (await on.store.send('KEYS', 'social:*')) as string[];
    for (const call of [
      () => network.post('missing', 'x'),
      () => network.follow('missing', 'ann'),
      () => network.follow('ann', 'missing'),
      () => network.unfollow('missing', 'ann'),
      () => network.block('ann', 'missing'),
      () => network.block('missing', 'ann'),
      () => network.like('missing', id),
      () => network.createList('missing', 'x'),
      () => network.addToList(list, 'missing'),
    ]) {
      await assert.rejects(call(), { code: 'UNKNOWN_USER', message: /no user 'missing'/ }, String(call));
    }
    await assert.rejects(network.like('ann', 'ann/1'), { code: 'UNKNOWN_STATUS' });
    await assert.rejects(network.addToList('ann/list-1', 'ann'), { code: 'UNKNOWN_LIST' });
    await assert.rejects(network.follow('ann', 'ANN'), { code: 'OPTION', message: /themselves/ });
    assert.equal(await network.user('missing'), undefined);
    assert.deepEqual((await network.home('missing')).statuses, []);
    assert.deepEqual(((await on.store.send('KEYS', 'social:*')) as string[]).sort(), before.sort());
    const { delayed, waiting } = await network.queue.counts();
    assert.equal(delayed + waiting, 0, 'no task is left');
  });
});

describe('Timelines', () => {
  it('have the newest statuses of the users that a user follows; the profile has all', async () => {
    await using on = await bench({ timelineSize: 3 });
    await on.network.post('ann', 'before');
    assert.equal(await on.network.follow('BOB', 'Ann'), 'followed');
    assert.equal(await on.network.follow('bob', 'ann'), 'already');
    for (let i = 0; i < 4; i++) await on.network.post('ann', `text ${i}`, { data: { i } });
    assert.deepEqual(texts(await on.network.home('bob')), ['text 3', 'text 2', 'text 1']);
    assert.deepEqual(texts(await on.network.profile('ann')), [
      'text 3',
      'text 2',
      'text 1',
      'text 0',
      'before',
    ]);
    assert.deepEqual((await on.network.home('bob')).statuses[0]?.data, { i: 3 });
    assert.equal(await on.network.unfollow('bob', 'ann'), true);
    assert.equal(await on.network.unfollow('bob', 'ann'), false);
    assert.deepEqual(texts(await on.network.home('bob')), []);
  });

  it('are read page by page, exactly after the last status, even if it is gone', async () => {
    await using on = await bench();
    for (const author of ['ann', 'cem']) await on.network.follow('bob', author);
    // The clock stands still: statuses of both authors have the same times.
    for (let i = 0; i < 5; i++)
      for (const author of ['ann', 'cem']) await on.network.post(author, `${author} ${i}`);
    const all = (await on.network.home('bob')).statuses.map(({ id }) => id);
    assert.equal(all.length, 10);
    const first = await on.network.home('bob', { count: 4 });
    const last = first.statuses.at(-1)?.id as string;
    assert.equal(first.next, last);
    await on.network.deleteStatus(last.split('/')[0] as string, last);
    const second = await on.network.home('bob', { count: 4, after: first.next as string });
    const third = await on.network.home('bob', { count: 4, after: second.next as string });
    const seen = [first, second, third].flatMap(({ statuses }) => statuses.map(({ id }) => id));
    assert.deepEqual(seen, all);
    assert.equal(third.next, undefined);
    await assert.rejects(on.network.home('bob', { after: 'x' }), { code: 'OPTION' });
  });

  it('are refilled after a user was unfollowed', async () => {
    await using on = await bench({ timelineSize: 4 });
    // A home that has no room for old statuses, by one that comes or by many that are copied.
    await on.network.signUp('dan');
    for (const author of ['ann', 'cem']) await on.network.follow('dan', author);
    for (let i = 0; i < 6; i++) await on.network.post('cem', `cem ${i}`);
    on.clock.advance(1);
    for (let i = 0; i < 4; i++) await on.network.post('ann', `ann ${i}`);
    for (const author of ['ann', 'cem']) await on.network.follow('bob', author);
    assert.deepEqual(texts(await on.network.home('bob')), ['ann 3', 'ann 2', 'ann 1', 'ann 0']);
    for (const name of ['bob', 'dan']) {
      await on.network.unfollow(name, 'ann');
      await drain(on);
      assert.deepEqual(texts(await on.network.home(name)), ['cem 5', 'cem 4', 'cem 3', 'cem 2'], name);
    }
  });

  it('of lists are those of their members', async () => {
    await using on = await bench();
    const list = await on.network.createList('bob', 'friends');
    assert.deepEqual(await on.network.lists('bob'), [{ id: list, name: 'friends' }]);
    await on.network.post('ann', 'old');
    assert.equal(await on.network.addToList(list, 'ann'), 'followed');
    assert.equal(await on.network.addToList(list, 'bob'), 'followed', 'also its owner');
    await on.network.post('ann', 'new');
    assert.deepEqual(texts(await on.network.listTimeline(list)), ['new', 'old']);
    assert.deepEqual(texts(await on.network.home('bob')), []);
    assert.equal((await on.network.user('ann'))?.followers, 0, 'lists are no followers');
    assert.deepEqual((await on.network.listMembers(list)).users, ['bob', 'ann']);
    assert.equal(await on.network.removeFromList(list, 'ann'), true);
    assert.deepEqual(texts(await on.network.listTimeline(list)), []);
    assert.equal(await on.network.deleteList(list), true);
    assert.equal(await on.network.deleteList(list), false);
    assert.deepEqual(await on.store.send('KEYS', '*list*'), []);
  });
});

describe('A status goes to many followers', () => {
  it('of one instant, and serves each once, in passes of a thousand', async () => {
    await using on = await bench({}, ['ann']);
    const names = await crowd(on, 'ann', 3_500);
    const served = new Map<string, number>();
    const passes: number[] = [];
    const store = new Proxy(on.store, {
      get(target, name): unknown {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
        return (definition: never) => {
          const run = target.script(definition) as (inputs: { heads: string[] }) => Promise<unknown>;
          if ((definition as object) !== DELIVER) return run;
          return async (inputs: { heads: string[] }) => {
            passes.push(inputs.heads.length);
            for (const head of inputs.heads) served.set(head, (served.get(head) ?? 0) + 1);
            return run(inputs);
          };
        };
      },
    });
    const network = socialNetwork(store);
    await network.post('ann', 'hello');
    assert.equal(
      passes.reduce((sum, count) => sum + count, 0),
      1_000,
      'the first pass is made at once',
    );
    const { waiting, delayed } = await network.queue.counts();
    assert.deepEqual([waiting, delayed], [1, 0], 'the queue goes on');
    await drain({ ...on, network });
    assert.equal(served.size, names.length);
    assert.deepEqual([...new Set(served.values())], [1]);
    for (const name of ['fan0', 'fan999', 'fan3499'])
      assert.deepEqual(texts(await network.home(name)), ['hello']);
  });

  it('also if the one where a pass ended leaves before the next', async () => {
    await using on = await bench({ passSize: 10 }, ['ann']);
    const names = await crowd(on, 'ann', 35);
    await on.network.post('ann', 'hello');
    const order = (await on.store.send('ZRANGE', 'social:{ann}:followers', 0, -1)) as string[];
    for (const name of order.slice(5, 15)) await on.network.unfollow(name, 'ann');
    await drain(on);
    for (const name of names) {
      const isGone = order.slice(5, 15).includes(name);
      assert.deepEqual(texts(await on.network.home(name)), isGone ? [] : ['hello'], name);
    }
  });

  it('and is finished by the queue if the process dies', async () => {
    await using on = await bench({ passSize: 10 }, ['ann']);
    const names = await crowd(on, 'ann', 35);
    const die = async (): Promise<void> => {
      throw new Error('died');
    };
    await interrupted(on, DELIVER, die, { passSize: 10 }).post('ann', 'hello');
    assert.deepEqual(texts(await on.network.home('fan0')), []);
    await drain(on);
    for (const name of names) assert.deepEqual(texts(await on.network.home(name)), ['hello'], name);
    assert.equal(await on.store.send('EXISTS', 'social:{ann}:pending'), 0);
  });
});

describe('While a status is on its way', () => {
  it('it does not come into the home of a user who stops to follow', async () => {
    await using on = await bench();
    await on.network.follow('bob', 'ann');
    const network = interrupted(on, DELIVER, () => on.network.unfollow('bob', 'ann'));
    await network.post('ann', 'late');
    await drain(on);
    assert.deepEqual(await on.store.send('EXISTS', 'social:{bob}:home'), 0);
  });

  it('it comes into no home if it is deleted', async () => {
    await using on = await bench();
    await on.network.follow('bob', 'ann');
    const network = interrupted(on, DELIVER, async () => {
      const [status] = (await on.network.profile('ann')).statuses;
      await on.network.deleteStatus('ann', status?.id as string);
    });
    await network.post('ann', 'gone');
    await drain(on);
    assert.equal(await on.store.send('EXISTS', 'social:{bob}:home'), 0);
  });

  it('a new follower gets it exactly once', async () => {
    await using on = await bench();
    await on.network.follow('bob', 'ann');
    const network = interrupted(on, DELIVER, () => on.network.follow('cem', 'ann'));
    await network.post('ann', 'new');
    await drain(on);
    assert.deepEqual(texts(await on.network.home('cem')), ['new']);
  });

  it('what was read too long ago is read again', async () => {
    await using on = await bench();
    await on.network.follow('bob', 'ann');
    const network = interrupted(on, DELIVER, async () => on.clock.advance(LEASE / 3 + 1));
    await network.post('ann', 'slow');
    assert.equal((await on.network.queue.counts()).delayed, 1, 'this process leaves it to the queue');
    await drain(on);
    assert.deepEqual(texts(await on.network.home('bob')), ['slow']);
  });
});

describe('While a user begins to follow', () => {
  it('a status that is deleted does not stay in the home', async () => {
    await using on = await bench();
    const { id } = await on.network.post('ann', 'gone');
    await on.network.post('ann', 'stays');
    const network = interrupted(on, OFFER, () => on.network.deleteStatus('ann', id));
    assert.equal(await network.follow('bob', 'ann'), 'followed');
    await drain(on);
    assert.equal(await on.store.send('ZCARD', 'social:{bob}:home'), 1);
  });

  it('an unfollow or block in between wins', async () => {
    for (const [meanwhile, expected] of [
      ['unfollow', 'followed'],
      ['block', 'blocked'],
    ] as const) {
      await using on = await bench();
      await on.network.post('ann', 'x');
      const network = interrupted(on, ATTACH, () =>
        meanwhile === 'block' ? on.network.block('ann', 'bob') : on.network.unfollow('bob', 'ann'),
      );
      assert.equal(await network.follow('bob', 'ann'), expected);
      await drain(on);
      assert.equal((await on.network.user('ann'))?.followers, 0);
      assert.equal((await on.network.user('bob'))?.following, 0);
      assert.deepEqual(texts(await on.network.home('bob')), []);
    }
  });
});

describe('While a user stops to follow', () => {
  it('the same user can follow again', async () => {
    await using on = await bench();
    await on.network.post('ann', 'x');
    await on.network.follow('bob', 'ann');
    const network = interrupted(on, ATTACH, () => on.network.follow('bob', 'ann'));
    assert.equal(await network.unfollow('bob', 'ann'), true);
    await drain(on);
    assert.deepEqual((await on.network.followers('ann')).users, ['bob']);
    assert.deepEqual(texts(await on.network.home('bob')), ['x']);
  });
});

describe('Blocking', () => {
  it('ends that they follow each other, by lists too, until it is ended', async () => {
    await using on = await bench();
    const { network } = on;
    const { id } = await network.post('ann', 'x');
    const list = await network.createList('bob', 'friends');
    await network.follow('bob', 'ann');
    await network.follow('ann', 'bob');
    await network.addToList(list, 'ann');
    assert.equal(await network.block('ann', 'bob'), true);
    assert.equal(await network.block('ann', 'bob'), false);
    for (const name of ['ann', 'bob']) {
      const user = await network.user(name);
      assert.deepEqual([user?.followers, user?.following], [0, 0], name);
    }
    assert.deepEqual(texts(await network.listTimeline(list)), []);
    assert.deepEqual(
      await Promise.all([
        network.follow('bob', 'ann'),
        network.addToList(list, 'ann'),
        network.follow('ann', 'bob'),
      ]),
      ['blocked', 'blocked', 'blocked'],
    );
    await assert.rejects(network.like('bob', id), { code: 'BLOCKED' });
    assert.deepEqual((await network.blocked('ann')).users, ['bob']);
    assert.equal(await network.unblock('ann', 'bob'), true);
    assert.equal(await network.follow('bob', 'ann'), 'followed');
  });

  it('leaves nothing of a list that is deleted meanwhile', async () => {
    await using on = await bench();
    const list = await on.network.createList('bob', 'friends');
    await on.network.addToList(list, 'ann');
    const network = interrupted(on, ATTACH, () => on.network.deleteList(list));
    await network.block('bob', 'ann');
    await drain(on);
    assert.equal(await on.store.send('EXISTS', 'social:{ann}:listed'), 0);
  });
});

describe('Likes and followers', () => {
  it('are counted by their sets', async () => {
    await using on = await bench();
    const { id } = await on.network.post('ann', 'x');
    assert.deepEqual([await on.network.like('bob', id), await on.network.like('BOB', id)], [true, false]);
    await on.network.like('cem', id);
    assert.equal((await on.network.status(id))?.likes, 2);
    assert.deepEqual((await on.network.likers(id)).users.toSorted(), ['bob', 'cem']);
    const { id: other } = await on.network.post('bob', 'y');
    assert.deepEqual(await on.network.liked('Bob', [id, other, 'ann/1']), new Set([id]));
    assert.deepEqual(await on.network.liked('dan', []), new Set());
    assert.deepEqual([await on.network.unlike('bob', id), await on.network.unlike('bob', id)], [true, false]);
    assert.equal(await on.network.deleteStatus('bob', id), false, 'only by its author');
    assert.equal(await on.network.deleteStatus('ann', id), true);
    assert.equal(await on.network.deleteStatus('ann', id), false);
    assert.equal(await on.network.status(id), undefined);
    assert.deepEqual((await on.network.likers(id)).users, []);
  });

  it('are listed page by page, also thousands of one instant, and those of two users compared', async () => {
    await using on = await bench();
    const names = await crowd(on, 'ann', 2_500);
    for (const name of names.slice(0, 3)) await on.network.follow(name, 'bob');
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await on.network.followers('ann', {
        count: 900,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page.users);
      after = page.next;
      if (after === undefined) break;
    }
    assert.deepEqual(seen.toSorted(), names.toSorted());
    assert.deepEqual((await on.network.commonFollowers('ann', 'bob')).sort(), names.slice(0, 3));
    assert.equal((await on.network.commonFollowers('bob', 'ann', { limit: 2 })).length, 2);
    await assert.rejects(on.network.followers('ann', { after: 'x' }), { code: 'OPTION' });
  });
});

describe('Events', () => {
  it('tell of statuses at least once, and a failed one is repeated by the queue', async () => {
    const events: NetworkEvent[] = [];
    let isBroken = true;
    await using on = await bench({
      onEvent: async (event) => {
        if (isBroken) throw new Error('broken');
        events.push(event);
      },
    });
    await on.network.follow('bob', 'ann');
    const { id } = await on.network.post('ann', 'hello');
    isBroken = false;
    await drain(on);
    assert.deepEqual(texts(await on.network.home('bob')), ['hello']);
    await on.network.deleteStatus('ann', id);
    assert.deepEqual(
      events.map((event) => [event.kind, event.kind === 'posted' ? event.status.text : event.id]),
      [
        ['posted', 'hello'],
        ['deleted', id],
      ],
    );
  });
});

describe('Limits', () => {
  it('are kept', async () => {
    await using on = await bench({ maxFollowing: 1, maxLists: 1, maxText: 5 });
    await on.network.follow('ann', 'bob');
    await assert.rejects(on.network.follow('ann', 'cem'), { code: 'FULL', message: /maxFollowing/ });
    await on.network.createList('ann', 'one');
    await assert.rejects(on.network.createList('ann', 'two'), { code: 'FULL', message: /maxLists/ });
    await assert.rejects(on.network.post('ann', 'longer'), {
      code: 'OPTION',
      message: /1 to 5 characters, not 6/,
    });
    await assert.rejects(on.network.post('ann', ''), { code: 'OPTION' });
    await assert.rejects(on.network.post('ann', 'x', { data: 5n }), { code: 'OPTION' });
  });
});
