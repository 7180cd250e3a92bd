import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextSplitter } from '../foundation/index.js';
import { parseQuery, type QueryError } from './query.js';

const splitter = new TextSplitter({ stopWords: ['the', 'of', 'to'], stem: undefined });
const FIELDS = { title: 'text', tag: 'keyword', price: 'number', day: 'date', image: 'stored' } as const;
const parse = (text: string) => parseQuery(text, splitter, FIELDS);
const word = (text: string, field?: string) => ({ kind: 'word', field, word: text });

describe('A query', () => {
  it('has required words, synonyms and unwanted words', () => {
    assert.deepEqual(parse('connect +connection +disconnect chat -proxy -Proxies the'), {
      groups: [[word('connect'), word('connection'), word('disconnect')], [word('chat')]],
      unwanted: [word('proxy'), word('proxies')],
      ignored: ['the'],
    });
  });

  it('has fields, phrases, prefixes and ranges', () => {
    const range = (field: string, min: string, max: string) => [{ kind: 'range', field, min, max }];
    const value = (text: string) => [{ kind: 'value', field: 'tag', value: text }];
    for (const [text, group] of [
      ['title:Whale', [word('whale', 'title')]],
      ['"to be or not to be"', [{ kind: 'phrase', field: undefined, words: ['be', 'or', 'not', '_', 'be'] }]],
      ['title:"the whale"', [word('whale', 'title')]],
      ['e-mail', [{ kind: 'phrase', field: undefined, words: ['e', 'mail'] }]],
      ['the*', [{ kind: 'prefix', field: undefined, start: 'the' }]],
      ['title:Wha*', [{ kind: 'prefix', field: 'title', start: 'wha' }]],
      ['*', [{ kind: 'all' }]],
      ['北京市', [{ kind: 'phrase', field: undefined, words: ['北京', '京市'] }]],
      ['北京', [word('北京')]],
      ['市', [{ kind: 'prefix', field: undefined, start: '市' }]],
      ['tag:Sci-Fi', value('Sci-Fi')],
      ['tag:"science fiction"', value('science fiction')],
      ['price:5', range('price', '5', '5')],
      ['price:-5..10.5', range('price', '-5', '10.5')],
      ['price:..10', range('price', '-inf', '10')],
      ['price:10..', range('price', '10', '+inf')],
      ['price:>10', range('price', '(10', '+inf')],
      ['price:<=1e3', range('price', '-inf', '1000')],
      ['day:2024-02', range('day', `${Date.UTC(2024, 1)}`, `${Date.UTC(2024, 2) - 1}`)],
      ['day:>2024-02-29', range('day', `(${Date.UTC(2024, 2) - 1}`, '+inf')],
      ['day:<2024-02-29T12:00:00Z', range('day', '-inf', `(${Date.UTC(2024, 1, 29, 12)}`)],
    ] as const) {
      assert.deepEqual(parse(text).groups, [group], text);
    }
  });

  it('that cannot be parsed says where', () => {
    for (const [text, position, message] of [
      ['whale "white', 6, /a quotation mark is not closed, at position 7 of the query: '"white'/],
      ['whale tilte:white', 6, /there is no field 'tilte' \(put text/],
      ['whale -', 6, /'-' must be followed by a word, at position 7/],
      ['title: whale', 0, /'title:' must be followed by a word/],
      ['price:cheap', 6, /the field 'price' takes a number, or a range/],
      ['x price:1..many', 8, /takes a number/],
      ['price:..', 6, /takes a number/],
      ['day:2024-13-01', 4, /takes a date such as 2024-05-31/],
      ['image:x', 0, /the field 'image' is only stored/],
      ['e-mai*', 0, /a prefix must be the beginning of one word/],
    ] as const) {
      assert.throws(
        () => parse(text),
        (error: QueryError) => {
          assert.equal(error.code, 'QUERY');
          assert.equal(error.position, position, text);
          assert.match(error.message, message);
          return true;
        },
      );
    }
  });

  it('that has no word to search for is empty', () => {
    assert.deepEqual(parse(''), { groups: [], unwanted: [], ignored: [] });
    assert.deepEqual(parse('the "of the" -to ?'), {
      groups: [],
      unwanted: [],
      ignored: ['the', '"of the"', '-to', '?'],
    });
  });
});
