import { type HelpEntry, helpEntries, helpGroups } from '../help.js';

/** The arguments that a line still lacks, to show in grey behind it; undefined if nothing is to be said. */
export function hintFor(line: string): string | undefined {
  if (/^\s*$/.test(line) || /["'\\]/.test(line.trimEnd().slice(-1))) return undefined;
  const words = line.trimStart().split(/\s+/);
  const endsWithBlank = /\s$/.test(line);
  const given = endsWithBlank ? words.slice(0, -1) : words;
  const entry = entryFor(given);
  if (entry === undefined) return undefined;
  let rest = entry.syntax;
  // A subcommand that is being typed is part of the name.
  for (let count = given.length - entry.words.length; count > 0 && rest !== ''; count--) {
    const next = withoutFirst(rest);
    if (next === undefined) break;
    rest = next;
  }
  if (rest === '') return undefined;
  return endsWithBlank ? rest : ` ${rest}`;
}

/** The longest name that the words begin with. */
function entryFor(words: readonly string[]): HelpEntry | undefined {
  const upper = words.map((word) => word.toUpperCase());
  const begins = ({ words: own }: HelpEntry): boolean =>
    own.length <= upper.length && own.every((word, index) => word === upper[index]);
  const [best] = helpEntries()
    .filter(begins)
    .sort((a, b) => b.words.length - a.words.length);
  return best;
}

/** The syntax without its first argument. Optional ones stay, since which of them was typed is not known. */
function withoutFirst(syntax: string): string | undefined {
  if (syntax.startsWith('[')) return undefined;
  return /^\S+ ?(.*)$/s.exec(syntax)?.[1];
}

/** What the Tab key offers for a line: whole lines that begin with it. */
export function completionsFor(line: string): string[] {
  const help = /^(help|\?) (.*)$/i.exec(line);
  if (help !== null) {
    const [, word = '', prefix = ''] = help;
    return namesWith(prefix, true).map((name) => `${word} ${name}`);
  }
  return namesWith(line, false);
}

function namesWith(prefix: string, withGroups: boolean): string[] {
  const upper = prefix.toUpperCase();
  const isLower = prefix !== '' && prefix === prefix.toLowerCase();
  const topics = [
    ...helpEntries().map(({ name }) => name),
    ...(withGroups ? helpGroups().map((group) => `@${group}`) : []),
  ];
  const found = topics.filter((name) => name.toUpperCase().startsWith(upper));
  return found.map((name) => (isLower ? name.toLowerCase() : name));
}
