import { parseNumber } from '../runtime/number.js';
import { LuaSyntaxError } from './syntax-error.js';

const KEYWORDS = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);

/** Keywords and operators are their own kind. */
export type TokenKind = string;
export const END_OF_SOURCE = '<eof>';

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** The characters that Lua reads as one numeral before it checks whether the numeral is valid. */
const NUMBER = /[0-9.]+(?:[eE][+-]?)?[A-Za-z0-9_]*/y;

const TAB = 9;
const NEWLINE = 10;
const VERTICAL_TAB = 11;
const FORM_FEED = 12;
const RETURN = 13;
const SPACE = 32;

/** Splits Lua source into tokens. There is one current token and one token of lookahead. */
export class Lexer {
  readonly source: string;
  readonly chunkName: string;
  kind: TokenKind = END_OF_SOURCE;
  /** The name, or the content of the string. */
  text = '';
  value = 0;
  /** The line of the last token read, including a token read ahead. */
  line = 1;
  /** The line on which the token before the current one ended. */
  previousLine = 1;
  #at = 0;
  /** The source text of the current token, as far as it was read: for error texts. */
  #spelling = '';
  #ahead: { kind: TokenKind; text: string; value: number } | undefined = undefined;

  constructor(source: string, chunkName: string) {
    this.source = source;
    this.chunkName = chunkName;
  }

  advance(): void {
    this.previousLine = this.line;
    if (this.#ahead !== undefined) {
      this.kind = this.#ahead.kind;
      this.text = this.#ahead.text;
      this.value = this.#ahead.value;
      this.#ahead = undefined;
      return;
    }
    this.kind = this.#scan();
  }

  /** The kind of the token after the current one. */
  lookAhead(): TokenKind {
    const { kind, text, value } = this;
    const aheadKind = this.#scan();
    this.#ahead = { kind: aheadKind, text: this.text, value: this.value };
    this.kind = kind;
    this.text = text;
    this.value = value;
    return aheadKind;
  }

  /** Fails at the current token. */
  fail(message: string): never {
    this.#failNear(message, this.kind);
  }

  failWithoutToken(message: string): never {
    throw new LuaSyntaxError(`${this.chunkName}:${this.line}: ${message}`);
  }

