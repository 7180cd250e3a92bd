import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  completeByHand,
  contactsByHand,
  insertMarks,
  readBetween,
} from '../../src/console/labs/listings/autocomplete.js';
import { dictionary, recentContacts } from '../../src/kit/autocomplete/index.js';
import { type EmbeddedStore, open } from '../../src/store/index.js';

const KEY = 'members:guild';

async function fill(store: EmbeddedStore, names: readonly string[]): Promise<void> {
  for (const name of names) await store.send('ZADD', KEY, 0, name);
}

async function ours(store: EmbeddedStore, names: readonly string[], prefix: string): Promise<string[]> {
  const words = dictionary(store, 'guild');
  await words.addAll(names);
  return (await words.complete(prefix)).entries.map(({ text }) => text);
}

describe('Autocomplete with marks in the sorted set, and without', () => {
  it('the marks work for a to z', async () => {
    await using store = await open();
    const names = ['abel', 'abigail', 'bob'];
    await fill(store, names);
    assert.deepEqual(await completeByHand(store, KEY, 'ab'), ['abel', 'abigail']);
    assert.deepEqual(await ours(store, names, 'ab'), ['abel', 'abigail']);
  });

  it('other characters: the marks miss names, or return wrong ones', async () => {
    await using store = await open();
    const names = ['zoe', 'zoë', '{braces', 'ann', '北京'];
    await fill(store, names);
    assert.deepEqual(await completeByHand(store, KEY, '{'), [], 'a name with a brace is never returned');
    assert.deepEqual(await ours(store, names, '{'), ['{braces']);
    assert.notDeepEqual(await completeByHand(store, KEY, '北'), ['北京']);
    assert.deepEqual(await ours(store, names, '北'), ['北京']);
    assert.deepEqual(await ours(store, names, 'ZOE'), ['zoe', 'zoë']);
  });

  it('a prefix before all names: the marks return almost all of them', async () => {
    await using store = await open();
    const names = ['bob', 'cem', 'dan', 'eve', 'fay'];
    await fill(store, names);
    const { start, end } = await insertMarks(store, KEY, '9');
    assert.deepEqual(await store.send('ZRANGE', KEY, 0, 1), [end, start], 'the range ends before it begins');
    await store.send('ZREM', KEY, start, end);
    assert.deepEqual(await completeByHand(store, KEY, '9'), ['cem', 'dan', 'eve'], 'none begins with 9');
    assert.deepEqual(await ours(store, names, '9'), []);
  });

  it('while other clients search: their marks are in the list and displace names', async () => {
    await using store = await open();
    const names = Array.from({ length: 10 }, (_, i) => `ab${String.fromCharCode(97 + i)}`);
    await fill(store, names);
    const mine = await insertMarks(store, KEY, 'ab', '0');
    const others = await Promise.all(['1', '2', '3', '4'].map((id) => insertMarks(store, KEY, 'ab', id)));
    assert.equal(await store.send('ZCARD', KEY), 20, 'readers of the list see ten marks');
    const found = await readBetween(store, KEY, mine);
    assert.equal(found.length, 6, 'six names instead of ten');
    for (const marks of others) await readBetween(store, KEY, marks);

    const words = dictionary(store, 'guild');
    await words.addAll(names);
    const all = await Promise.all(Array.from({ length: 5 }, () => words.complete('ab')));
    for (const { entries } of all)
      assert.deepEqual(
        entries.map(({ text }) => text),
        names,
      );
    assert.equal(await words.size(), 10);
  });

  it('a reader that dies leaves its marks forever', async () => {
    await using store = await open();
    await fill(store, ['ann']);
    await insertMarks(store, KEY, 'a'); // … and the process ends here
    assert.equal(await store.send('ZCARD', KEY), 3);
  });

  it('contacts: a prefix in capitals finds nothing by hand', async () => {
    await using store = await open();
    await store.send('LPUSH', 'recent', 'Ann');
    assert.deepEqual(await contactsByHand(store, 'recent', 'An'), []);
    const contacts = recentContacts(store);
    await contacts.add('me', 'Ann');
    assert.deepEqual(await contacts.complete('me', 'An'), ['Ann']);
  });
});
