import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGLISH_STOP_WORDS, TextSplitter } from './words.js';

const splitter = new TextSplitter({ stopWords: ENGLISH_STOP_WORDS, stem: undefined });

describe('A text', () => {
  it('runs the example of its documentation', () => {
    const own = new TextSplitter({ stopWords: ['the'], stem: undefined });
    assert.deepEqual(own.words('The Café of 北京市'), ['_', 'cafe', 'of', '北京', '京市', '市']);
  });

  it('is split into words of any script, without case and accents', () => {
    for (const [text, words] of [
      ['Redis, in Action!', ['redis', '_', 'action']],
      ["Don't panic — O’Neill's towel", ["don't", 'panic', "o'neill's", 'towel']],
      ["''quoted''", ['quoted']],
      ['STRASSE Straße 42', ['strasse', 'strasse', '42']],
      ['Ελλάδα и Москва', ['ελλαδα', 'и', 'москва']],
      ['한국어 검색', ['한국어', '검색'].map((word) => word.normalize('NFKD'))],
      ['ภาษาไทยง่าย', ['ภาษา', 'ไทย', 'ง่าย'].map((word) => word.normalize('NFKD'))],
      ['東京タワー', ['東京', '京タ', 'タワ', 'ワー', 'ー']],
      ['iPhone手机16', ['iphone', '手机', '机', '16']],
      ['', []],
      ['… --- !', []],
      ['\u0301', []],
    ] as const) {
      assert.deepEqual(splitter.words(text), words, text);
    }
  });

  it('has the same words with places', () => {
    for (const text of ['The Café of 北京市', "Don't panic", 'ภาษาไทยง่าย, 東京', 'plain words']) {
      const tokens = splitter.tokens(text);
      assert.deepEqual(
        tokens.map(({ word }) => word),
        splitter.words(text),
      );
      const plain = splitter.plain.tokens(text);
      for (const { word, start, end } of plain) {
        assert.deepEqual(splitter.plain.words(text.slice(start, end))[0], word, text);
      }
    }
  });

  it('has words of at most 64 characters, whole ones', () => {
    assert.deepEqual(splitter.words('a'.repeat(100)), ['a'.repeat(64)]);
    assert.deepEqual(splitter.words(`a${'𝒜'.repeat(50)}`)[0], `a${'a'.repeat(50)}`);
    assert.equal(splitter.words(`${'a'.repeat(63)}\u{10400}x`)[0], 'a'.repeat(63));
  });

  it('is stemmed by a function, which must return a word', () => {
    const stemmed = new TextSplitter({ stopWords: [], stem: (word) => word.replace(/s$/, '') });
    assert.deepEqual(stemmed.words('Dogs and cats'), ['dog', 'and', 'cat']);
    const wrong = new TextSplitter({ stopWords: [], stem: () => 'two words' });
    assert.throws(() => wrong.words('x'), { code: 'OPTION', message: /`stem` must return a word for 'x'/ });
  });
});
