import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { fold } from '../foundation/texts/folding.js';
import { type Dictionary, dictionary, recentContacts } from './index.js';

/** All entries of a prefix, read in pages. */
async function pagesOf(words: Dictionary, prefix: string, limit: number): Promise<string[]> {
  const texts: string[] = [];
  let after: string | undefined;
  do {
    const { entries, next } = await words.complete(prefix, { limit, after });
    assert.ok(entries.length <= limit);
    texts.push(...entries.map(({ text }) => text));
    after = next;
  } while (after !== undefined);
  return texts;
}

describe('Recent contacts', () => {
  it('are the last ones used, most recent first', async () => {
    await using store = await open();
    const contacts = recentContacts(store, { limit: 3 });
    for (const name of ['Ann', 'Bob', 'Cem', 'Ann', 'Dan']) await contacts.add('me', name);
    assert.deepEqual(await contacts.complete('me', ''), ['Dan', 'Ann', 'Cem']);
    assert.equal(await contacts.remove('me', 'Ann'), true);
    assert.equal(await contacts.remove('me', 'Ann'), false);
    assert.deepEqual(await contacts.complete('me', ''), ['Dan', 'Cem']);
    await contacts.clear('me');
    assert.deepEqual(await contacts.complete('me', ''), []);
  });

  it('are found in any case and with or without accents, on both sides', async () => {
    await using store = await open();
    const contacts = recentContacts(store);
    for (const name of ['Zoe\u0308', 'ÉLODIE', 'elo', 'Łukasz']) await contacts.add('me', name);
    assert.deepEqual(await contacts.complete('me', 'ELO'), ['elo', 'ÉLODIE']);
    assert.deepEqual(await contacts.complete('me', 'zoë'), ['Zoë']);
    assert.deepEqual(await contacts.complete('me', 'lu'), ['Łukasz']);
    assert.deepEqual(await contacts.complete('me', 'e', { limit: 1 }), ['elo']);
    assert.deepEqual(await contacts.complete('other', ''), []);
  });
});

