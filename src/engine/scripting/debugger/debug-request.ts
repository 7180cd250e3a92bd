/** The words of a debugger's request, 'incomplete', or 'broken' if it is no array of bulk strings. */
export type DebugRequest = readonly string[] | 'incomplete' | 'broken';

/** Parses the input of a debugging client, as latin1 text. It is lenient where Redis is: bytes before the array are skipped. */
export function parseDebugRequest(input: string): DebugRequest {
  if (input === '') return 'incomplete';
  let at = input.indexOf('*');
  if (at < 0) return 'broken';
  const length = (): number | undefined => {
    const end = input.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const number = Number.parseInt(input.slice(at + 1, end), 10);
    at = end + 2;
    return Number.isNaN(number) || number > MAX ? 0 : number;
  };
  const count = length();
  if (count === undefined) return 'incomplete';
  if (count <= 0) return 'broken';
  const words: string[] = [];
  while (words.length < count) {
    if (at === input.length) return 'incomplete';
    if (input.charAt(at) !== '$') return 'broken';
    const size = length();
    if (size === undefined) return 'incomplete';
    if (size <= 0) return 'broken';
    if (at + size + 2 > input.length) return 'incomplete';
    words.push(input.slice(at, at + size));
    if (input.slice(at + size, at + size + 2) !== '\r\n') return 'broken';
    at += size + 2;
  }
  return words;
}

/** The maximum number of words, and of bytes of a word. */
const MAX = 1024;