  #failNear(message: string, kind: TokenKind): never {
    throw new LuaSyntaxError(`${this.chunkName}:${this.line}: ${message} near '${this.#describe(kind)}'`);
  }

  #describe(kind: TokenKind): string {
    if (kind === '<name>' || kind === '<string>' || kind === '<number>') {
      const end = this.#spelling.indexOf('\0');
      return end < 0 ? this.#spelling : this.#spelling.slice(0, end);
    }
    const code = kind.charCodeAt(0);
    return kind.length === 1 && (code < 32 || code === 127) ? `char(${code})` : kind;
  }

  #scan(): TokenKind {
    for (;;) {
      const code = this.source.charCodeAt(this.#at);
      if (code === NEWLINE || code === RETURN) this.#newline();
      else if (code === SPACE || code === TAB || code === VERTICAL_TAB || code === FORM_FEED) this.#at++;
      else if (code === 45 && this.source.charCodeAt(this.#at + 1) === 45) this.#comment();
      else break;
    }
    if (this.#at >= this.source.length) return END_OF_SOURCE;
    const code = this.source.charCodeAt(this.#at);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95) return this.#name();
    if (code >= 48 && code <= 57) return this.#number();
    return this.#symbol(this.source.charAt(this.#at));
  }

  #symbol(character: string): TokenKind {
    const next = this.source.charAt(this.#at + 1);
    switch (character) {
      case '[': {
        const level = this.#longBracket();
        if (level >= 0) return this.#longString(level, 'string');
        if (level === -1) return this.#take('[');
        this.#spelling = this.source.slice(this.#at, this.#at - level);
        return this.#failNear('invalid long string delimiter', '<string>');
      }
      case '=':
      case '<':
      case '>':
        return this.#take(next === '=' ? `${character}=` : character);
      case '~':
        return this.#take(next === '=' ? '~=' : '~');
      case '"':
      case "'":
        return this.#string(character);
      case '.':
        if (next === '.') return this.#take(this.source.charAt(this.#at + 2) === '.' ? '...' : '..');
        return isDigit(next) ? this.#number() : this.#take('.');
      default:
        return this.#take(character);
    }
  }

  #take(symbol: string): TokenKind {
    this.#at += symbol.length;
    return symbol;
  }

  /** A newline is any of LF, CR, CR LF, LF CR. */
  #newline(): void {
    const first = this.source.charCodeAt(this.#at++);
    const second = this.source.charCodeAt(this.#at);
    if ((second === NEWLINE || second === RETURN) && second !== first) this.#at++;
    this.line++;
  }

  #name(): TokenKind {
    NAME.lastIndex = this.#at;
    const [name] = NAME.exec(this.source) as unknown as [string];
    this.#at += name.length;
    if (KEYWORDS.has(name)) return name;
    this.text = name;
    this.#spelling = name;
    return '<name>';
  }

  #number(): TokenKind {
    NUMBER.lastIndex = this.#at;
    const [spelling] = NUMBER.exec(this.source) as unknown as [string];
    this.#at += spelling.length;
    this.#spelling = spelling;
    const value = parseNumber(spelling);
    if (value === undefined) return this.#failNear('malformed number', '<number>');
    this.value = value;
    return '<number>';
  }

  #comment(): void {
    this.#at += 2;
    const level = this.source.charAt(this.#at) === '[' ? this.#longBracket() : -1;
    if (level >= 0) {
      const { text } = this;
      this.#longString(level, 'comment');
      this.text = text;
      return;
    }
    while (this.#at < this.source.length) {
      const code = this.source.charCodeAt(this.#at);
      if (code === NEWLINE || code === RETURN) return;
      this.#at++;
    }
  }

  /** The level of the long bracket that opens here; -1 for a single bracket, -n for a bracket followed by n - 1 equals signs. */
  #longBracket(): number {
    let signs = 0;
    while (this.source.charAt(this.#at + 1 + signs) === '=') signs++;
    return this.source.charAt(this.#at + 1 + signs) === '[' ? signs : -signs - 1;
  }

  #longString(level: number, what: 'string' | 'comment'): TokenKind {
    const { source } = this;
    const closing = `]${'='.repeat(level)}]`;
    this.#at += level + 2;
    if (source.charCodeAt(this.#at) === NEWLINE || source.charCodeAt(this.#at) === RETURN) this.#newline();
    const parts: string[] = [];
    let start = this.#at;
    for (;;) {
      if (this.#at >= source.length) this.#failNear(`unfinished long ${what}`, END_OF_SOURCE);
      const code = source.charCodeAt(this.#at);
      if (code === NEWLINE || code === RETURN) {
        parts.push(source.slice(start, this.#at), '\n');
        this.#newline();
        start = this.#at;
      } else if (code === 93 && source.startsWith(closing, this.#at)) {
        break;
      } else {
        this.#at++;
      }
    }
    parts.push(source.slice(start, this.#at));
    this.#at += closing.length;
    this.text = parts.join('');
    this.#spelling = `[${'='.repeat(level)}[${this.text}${closing}`;
    return '<string>';
  }

  #string(quote: string): TokenKind {
    const { source } = this;
    this.#spelling = quote;
    this.#at++;
    let start = this.#at;
    for (;;) {
      const character = source.charAt(this.#at);
      if (character === quote) break;
      if (character !== '' && character !== '\n' && character !== '\r' && character !== '\\') {
        this.#at++;
        continue;
      }
      this.#spelling += source.slice(start, this.#at);
      if (character === '') this.#failNear('unfinished string', END_OF_SOURCE);
      if (character !== '\\') this.#failNear('unfinished string', '<string>');
      this.#at++;
      this.#spelling += this.#escape();
      start = this.#at;
    }
    this.text = this.#spelling.slice(1) + source.slice(start, this.#at);
    this.#at++;
    this.#spelling = quote + this.text + quote;
    return '<string>';
  }

  #escape(): string {
    const character = this.source.charAt(this.#at);
    if (character === '\n' || character === '\r') {
      this.#newline();
      return '\n';
    }
    if (isDigit(character)) {
      const digits = /^[0-9]{1,3}/.exec(this.source.slice(this.#at, this.#at + 3)) as RegExpExecArray;
      this.#at += digits[0].length;
      const code = Number(digits[0]);
      if (code > 255) this.#failNear('escape sequence too large', '<string>');
      return String.fromCharCode(code);
    }
    if (character !== '') this.#at++;
    return NAMED_ESCAPES.get(character) ?? character;
  }
}

const NAMED_ESCAPES = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character !== '';
}
