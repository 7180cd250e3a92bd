import { quote } from '../../../bytes/quoting.js';

/** A reply in RESP, as latin1 text, in the form in which the debugger shows it. */
export function shownReply(resp: string): string {
  return new ReplyText(resp).next();
}

/** Reads one value after the other. */
class ReplyText {
  readonly #resp: string;
  #at = 0;

  constructor(resp: string) {
    this.#resp = resp;
  }

  next(): string {
    const type = this.#resp.charAt(this.#at);
    const line = this.#line();
    switch (type) {
      case ':':
        return line;
      case '+':
      case '-':
        return quote(type + line);
      case '$':
        return this.#bulk(Number(line));
      case '*':
        return line === '-1' ? 'NULL' : `[${this.#values(Number(line))}]`;
      case '~':
        return `~(${this.#values(Number(line))})`;
      case '%':
        return `{${this.#pairs(Number(line))}}`;
      case '_':
        return '(null)';
      case '#':
        return line === 't' ? '#true' : '#false';
      case ',':
        return `(double) ${line}`;
      case '=':
        this.#bulk(Number(line));
        return '';
      default:
        // Redis shows nothing for other types.
        return '';
    }
  }

  #line(): string {
    const end = this.#resp.indexOf('\r\n', this.#at);
    const line = this.#resp.slice(this.#at + 1, end);
    this.#at = end + 2;
    return line;
  }

  #bulk(length: number): string {
    if (length === -1) return 'NULL';
    const text = this.#resp.slice(this.#at, this.#at + length);
    this.#at += length + 2;
    return quote(text);
  }

  #values(count: number): string {
    return Array.from({ length: count }, () => this.next()).join(',');
  }

  #pairs(count: number): string {
    return Array.from({ length: count }, () => `${this.next()} => ${this.next()}`).join(',');
  }
}