describe('A dictionary', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const cities = dictionary(store, 'cities');
    assert.equal(await cities.add('Zürich', 420_000), true);
    assert.deepEqual(await cities.complete('zur'), {
      entries: [{ text: 'Zürich', weight: 420_000 }],
      next: undefined,
    });
  });

  it('finds texts of any script by any part of their beginning', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    const texts = [
      '北京',
      '北海道',
      'Ελλάδα',
      'ΟΔΟΣ',
      'हिन्दी',
      '한국',
      '😀 smile',
      'Straße',
      'naïve',
      'Đà Nẵng',
      '{',
      '`',
    ];
    assert.equal(await words.addAll(texts), texts.length);
    for (const [prefix, expected] of [
      ['北', ['北京', '北海道']],
      ['北海', ['北海道']],
      ['ελλα', ['Ελλάδα']],
      ['οδος', ['ΟΔΟΣ']],
      ['हि', ['हिन्दी']],
      ['하', ['한국']],
      ['😀', ['😀 smile']],
      ['STRASS', ['Straße']],
      ['naiv', ['naïve']],
      ['da nang', ['Đà Nẵng']],
      ['{', ['{']],
      ['`', ['`']],
      ['x', []],
    ] as const) {
      assert.deepEqual(await pagesOf(words, prefix, 10), expected, prefix);
    }
  });

  it('finds nothing for a prefix that is before or after all entries', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    await words.addAll(['bob', 'cem']);
    for (const prefix of ['a', '!', 'z', '\u{10ffff}'])
      assert.deepEqual(await pagesOf(words, prefix, 10), []);
  });

  it('orders by weight, then by text, and changes weights', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    await words.addAll(['beta', { text: 'alpha', weight: 2 }, { text: 'Beton', weight: 7.5 }, 'bet', 'bat']);
    assert.deepEqual(await pagesOf(words, '', 2), ['Beton', 'alpha', 'bat', 'bet', 'beta']);
    assert.equal(await words.boost('beta', 9), 9);
    assert.equal(await words.boost('Beton', -100), 0);
    assert.equal(await words.boost('unknown'), undefined);
    assert.deepEqual(await pagesOf(words, 'bet', 2), ['beta', 'bet', 'Beton']);
    assert.equal(await words.add('beta'), false);
    assert.deepEqual((await words.complete('beta')).entries, [{ text: 'beta', weight: 9 }]);
    assert.equal(await words.size(), 5);
  });

  it('keeps texts apart that differ only in case or accents', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    assert.equal(await words.addAll(['Resume', 'résumé', 're\u0301sume\u0301', 'resume']), 3);
    assert.deepEqual(await pagesOf(words, 'RESU', 1), ['Resume', 'resume', 'résumé']);
    assert.equal(await words.remove('résumé'), true);
    assert.deepEqual(await pagesOf(words, 'resu', 10), ['Resume', 'resume']);
  });

  it('pages go on where the last one ended, whatever is added or removed between them', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    await words.addAll(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((text) => ({ text, weight: 5 })));
    const { next } = await words.complete('a', { limit: 3 });
    await words.remove('a3');
    await words.addAll([
      { text: 'a0', weight: 5 },
      { text: 'a9', weight: 50 },
    ]);
    const rest = await words.complete('a', { after: next });
    assert.deepEqual(
      rest.entries.map(({ text }) => text),
      ['a4', 'a5', 'a6'],
    );
  });

  it('leaves no key when it is empty', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    await words.addAll(Array.from({ length: 1_200 }, (_, i) => ({ text: `word ${i}`, weight: i % 3 })));
    await words.remove('word 1');
    assert.equal(await words.size(), 1_199);
    await words.clear();
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('finds the heaviest of many in every way to look for them', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    const all = Array.from({ length: 3_000 }, (_, i) => ({
      text: `${i % 2 === 0 ? 'stone' : 'stop'} ${i}`,
      // The light ones are together: walking from the heavy end does not reach them soon.
      weight: i % 2 === 0 ? 10_000 + ((i * 7_919) % 3_001) : 1 + ((i * 7_919) % 3_001),
    }));
    await words.addAll(all);
    for (const prefix of ['', 's', 'st', 'sto', 'stone', 'stop', 'stop 1', 'stone 29']) {
      const expected = all
        .filter(({ text }) => text.startsWith(prefix))
        .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
        .map(({ text }) => text);
      const { entries, next } = await words.complete(prefix, { limit: 20 });
      assert.deepEqual(
        entries.map(({ text }) => text),
        expected.slice(0, 20),
        prefix,
      );
      const second = await words.complete(prefix, { limit: 20, after: next });
      assert.deepEqual(
        second.entries.map(({ text }) => text),
        expected.slice(20, 40),
        `${prefix}, second page`,
      );
    }
  });

  it('behaves like a list that is filtered and sorted', async () => {
    await using store = await open();
    let round = 0;
    const letter = fc.constantFrom('a', 'A', 'á', 'b', 'ß', 'Σ', 'ς', '中', '😀', ' ');
    const text = fc.string({ unit: letter, minLength: 1, maxLength: 4 }).filter((t) => t.trim() !== '');
    const weight = fc.option(fc.constantFrom(0, 1, 2.5, 1e9), { nil: undefined });
    const step = fc.oneof(
      fc.record({ add: text, weight }),
      fc.record({ boost: text, by: fc.constantFrom(-2, 1, 0.5) }),
      fc.record({ remove: text }),
      fc.record({
        complete: fc.string({ unit: letter, maxLength: 3 }),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const words = dictionary(store, `r${round++}`);
        const model = new Map<string, number>();
        for (const one of steps) {
          if ('add' in one) {
            const key = one.add.trim();
            assert.equal(await words.add(one.add, one.weight), !model.has(key));
            model.set(key, one.weight ?? model.get(key) ?? 0);
          } else if ('boost' in one) {
            const key = one.boost.trim();
            const known = model.get(key);
            const expected = known === undefined ? undefined : Math.max(0, known + one.by);
            assert.equal(await words.boost(one.boost, one.by), expected);
            if (expected !== undefined) model.set(key, expected);
          } else if ('remove' in one) {
            assert.equal(await words.remove(one.remove), model.delete(one.remove.trim()));
          } else {
            assert.deepEqual(await pagesOf(words, one.complete, one.limit), matches(model, one.complete));
          }
        }
        assert.deepEqual(await pagesOf(words, '', 3), matches(model, ''));
        assert.equal(await words.size(), model.size);
        await words.clear();
        assert.equal(await store.send('DBSIZE'), 0);
      }),
      { numRuns: 80 },
    );
  });

  it('waits while the store is paused', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    const words = dictionary(store, 'words');
    await words.add('Zürich');
    await store.send('CLIENT', 'PAUSE', 20);
    const found = words.complete('zur');
    await clock.run(30);
    assert.deepEqual(
      (await found).entries.map(({ text }) => text),
      ['Zürich'],
    );
  });

  it('refuses wrong entries, weights, limits and cursors', async () => {
    await using store = await open();
    const words = dictionary(store, 'words');
    for (const wrong of ['', '  ', 'a\0b', '\ud83d', 'x'.repeat(1_001)]) {
      await assert.rejects(words.add(wrong), { code: 'OPTION' });
    }
    for (const weight of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(words.add('a', weight), { code: 'OPTION' });
    }
    await words.addAll(['aa', 'ab', 'ac']);
    await assert.rejects(words.complete('a', { limit: 0 }), { code: 'OPTION' });
    await assert.rejects(words.complete('a', { after: 'x' }), { code: 'OPTION' });
    const { next } = await words.complete('a', { limit: 1 });
    await assert.rejects(words.complete('b', { after: next }), /of the same prefix/);
  });
});

