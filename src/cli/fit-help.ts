/**
 * A help text for a terminal that is this wide. Lines without indentation are filled as paragraphs; a long line with a
 * description behind its options continues under the description.
 */
export function fitHelp(text: string, columns: number | undefined): string {
  const width = Math.max(MIN_WIDTH, (columns ?? DEFAULT_WIDTH) - 1);
  return paragraphsOf(text.split('\n'))
    .flatMap((line) => fitLine(line, width))
    .join('\n');
}

/** The lines, of which those that continue another are joined with it. */
function paragraphsOf(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const before = joined.at(-1) ?? '';
    if (continues(line, before)) joined[joined.length - 1] = `${before} ${line.trim()}`;
    else joined.push(line);
  }
  return joined;
}

function continues(line: string, before: string): boolean {
  if (line === '' || before === '' || before.startsWith('Usage:')) return false;
  const indent = indentOf(line);
  const row = ROW.exec(before);
  return indent === 0 ? indentOf(before) === 0 : row?.[1] !== undefined && row[1].length === indent;
}

function fitLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const [, options, description] = ROW.exec(line) ?? [];
  if (options !== undefined && description !== undefined) {
    if (options.length <= width - MIN_DESCRIPTION) return filled(options, description, options.length, width);
    const below = indentOf(line) + DEEPER;
    return [...fitLine(options.trimEnd(), width), ...filled(' '.repeat(below), description, below, width)];
  }
  const indent = indentOf(line);
  return filled(' '.repeat(indent), line.trim(), indent === 0 ? 0 : indent + DEEPER, width);
}

/** The words behind `start`, in lines of at most `width` characters if the words allow it. Later lines are indented. */
function filled(start: string, text: string, indent: number, width: number): string[] {
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(indent);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Indented: options or an example, at least two spaces, and what it does. */
const ROW = /^( +\S.*?\s{2,})(\S.*)$/;
const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 30;
/** A description that would get less room is put below its options. */
const MIN_DESCRIPTION = 26;
const DEEPER = 4;
