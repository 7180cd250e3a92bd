import assert from 'node:assert/strict';
import { dictionary, recentContacts } from '../../../src/kit/autocomplete/index.js';
import { onEveryStore } from './support.js';

onEveryStore('Autocomplete', (test) => {
  test('contacts that several clients use are there once, and at most `limit`', async (store, {
    space,
    another,
  }) => {
    const clients = [store, await another()].map((own) => recentContacts(own, { prefix: space, limit: 5 }));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => clients[i % 2]!.add('me', `Contact ${(i * 7) % 10}`)),
    );
    const found = await clients[0]!.complete('me', 'CONT');
    assert.equal(found.length, 5);
    assert.equal(new Set(found).size, 5);
    await clients[1]!.add('me', 'Ünal');
    assert.deepEqual(await clients[0]!.complete('me', 'un'), ['Ünal']);
    assert.equal(await clients[1]!.remove('me', 'Ünal'), true);
    await clients[0]!.clear('me');
    assert.deepEqual(await clients[1]!.complete('me', ''), []);
  });

  test('a dictionary finds what begins with the prefix, while others change it', async (store, {
    space,
    another,
  }) => {
    const words = dictionary(store, space);
    const elsewhere = dictionary(await another(), space);
    const added = await Promise.all([
      words.addAll(Array.from({ length: 300 }, (_, i) => ({ text: `Wörd ${i}`, weight: i % 50 }))),
      elsewhere.addAll(['Work', '北京', '😀']),
    ]);
    assert.deepEqual(added, [300, 3]);
    const [pages] = await Promise.all([
      allPages(elsewhere, 'word'),
      ...Array.from({ length: 20 }, (_, i) => words.boost('Work', i)),
    ]);
    assert.equal(pages.length, 300);
    assert.equal(new Set(pages).size, 300);
    assert.deepEqual(await allPages(words, '北'), ['北京']);
    assert.deepEqual((await words.complete('wor', { limit: 1 })).entries, [{ text: 'Work', weight: 190 }]);
    assert.deepEqual(await allPages(words, 'xyz'), []);
    assert.equal(await elsewhere.remove('Work'), true);
    assert.equal(await words.size(), 302);
    await words.clear();
    assert.equal(await elsewhere.size(), 0);
    // Without weights.
    const plain = Array.from({ length: 100 }, (_, i) => `n\n ${String(i).padStart(3, '0')}`);
    await words.addAll(plain);
    assert.deepEqual(await allPages(elsewhere, 'N '), plain);
  });
});

async function allPages(words: ReturnType<typeof dictionary>, prefix: string): Promise<string[]> {
  const texts: string[] = [];
  let after: string | undefined;
  do {
    const { entries, next } = await words.complete(prefix, { limit: 40, after });
    texts.push(...entries.map(({ text }) => text));
    after = next;
  } while (after !== undefined);
  return texts;
}
