import { readNumberText } from '../../../bytes/numbers/number-text.js';
import { parseNumber } from '../../runtime/number.js';
import { LuaTable } from '../../runtime/table.js';
import type { LuaValue, Userdata } from '../../runtime/value.js';
import { failInside, raisingNestedFailures } from '../nested-failure.js';
import type { JsonSettings } from './json-settings.js';

const DECIMAL = /-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_STRING = /[^"\\\0]*/y;

/** The name of a token in error texts. For an invalid token: the description of the error. */
type TokenKind =
  | 'T_OBJ_BEGIN'
  | 'T_OBJ_END'
  | 'T_ARR_BEGIN'
  | 'T_ARR_END'
  | 'T_STRING'
  | 'T_NUMBER'
  | 'T_BOOLEAN'
  | 'T_NULL'
  | 'T_COLON'
  | 'T_COMMA'
  | 'T_END'
  | 'invalid token'
  | 'invalid number'
  | 'unexpected end of string'
  | 'invalid escape code'
  | 'invalid unicode escape code';

const SYMBOLS = new Map<string, TokenKind>([
  ['{', 'T_OBJ_BEGIN'],
  ['}', 'T_OBJ_END'],
  ['[', 'T_ARR_BEGIN'],
  [']', 'T_ARR_END'],
  [':', 'T_COLON'],
  [',', 'T_COMMA'],
]);

const SIMPLE_ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
]);

/** Parses JSON as lua-cjson does: accepts the same invalid numbers and reports the same error texts. */
export class JsonDecoder {
  readonly #text: string;
  readonly #settings: JsonSettings;
  readonly #null: Userdata;
  #at = 0;
  #depth = 0;
  #kind: TokenKind = 'T_END';
  #value: LuaValue = undefined;
  /** The offset of the current token. */
  #start = 0;

  constructor(text: string, settings: JsonSettings, nullValue: Userdata) {
    this.#text = text;
    this.#settings = settings;
    this.#null = nullValue;
  }

  decode(): LuaValue {
    return raisingNestedFailures(() => this.#document());
  }

  #document(): LuaValue {
    if (this.#text.length >= 2 && (this.#text.charCodeAt(0) === 0 || this.#text.charCodeAt(1) === 0)) {
      failInside('JSON parser does not support UTF-16 or UTF-32');
    }
    this.#next();
    const value = this.#processValue();
    this.#next();
    if (this.#kind !== 'T_END') this.#fail('the end');
    return value;
  }

  #fail(expected: string): never {
    return failInside(`Expected ${expected} but found ${this.#kind} at character ${this.#start + 1}`);
  }

