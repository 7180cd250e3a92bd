import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quote, splitWords } from './quoting.js';

describe('quote', () => {
  it('keeps printable ASCII and escapes the rest', () => {
    assert.equal(quote(''), '""');
    assert.equal(quote('hello world!'), '"hello world!"');
    assert.equal(quote('a"b\\c'), '"a\\"b\\\\c"');
    assert.equal(quote('\n\r\t\x07\b'), '"\\n\\r\\t\\a\\b"');
    assert.equal(quote('\0\x0b\x1b\x7f\x80\xff~'), '"\\x00\\x0b\\x1b\\x7f\\x80\\xff~"');
    assert.equal(quote("[]{}'"), '"[]{}\'"');
  });

  it('is reversed by splitWords', () => {
    const everyByte = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
    assert.deepEqual(splitWords(quote(everyByte)), [everyByte]);
  });
});

describe('splitWords', () => {
  it('separates words by any run of blanks', () => {
    assert.deepEqual(splitWords(''), []);
    assert.deepEqual(splitWords(' \t '), []);
    assert.deepEqual(splitWords('  set  key\tvalue \r'), ['set', 'key', 'value']);
    assert.deepEqual(splitWords('\x0ba\x0bb\x0c c'), ['a\x0bb\x0c', 'c']);
  });

  it('reads escapes inside double quotes', () => {
    assert.deepEqual(splitWords('"a b" c'), ['a b', 'c']);
    assert.deepEqual(splitWords('"\\x41\\xfF\\n\\r\\t\\a\\b\\q\\"\\\\"'), ['A\xff\n\r\t\x07\bq"\\']);
    assert.deepEqual(splitWords('"\\xZZ\\x4"'), ['xZZx4']);
    assert.deepEqual(splitWords('""'), ['']);
  });

  it('accepts only an escaped quote inside single quotes', () => {
    assert.deepEqual(splitWords("'a\\'b' 'c\\nd'"), ["a'b", 'c\\nd']);
    assert.deepEqual(splitWords('x\\ y'), ['x\\', 'y']);
  });

  it('allows a quoted part at the end of a word, but not before more text', () => {
    assert.deepEqual(splitWords('a"b c" d'), ['ab c', 'd']);
    assert.deepEqual(splitWords("a'b c'\x0bd"), ['ab c', 'd']);
    assert.equal(splitWords('"a"b'), undefined);
    assert.equal(splitWords('"a""b"'), undefined);
  });

  it('rejects unclosed quotes', () => {
    for (const line of ['"', "'", '"abc', "'abc", '"abc\\"', "'abc\\'", 'a "b', '"\\']) {
      assert.equal(splitWords(line), undefined, line);
    }
  });

  it('ends the line at a NUL', () => {
    assert.deepEqual(splitWords('a b\0c d'), ['a', 'b']);
    assert.deepEqual(splitWords('"a"\0b'), ['a']);
    assert.equal(splitWords('"a\0"'), undefined);
  });
});
