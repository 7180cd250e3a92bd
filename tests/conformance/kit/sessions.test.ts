import assert from 'node:assert/strict';
import { sessions } from '../../../src/kit/sessions/index.js';
import { onEveryStore } from './support.js';

onEveryStore('Sessions', (test) => {
  test('are created, changed, rotated and revoked', async (store, { space, another }) => {
    const all = sessions<{ n: number; name: string }>(store, { prefix: space });
    const elsewhere = sessions<{ n: number; name: string }>(await another(), { prefix: space });
    const { token } = await all.create({ user: 'ann', data: { name: 'é\n"' } });
    await elsewhere.touch(token, { item: 'a' });
    await Promise.all([all.update(token, { n: 1 }), elsewhere.touch(token, { item: 'b' })]);
    assert.deepEqual((await elsewhere.get(token))?.data, { name: 'é\n"', n: 1 });
    assert.deepEqual((await all.viewed(token)).sort(), ['a', 'b']);
    const rotated = await elsewhere.rotate(token);
    assert.ok(rotated !== undefined);
    assert.equal(await all.get(token), undefined);
    assert.deepEqual((await all.viewed(rotated.token)).sort(), ['a', 'b']);
    assert.deepEqual(
      (await all.ofUser('ann')).map(({ id }) => id),
      [rotated.id],
    );
    assert.equal(await elsewhere.revokeUser('ann'), 1);
    assert.equal(await all.touch(rotated.token), undefined);
  });

  test('beyond the limit are removed, the oldest first', async (store, { space, another }) => {
    const options = { prefix: space, limit: 10 };
    const all = sessions(store, options);
    const tokens: string[] = [];
    for (let i = 0; i < 30; i++) tokens.push((await all.create({ user: 'ann' })).token);
    for (const token of tokens.slice(0, 5)) await all.touch(token, { item: 'book' });
    const others = sessions(await another(), options);
    const removed = await Promise.all([all.clean(), others.clean()]);
    assert.equal(removed[0] + removed[1], 20, `${removed}`);
    const left = await Promise.all(tokens.map(async (token) => (await all.get(token)) !== undefined));
    const expected = tokens.map((_, at) => at < 5 || at >= 25);
    assert.deepEqual(left, expected);
    assert.equal(await all.count(), 10);
    assert.equal((await all.ofUser('ann')).length, 10);
    await all.revokeUser('ann');
  });

  test('end after their idle time', async (store, { space }) => {
    const all = sessions(store, { prefix: space, idle: 50 });
    const { token } = await all.create();
    await store.time.sleep(60);
    assert.equal(await all.touch(token), undefined);
  });
});
