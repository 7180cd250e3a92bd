import { KitError, STOP, shown, type TextSplitter } from '../foundation/index.js';
import type { Condition, Query } from './query.js';

/** A place in a text, from `start` up to `end`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Finds the words of a query in the text of a field. Places that touch or overlap are one. */
export function matchesIn(text: string, field: string, query: Query, splitter: TextSplitter): Match[] {
  const conditions = query.groups.flat().filter((condition) => concerns(condition, field));
  if (conditions.length === 0) return [];
  const tokens = splitter.tokens(text);
  const found = new Array<boolean>(tokens.length).fill(false);
  for (const condition of conditions) {
    for (let at = 0; at < tokens.length; at++) {
      const length = lengthAt(condition, tokens, at);
      found.fill(true, at, at + length);
    }
  }
  const matches: { start: number; end: number }[] = [];
  for (const [at, { word, start, end }] of tokens.entries()) {
    if (!found[at] || word === STOP) continue;
    const last = matches.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else matches.push({ start, end });
  }
  return matches;
}

function concerns(condition: Condition, field: string): boolean {
  return 'field' in condition && (condition.field === undefined || condition.field === field);
}

/** How many words from this one on meet the condition. */
function lengthAt(condition: Condition, tokens: readonly { readonly word: string }[], at: number): number {
  const word = tokens[at]?.word as string;
  switch (condition.kind) {
    case 'word':
      return word === condition.word ? 1 : 0;
    case 'prefix':
      return word.startsWith(condition.start) && word !== STOP ? 1 : 0;
    case 'phrase':
      return condition.words.every((one, offset) => tokens[at + offset]?.word === one)
        ? condition.words.length
        : 0;
    case 'all':
    case 'value':
    case 'range':
      return 0;
  }
}

export interface HighlightOptions {
  /** Text before and after each match. Default `<mark>` and `</mark>`. */
  readonly before?: string;
  readonly after?: string;
  /** Converts the text itself. Default: `&`, `<`, `>` and quotation marks are escaped for HTML. */
  readonly escape?: (text: string) => string;
}

/**
 * Marks the matches of a text.
 *
 * @example
 * highlight('Fish & chips', [{ start: 7, end: 12 }]); // 'Fish &amp; <mark>chips</mark>'
 */
export function highlight(text: string, matches: readonly Match[], options: HighlightOptions = {}): string {
  const { before = '<mark>', after = '</mark>', escape: escaped = escapeHtml } = options;
  if (typeof text !== 'string' || !Array.isArray(matches)) {
    throw new KitError('OPTION', `highlight takes a text and the matches of a hit, not ${shown(matches)}`);
  }
  let marked = '';
  let at = 0;
  for (const { start, end } of matches as readonly Match[]) {
    marked += escaped(text.slice(at, start)) + before + escaped(text.slice(start, end)) + after;
    at = end;
  }
  return marked + escaped(text.slice(at));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
