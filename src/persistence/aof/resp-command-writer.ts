import { Bytes } from '../../bytes/bytes.js';
import { writeInteger } from '../../bytes/numbers/integer.js';
import type { ByteSink } from '../../rdb/byte-sink.js';

/** Writes commands as clients send them, word by word: `begin(2).text('GET').word(key)`. */
export class RespCommandWriter {
  readonly sink: ByteSink;
  readonly #view = new Bytes();

  constructor(sink: ByteSink) {
    this.sink = sink;
  }

  /** A command of so many words. */
  begin(words: number): this {
    return this.#line(STAR, words);
  }

  word({ buf, start, end }: Bytes): this {
    this.beginWord(end - start).sink.bytes(buf, start, end);
    return this.endWord();
  }

  /** Latin1 text, or a number's digits. */
  text(text: string | number | bigint): this {
    const bytes = Buffer.from(String(text), 'latin1');
    return this.word(this.#view.set(bytes, 0, bytes.length));
  }

  /** A word whose bytes follow, written to the sink by the caller. */
  beginWord(length: number): this {
    return this.#line(DOLLAR, length);
  }

  endWord(): this {
    this.sink.bytes(NEWLINE, 0, 2);
    return this;
  }

  #line(type: number, value: number): this {
    line[0] = type;
    const end = writeInteger(line, 1, value);
    line[end] = CR;
    line[end + 1] = LF;
    this.sink.bytes(line, 0, end + 2);
    return this;
  }
}

const STAR = 42;
const DOLLAR = 36;
const CR = 13;
const LF = 10;
const line = Buffer.alloc(24);
const NEWLINE = Buffer.from('\r\n');
