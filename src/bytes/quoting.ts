/** Quotes byte strings for display, and splits lines of quoted words. */

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
};

const ESCAPED_LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/** The latin1 string in double quotes, as MONITOR and redis-cli show it: escapes for all but printable ASCII. */
export function quote(text: string): string {
  const escaped = text.replace(/[^ !#-[\]-~]/g, (byte) => {
    return NAMED_ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

/**
 * Splits an inline command or a line of a configuration file into words. Words are separated by blanks. A part of a word may be
 * in double quotes (with \n, \xff and the like) or in single quotes (with \' only); its closing quote must end the word. A NUL
 * ends the line. Undefined when the quotes are not balanced.
 */
export function splitWords(line: string): string[] | undefined {
  const terminator = line.indexOf('\0');
  const text = terminator < 0 ? line : line.slice(0, terminator);
  const words: string[] = [];
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const word = readWord(text, at);
    if (word === undefined) return undefined;
    words.push(word.value);
    at = skipBlanks(text, word.end);
  }
  return words;
}

interface Piece {
  readonly value: string;
  readonly end: number;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function readWord(text: string, start: number): Piece | undefined {
  // Vertical tabs and form feeds separate words only before a word; within a word they are ordinary characters.
  const plain = /[^ \n\r\t"']*/y;
  plain.lastIndex = start;
  const value = plain.exec(text)?.[0] ?? '';
  const end = start + value.length;
  const mark = text.charAt(end);
  if (mark !== '"' && mark !== "'") return { value, end };
  const quoted = mark === '"' ? readDoubleQuoted(text, end + 1) : readSingleQuoted(text, end + 1);
  if (quoted === undefined) return undefined;
  const endsWord = quoted.end === text.length || isBlank(text.charCodeAt(quoted.end));
  return endsWord ? { value: value + quoted.value, end: quoted.end } : undefined;
}

function readDoubleQuoted(text: string, start: number): Piece | undefined {
  let value = '';
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1 };
    if (character !== '\\' || at + 1 === text.length) {
      value += character;
      continue;
    }
    const code = /^x[0-9a-fA-F]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (code !== undefined) {
      value += String.fromCharCode(Number.parseInt(code.slice(1), 16));
      at += 3;
    } else {
      const letter = text.charAt(++at);
      value += ESCAPED_LETTERS[letter] ?? letter;
    }
  }
  return undefined;
}

function readSingleQuoted(text: string, start: number): Piece | undefined {
  let value = '';
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "'") return { value, end: at + 1 };
    if (character === '\\' && text.charAt(at + 1) === "'") {
      value += "'";
      at++;
    } else {
      value += character;
    }
  }
  return undefined;
}
