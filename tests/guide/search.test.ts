import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchIndex, stringScore } from '../../src/kit/search/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import { indexByHand, pageByHand, searchByHand, stringScoreByHand } from './search-by-hand.js';

const TEXTS = { a: 'white whale', b: 'whale hunter', c: 'hunter gatherer' } as const;

async function ours(store: EmbeddedStore, keepResults = 60_000) {
  const texts = searchIndex(store, 'texts', { fields: { body: 'text' }, keepResults });
  for (const [id, body] of Object.entries(TEXTS)) await texts.index(id, { body });
  return texts;
}

async function byHand(store: EmbeddedStore): Promise<void> {
  for (const [id, text] of Object.entries(TEXTS)) await indexByHand(store, id, text);
}

describe('Search by sets of words, by hand and with the component', () => {
  it('by hand: the result of one word is the index itself, and a time to live destroys it', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    await byHand(store);
    const id = await searchByHand(store, 'whale');
    await store.send('EXPIRE', `idx:${id}`, 30);
    await clock.run(31_000);
    assert.deepEqual((await pageByHand(store, 'whale')).found, [], 'the word is gone');

    const texts = await ours(store, 30_000);
    await texts.search('whale');
    await clock.run(31_000);
    assert.equal((await texts.search('whale')).total, 2);
  });

  it('by hand: reading pages does not keep a result, because the key lacks its prefix', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    await byHand(store);
    const first = await pageByHand(store, 'whale hunter', undefined, 10);
    await clock.run(6_000);
    const second = await pageByHand(store, 'whale hunter', first.id, 10);
    assert.notEqual(second.id, first.id, 'the result was computed again');

    const texts = await ours(store, 10_000);
    const { next } = await texts.search('whale', { limit: 1 });
    for (let i = 0; i < 3; i++) {
      await clock.run(6_000);
      assert.equal((await texts.search('whale', { limit: 1, after: next })).hits[0]?.id, 'b');
    }
  });

  it('by hand: a query without words reads a key of the name undefined', async () => {
    await using store = await open();
    await byHand(store);
    await indexByHand(store, 'surprise', 'undefined');
    assert.deepEqual((await pageByHand(store, '?')).found, ['surprise']);
    assert.equal((await (await ours(store)).search('?')).total, 0);
  });

  it('by hand: a document that is indexed again is still found by its old words', async () => {
    await using store = await open();
    await byHand(store);
    await indexByHand(store, 'a', 'black cat');
    assert.deepEqual((await pageByHand(store, 'whale')).found, ['a', 'b']);
    const texts = await ours(store);
    await texts.index('a', { body: 'black cat' });
    assert.deepEqual(
      (await texts.search('whale')).hits.map(({ id }) => id),
      ['b'],
    );
  });

  it('by hand: only a to z are words', async () => {
    await using store = await open();
    await indexByHand(store, 'a', 'Café Zürich 北京 2024');
    await indexByHand(store, 'b', 'a rich man');
    assert.deepEqual((await pageByHand(store, 'zürich')).found, ['a', 'b']);
    const texts = await ours(store);
    await texts.index('d', { body: 'Café Zürich 北京 2024' });
    for (const query of ['zurich', 'CAFÉ', '北京', '2024']) {
      assert.equal((await texts.search(query)).total, 1, query);
    }
  });

  it('by hand: scores of strings are wrong above U+00FF', () => {
    const [before, after] = ['aż', 'b'];
    assert.ok(before < after && stringScoreByHand(before) > stringScoreByHand(after));
    assert.ok(stringScore(before) < stringScore(after));
  });
});