/** Bytes in the order of sorted sets. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function matches(model: ReadonlyMap<string, number>, prefix: string): string[] {
  const start = fold(prefix).trimStart();
  return [...model]
    .map(([text, weight]) => ({ text, weight, folded: fold(text).trim() }))
    .filter(({ folded }) => folded.startsWith(start))
    .sort((a, b) => b.weight - a.weight || compareBytes(`${a.folded}\0${a.text}`, `${b.folded}\0${b.text}`))
    .map(({ text }) => text);
}

describe('Folding', () => {
  it('makes equal what readers take for equal', () => {
    for (const [one, other] of [
      ['Ångström', 'ANGSTROM'],
      ['Straße', 'STRASSE'],
      ['ΟΔΟΣ', 'οδος'],
      ['İstanbul', 'istanbul'],
      ['ﬁn', 'fin'],
      ['Ｆｕｌｌ', 'full'],
      ['Ørsted', 'orsted'],
      ['a \u00a0 b', 'a b'],
      ['кафе́', 'кафе'],
      ['שָׁלוֹם', 'שלום'],
    ] as const) {
      assert.equal(fold(one), fold(other), `${one} and ${other}`);
    }
  });

  it('keeps apart what readers do not take for equal', () => {
    for (const [one, other] of [
      ['की', 'का'],
      ['が', 'か'],
      ['a', 'b'],
    ] as const) {
      assert.notEqual(fold(one), fold(other), `${one} and ${other}`);
    }
  });

  it('keeps the beginning: a folded text begins with every folded beginning of it', () => {
    const ranges = [
      [0x20, 0x24f],
      [0x386, 0x3ce],
      [0x410, 0x44f],
      [0x5d0, 0x5ea],
      [0x3041, 0x3096],
      [0xac00, 0xd7a3],
      [0x1f600, 0x1f64f],
    ];
    const point = fc.oneof(
      ...ranges.map(([min, max]) => fc.integer({ min: min as number, max: max as number })),
    );
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), fc.nat(12), (points, cut) => {
        const [text, prefix] = [points, points.slice(0, cut)].map((part) =>
          String.fromCodePoint(...part),
        ) as [string, string];
        assert.ok(fold(text).startsWith(fold(prefix)), JSON.stringify([text, prefix]));
      }),
      { numRuns: 2_000 },
    );
  });
});
