import assert from 'node:assert/strict';
import {
  COUNTRIES,
  choice,
  fixedText,
  packedRecords,
  unsigned,
} from '../../../src/kit/packed-records/index.js';
import { shardedHash } from '../../../src/kit/sharded-hash/index.js';
import { id64, shardedSet } from '../../../src/kit/sharded-set/index.js';
import { uniqueVisitors } from '../../../src/kit/unique-visitors/index.js';
import { onEveryStore, rejectsWith } from './support.js';

onEveryStore('Sharded structures', (test) => {
  test('a hash is one hash for all clients, whatever layout they expect', async (store, {
    space,
    another,
  }) => {
    const hash = shardedHash(store, space, { expected: 500, shardSize: 10 });
    const other = shardedHash(await another(), space, { layout: 'sequential' });
    const entries = Array.from({ length: 300 }, (_, i) => [`field ${i}`, `value ${i}`] as const);
    assert.equal(await hash.setMany(entries), 300);
    assert.equal(await other.set('field 7', 'changed'), false);
    assert.equal(await hash.get('field 7'), 'changed');
    assert.deepEqual(await other.getMany(['field 299', 'none']), ['value 299', undefined]);
    assert.equal(await other.increment(2n ** 63n - 1n, 2n ** 62n), 2n ** 62n);
    assert.equal(await other.increment('9223372036854775807'), 2n ** 62n + 1n);
    assert.equal(await hash.size(), 301);
    const found = new Map<string, string>();
    for await (const [field, value] of other) found.set(field, value);
    assert.equal(found.size, 301);
    assert.equal(await hash.delete('field 8'), true);
    assert.equal(await other.has('field 8'), false);
    await hash.remove();
    assert.equal(await shardedHash(store, space).size(), 0);
  });

  test('counters of several clients add up', async (store, { space, another }) => {
    const clients = [store, await another()].map((at) => shardedHash(at, space, { layout: 'sequential' }));
    await Promise.all(
      clients.flatMap((hits) => Array.from({ length: 100 }, (_, i) => hits.increment(i % 7, i))),
    );
    const values = await clients[0]?.getMany([0, 1, 2, 3, 4, 5, 6]);
    assert.equal(
      values?.reduce((sum, value) => sum + Number(value), 0),
      2 * 4950,
    );
    await clients[0]?.remove();
  });

  test('a set has exact 64-bit members', async (store, { space, another }) => {
    const set = shardedSet(store, space, { expected: 1_000 });
    const members = Array.from({ length: 500 }, (_, i) => id64(`${i}`));
    assert.equal(await set.addMany(members), 500);
    assert.equal(await set.addMany([...members, 2n ** 53n, 2n ** 53n + 1n]), 2);
    const other = shardedSet(await another(), space);
    assert.deepEqual(await other.hasMany([members[3] as string, 2n ** 53n + 2n]), [true, false]);
    assert.equal(await other.delete(members[3] as string), true);
    assert.equal(await set.size(), 501);
    const found = new Set<string>();
    for await (const member of other) found.add(member);
    assert.equal(found.size, 501);
    await set.remove();
  });

  test('visitors are counted once by several clients', async (store, { space, another }) => {
    const clients = [store, await another()].map((at) =>
      uniqueVisitors(at, space, { expected: 100, shardSize: 8 }),
    );
    const results = await Promise.all(
      clients.flatMap((visitors) => Array.from({ length: 60 }, (_, i) => visitors.visit(`visitor ${i}`))),
    );
    // The day may have changed meanwhile.
    const days = (await clients[1]?.days()) ?? [];
    assert.equal(
      results.filter(Boolean).length,
      days.reduce((sum, { visitors }) => sum + visitors, 0),
    );
    assert.ok((days.at(-1)?.visitors ?? 0) <= 60);
    const estimate = uniqueVisitors(store, space, { approximate: true, prefix: `${space}-estimate` });
    for (let i = 0; i < 10; i++) await estimate.visit(`visitor ${i}`);
    const seen = (await estimate.days()).map(({ day }) => day);
    assert.equal(await estimate.countTogether(seen), 10);
  });

  test('packed records are bits at an offset, changed one field at a time', async (store, {
    space,
    another,
  }) => {
    const declared = () => ({
      fields: { country: choice(COUNTRIES, { bits: 8 }), hits: unsigned(13), tag: fixedText(9) },
      recordsPerShard: 100,
    });
    const records = packedRecords(store, space, declared());
    const other = packedRecords(await another(), space, declared());
    for (let id = 0; id < 250; id += 3)
      await records.set(id, { country: COUNTRIES[id % 249] as string, tag: `é${id}` });
    await Promise.all([
      ...Array.from({ length: 50 }, () => records.increment(249, 'hits')),
      ...Array.from({ length: 50 }, () => other.increment(249, 'hits', 2)),
      other.update(249, { tag: '123456789' }),
    ]);
    assert.deepEqual(await records.get(249), { country: 'ABW', hits: 150, tag: '123456789' });
    await rejectsWith(records.increment(249, 'hits', 8191), 'RANGE');
    await rejectsWith(other.update(248, { tag: '1234567890' }), 'OPTION');
    assert.equal(await records.get(248), undefined);
    assert.deepEqual(await other.tally('hits'), [
      { values: { hits: 0 }, count: 83 },
      { values: { hits: 150 }, count: 1 },
    ]);
    assert.equal((await records.tally('tag', { ids: [0, 3, 249, 1] })).length, 3);
    assert.equal(await other.remove(249), true);
    const ids: number[] = [];
    for await (const [id] of records) ids.push(id);
    assert.deepEqual(
      ids,
      Array.from({ length: 83 }, (_, i) => i * 3),
    );
    await records.clear();
    assert.equal(await other.get(0), undefined);
  });
});
