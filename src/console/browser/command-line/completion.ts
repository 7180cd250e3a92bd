import type { CommandEntry } from '../../types/commands.js';

const MAX_SHOWN = 8;

/** The commands that the line may be the beginning of. None once the command is complete and arguments follow. */
export function suggestions(table: readonly CommandEntry[], line: string): readonly CommandEntry[] {
  const text = line.trimStart().toUpperCase().replace(/\s+/g, ' ');
  if (text.trim() === '') return [];
  return table.filter(({ name }) => name.startsWith(text) && name !== text).slice(0, MAX_SHOWN);
}

/** The command that the line calls: of two words if there is one, as in CONFIG GET. */
export function documented(table: readonly CommandEntry[], line: string): CommandEntry | undefined {
  const [first = '', second = ''] = line.trim().toUpperCase().split(/\s+/);
  return table.find(({ name }) => name === `${first} ${second}`) ?? table.find(({ name }) => name === first);
}
