/** The social network and its stream on every kind of store, in one suite: each suite starts servers of its own. */
import assert from 'node:assert/strict';
import { type SocialNetwork, type StatusPage, socialNetwork } from '../../../src/kit/social/index.js';
import { streaming } from '../../../src/kit/streaming/index.js';
import { onEveryStore, until } from './support.js';

const texts = ({ statuses }: StatusPage): string[] => statuses.map(({ text }) => text);

async function settled({ queue }: SocialNetwork): Promise<void> {
  await until('the queue is empty', async () => {
    const { waiting, active, delayed } = await queue.counts();
    return waiting + active + delayed === 0;
  });
}

onEveryStore('A social network', (test) => {
  test('statuses go to followers and lists, and are deleted everywhere', async (store, {
    space,
    another,
  }) => {
    const network = socialNetwork(store, { prefix: space, passSize: 3, timelineSize: 5 });
    const elsewhere = socialNetwork(await another(), { prefix: space, passSize: 3, timelineSize: 5 });
    await using worker = elsewhere.work();
    const names = Array.from({ length: 8 }, (_, index) => `user${index}`);
    const signedUp = await Promise.all(['Ann', 'ANN', 'ann'].map((name) => network.signUp(name)));
    assert.equal(signedUp.filter((user) => user !== undefined).length, 1);
    for (const name of names) await network.signUp(name);
    await network.post('ann', 'before');
    assert.deepEqual(
      await Promise.all(names.map((name) => network.follow(name, 'ann'))),
      names.map(() => 'followed'),
    );
    const list = await network.createList('user0', 'friends');
    await elsewhere.addToList(list, 'ann');
    const { id } = await network.post('ann', 'é "hello"', { data: { n: 1 } });
    await settled(network);
    for (const name of names)
      assert.deepEqual(texts(await elsewhere.home(name)), ['é "hello"', 'before'], name);
    assert.deepEqual(texts(await network.listTimeline(list)), ['é "hello"', 'before']);
    assert.deepEqual([await network.like('user1', id), await elsewhere.like('user1', id)], [true, false]);
    assert.deepEqual((await network.status(id))?.data, { n: 1 });
    assert.equal((await network.status(id))?.likes, 1);
    await elsewhere.deleteStatus('ann', id);
    await settled(network);
    for (const name of names) assert.deepEqual(texts(await network.home(name)), ['before'], name);
    await network.unfollow('user1', 'ann');
    assert.equal(await network.block('ann', 'user0'), true);
    await settled(network);
    assert.equal((await network.user('ann'))?.followers, 6);
    assert.deepEqual(texts(await network.listTimeline(list)), []);
    assert.deepEqual((await network.commonFollowers('ann', 'user2')).length, 0);
    await worker.stop();
  });

  test('a timeline that had no room is refilled', async (store, { space }) => {
    const network = socialNetwork(store, { prefix: space, timelineSize: 4 });
    await using worker = network.work();
    for (const name of ['ann', 'bob', 'cem']) await network.signUp(name);
    for (let i = 0; i < 3; i++) await network.post('cem', `cem ${i}`);
    for (let i = 0; i < 4; i++) await network.post('ann', `ann ${i}`);
    for (const author of ['cem', 'ann']) await network.follow('bob', author);
    const first = await network.home('bob', { count: 2 });
    const second = await network.home('bob', { count: 2, after: first.next as string });
    assert.deepEqual([...texts(first), ...texts(second)], ['ann 3', 'ann 2', 'ann 1', 'ann 0']);
    await network.unfollow('bob', 'ann');
    await settled(network);
    assert.deepEqual(texts(await network.home('bob')), ['cem 2', 'cem 1', 'cem 0']);
    await worker.stop();
  });

  test('its statuses are streamed, with their deletions, to programs that filter them', async (store, {
    space,
    another,
  }) => {
    const live = streaming(store, space);
    const network = socialNetwork(store, {
      prefix: space,
      onEvent: async (event) => {
        if (event.kind === 'deleted') await live.retract(event.id, event.author);
        else await live.publish({ id: event.status.id, user: event.status.author, text: event.status.text });
      },
    });
    await network.signUp('ann');
    const end = new AbortController();
    const seen: string[] = [];
    const own = streaming(await another(), space);
    const reading = (async () => {
      for await (const event of own.events({
        after: '0-0',
        filter: { track: ['redis'] },
        signal: end.signal,
      })) {
        if (event.kind === 'message') seen.push(event.message.text);
        if (event.kind === 'deletion') seen.push(`-${event.id}`);
        if (seen.at(-1) === 'last redis') end.abort();
      }
    })();
    const { id } = await network.post('ann', 'Redis!');
    await network.post('ann', 'something else');
    await network.deleteStatus('ann', id);
    await network.post('ann', 'last redis');
    await reading;
    assert.deepEqual(seen, ['Redis!', `-${id}`, 'last redis']);
  });
});
