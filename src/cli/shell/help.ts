import { syntaxOf } from '../../commands/syntax.js';
import { commandTable } from '../../engine/running/command-table.js';

/** A command or subcommand as help shows it. */
export interface HelpEntry {
  /** `CONFIG GET` */
  readonly name: string;
  readonly words: readonly string[];
  readonly syntax: string;
  readonly summary: string;
  readonly since: string;
  readonly group: string;
}

let entries: readonly HelpEntry[] | undefined;

/** Everything in the command table, by name. */
export function helpEntries(): readonly HelpEntry[] {
  entries ??= [...commandTable]
    .flatMap((command) => [command, ...(command.subcommands ?? [])])
    .map((command): HelpEntry => {
      const { summary, since, group } = command.spec.docs;
      const name = command.fullName.replace('|', ' ').toUpperCase();
      return { name, words: name.split(' '), syntax: syntaxOf(command), summary, since, group };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries;
}

export function helpGroups(): string[] {
  return [...new Set(helpEntries().map(({ group }) => group))].sort();
}

/** What `help WORDS` prints. */
export function helpFor(words: readonly string[]): string {
  if (words.length === 0) return GENERAL;
  const wanted = words.map((word) => word.toUpperCase());
  const isGroup = wanted[0]?.startsWith('@') === true;
  const found = helpEntries().filter(({ group, words: own }) =>
    isGroup
      ? `@${group.toUpperCase()}` === wanted[0]
      : own.length >= wanted.length && wanted.every((word, index) => word === own[index]),
  );
  return `\r\n${found.map((entry) => described(entry, !isGroup)).join('')}`;
}

function described({ name, syntax, summary, since, group }: HelpEntry, showsGroup: boolean): string {
  const lines = [
    `  \x1b[1m${name}\x1b[0m \x1b[90m${syntax}\x1b[0m`,
    `  \x1b[33msummary:\x1b[0m ${summary}`,
    `  \x1b[33msince:\x1b[0m ${since}`,
    ...(showsGroup ? [`  \x1b[33mgroup:\x1b[0m ${group}`] : []),
    '',
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

const GENERAL = `sorrel cli
To get help about Redis commands type:
      "help @<group>" to get a list of commands in <group>
      "help <command>" for help on <command>
      "help <tab>" to get a list of possible help topics
      "quit" to exit

To set preferences:
      ":set hints" enable online hints
      ":set nohints" disable online hints
      ":set fold" show the first lines of long replies, ":more" the rest
      ":set nofold" show all lines
Set your preferences in ~/.redisclirc
`;