  #processValue(): LuaValue {
    switch (this.#kind) {
      case 'T_STRING':
      case 'T_NUMBER':
      case 'T_BOOLEAN':
        return this.#value;
      case 'T_NULL':
        return this.#null;
      case 'T_OBJ_BEGIN':
        return this.#object();
      case 'T_ARR_BEGIN':
        return this.#array();
      default:
        return this.#fail('value');
    }
  }

  #descend(): void {
    if (++this.#depth > this.#settings.decodeMaxDepth) {
      failInside(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
    }
  }

  #object(): LuaTable {
    this.#descend();
    const table = new LuaTable();
    let token = this.#next();
    while (token !== 'T_OBJ_END') {
      if (token !== 'T_STRING') this.#fail('object key string');
      const key = this.#value;
      if (this.#next() !== 'T_COLON') this.#fail('colon');
      this.#next();
      table.set(key, this.#processValue());
      token = this.#next();
      if (token === 'T_OBJ_END') break;
      if (token !== 'T_COMMA') this.#fail('comma or object end');
      token = this.#next();
      if (token === 'T_OBJ_END') this.#fail('object key string');
    }
    this.#depth--;
    return table;
  }

  #array(): LuaTable {
    this.#descend();
    const table = new LuaTable();
    let token = this.#next();
    for (let i = 1; token !== 'T_ARR_END'; i++) {
      table.setNumber(i, this.#processValue());
      token = this.#next();
      if (token === 'T_ARR_END') break;
      if (token !== 'T_COMMA') this.#fail('comma or array end');
      token = this.#next();
      if (token === 'T_ARR_END') this.#fail('value');
    }
    this.#depth--;
    return table;
  }

  /** Reads a token and returns its kind. */
  #next(): TokenKind {
    this.#scan();
    return this.#kind;
  }

  #scan(): void {
    const text = this.#text;
    while (/^[ \t\n\r]$/.test(text.charAt(this.#at))) this.#at++;
    this.#start = this.#at;
    const character = text.charAt(this.#at);
    if (character === '' || character === '\0') {
      this.#kind = 'T_END';
      return;
    }
    const symbol = SYMBOLS.get(character);
    if (symbol !== undefined) {
      this.#kind = symbol;
      this.#at++;
    } else if (character === '"') this.#string();
    else if (character === '-' || character === '+' || (character >= '0' && character <= '9')) {
      if (!this.#settings.decodeInvalidNumbers && this.#isInvalidNumber()) this.#kind = 'invalid number';
      else this.#number();
    } else this.#word();
  }

  #word(): void {
    if (this.#accept('true', 'T_BOOLEAN', true)) return;
    if (this.#accept('false', 'T_BOOLEAN', false)) return;
    if (this.#accept('null', 'T_NULL', undefined)) return;
    if (this.#settings.decodeInvalidNumbers && this.#isInvalidNumber()) this.#number();
    else this.#kind = 'invalid token';
  }

  #accept(word: string, kind: TokenKind, value: LuaValue): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    this.#kind = kind;
    this.#value = value;
    return true;
  }

  /** A number that C's `strtod` accepts but JSON does not allow: hexadecimal, leading zeros, infinity, nan. */
  #isInvalidNumber(): boolean {
    return /^[+-]?(?:0[xX0-9]|inf|nan)/i.test(this.#text.slice(this.#at, this.#at + 5));
  }

  #number(): void {
    DECIMAL.lastIndex = this.#at;
    const match = DECIMAL.exec(this.#text);
    const next = match === null ? '' : this.#text.charAt(DECIMAL.lastIndex);
    let spelling = match?.[0];
    if (spelling === undefined || next === 'x' || next === 'X') {
      const rest = this.#text.slice(this.#at);
      const read = readNumberText(rest);
      spelling = read === undefined ? undefined : rest.slice(0, read.length);
    }
    if (spelling === undefined) {
      this.#kind = 'invalid number';
      return;
    }
    this.#at += spelling.length;
    this.#kind = 'T_NUMBER';
    this.#value = parseNumber(spelling);
  }

  #string(): void {
    const text = this.#text;
    this.#at++;
    let value = '';
    for (;;) {
      PLAIN_STRING.lastIndex = this.#at;
      const [plain] = PLAIN_STRING.exec(text) as unknown as [string];
      value += plain;
      this.#at += plain.length;
      if (text.charAt(this.#at) === '"') break;
      const piece = text.charAt(this.#at) === '\\' ? this.#escaped() : 'unexpected end of string';
      if (typeof piece === 'string') {
        this.#kind = piece;
        this.#start = this.#at;
        return;
      }
      value += piece.text;
    }
    this.#at++;
    this.#kind = 'T_STRING';
    this.#value = value;
  }

  /** The text of an escape sequence, or the description of the error. */
  #escaped(): { text: string } | TokenKind {
    const letter = this.#text.charAt(this.#at + 1);
    const simple = SIMPLE_ESCAPES.get(letter);
    if (simple !== undefined) {
      this.#at += 2;
      return { text: simple };
    }
    if (letter !== 'u') return 'invalid escape code';
    const bytes = this.#unicodeEscape();
    return bytes === undefined ? 'invalid unicode escape code' : { text: bytes };
  }

  /** The UTF-8 bytes of an escaped code point, which may be a pair of escapes. */
  #unicodeEscape(): string | undefined {
    const high = this.#codeUnit(this.#at);
    if (high === undefined || (high & 0xfc00) === 0xdc00) return undefined;
    this.#at += 6;
    let codePoint = high;
    if ((high & 0xfc00) === 0xd800) {
      const low = this.#codeUnit(this.#at);
      if (low === undefined || (low & 0xfc00) !== 0xdc00) {
        this.#at -= 6;
        return undefined;
      }
      this.#at += 6;
      codePoint = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    }
    return Buffer.from(String.fromCodePoint(codePoint), 'utf8').latin1Slice();
  }

  #codeUnit(at: number): number | undefined {
    const match = /^\\u([0-9a-fA-F]{4})$/.exec(this.#text.slice(at, at + 6));
    return match === null ? undefined : Number.parseInt(match[1] as string, 16);
  }
}
