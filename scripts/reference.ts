/** `npm run reference`: writes docs/reference from the tables. With `--check`, fails if the files are not up to date. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingRow } from '../src/commands/config/row.js';
import { directiveRows, settingRows } from '../src/commands/config/rows.js';
import { CATEGORY, namesIn, printedFlags } from '../src/commands/flag.js';
import { syntaxOf } from '../src/commands/syntax.js';
import type { Command } from '../src/commands/table.js';
import { commandTable } from '../src/engine/running/command-table.js';
import { transcriptOf } from './reference-examples.js';
import { methodTable } from './store-commands/table.js';

const folder = fileURLToPath(new URL('../docs/reference', import.meta.url));

function commandReference(): string {
  const groups = new Map<string, Command[]>();
  for (const command of commandTable) {
    const { group } = command.spec.docs;
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  const sections = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, commands]) => {
      const described = commands
        .flatMap((command) => [command, ...(command.subcommands ?? [])])
        .sort((a, b) => (a.fullName < b.fullName ? -1 : 1))
        .map(commandEntry);
      return `## ${group}\n\n${described.join('\n')}`;
    });
  const introduction =
    `Made from the command table by \`npm run reference\`. ${commandTable.size} commands. All examples are run: those of stores by the tests, those at ` +
    'a prompt when this page is made.';
  return `# Commands\n\n${introduction}\n\n${sections.join('\n')}`;
}

function commandEntry(command: Command): string {
  const { summary, complexity, since, deprecatedSince, replacedBy } = command.spec.docs;
  const name = command.fullName.replace('|', ' ').toUpperCase();
  const syntax = syntaxOf(command);
  const categories = namesIn(CATEGORY, command.categoryBits).map((category) => `@${category}`);
  const deprecation =
    deprecatedSince === undefined
      ? []
      : [
          `- deprecated since ${deprecatedSince}${replacedBy === undefined ? '' : `: ${escaped(replacedBy)}`}`,
        ];
  const lines = [
    `### ${name}`,
    '',
    `\`${syntax === '' ? name : `${name} ${syntax}`}\``,
    '',
    `${escaped(summary)}.`.replace(/\.\.$/, '.'),
    '',
    `- since ${since}; arity ${command.arity}`,
    ...deprecation,
    ...(complexity === undefined ? [] : [`- complexity: ${escaped(complexity)}`]),
    `- categories: ${categories.join(' ')}`,
    `- flags: ${printedFlags(command.flagBits).join(' ') || 'none'}`,
    ...exampleOf(command),
    '',
  ];
  return lines.join('\n');
}

/** The example of the typed method, which tests/store-commands runs; else one at a prompt. */
function exampleOf(command: Command): string[] {
  const row = methodTable[command.fullName];
  if (row === undefined) return transcriptOf(command);
  const calls = [...row.given, row.call].map((call) => `await store.${call};`.replace(/\s*\n\s*/g, ' '));
  const text = `${calls.join(' ')}${row.result === undefined ? '' : ` // ${row.result.replace(/\s*\n\s*/g, ' ')}`}`;
  const fence = text.includes('`') ? '``' : '`';
  return [`- example: ${fence}${text}${fence}`];
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

function configurationReference(): string {
  const settings = [...settingRows].sort((a, b) => (a.name < b.name ? -1 : 1)).map(settingRow);
  const directives = directiveRows.map(({ name, status, note }) => `| \`${name}\` | ${status} | ${note} |`);
  return `${CONFIGURATION_INTRODUCTION}
| name | default | CONFIG SET | status | note |
|---|---|---|---|---|
${settings.join('\n')}

## Lines of files and command lines only

| name | status | note |
|---|---|---|
${directives.join('\n')}
`;
}

function settingRow({ name, alias, initial, mutability, status, needs, note = '' }: SettingRow): string {
  const names = alias === undefined ? `\`${name}\`` : `\`${name}\`, \`${alias}\``;
  const shown = initial === '' ? '' : `\`${initial}\``;
  const where = needs === undefined ? '' : WHERE[needs];
  return `| ${names} | ${shown} | ${mutability} | ${status} | ${[where, note].filter((text) => text !== '').join('; ')} |`;
}

const WHERE = {
  files: 'not in stores in memory',
  sockets: 'not in embedded stores',
  log: 'not in embedded stores',
  process: '`sorrel server` only',
  users: 'not in embedded stores',
  master: 'not in embedded stores',
  cluster: 'not in embedded stores',
} satisfies Record<NonNullable<SettingRow['needs']>, string>;

const CONFIGURATION_INTRODUCTION = `# Configuration

Made from the table of settings by \`npm run reference\`: every setting of Redis 7.0.15. The same rules hold for redis.conf, the command
line, CONFIG SET, \`serve({ … })\` and \`open(…, { settings })\`. No setting is taken and ignored; the status says what another value than
the default does:

| status | another value than the default |
|---|---|
| works | does what it does in Redis |
| advice | has no effect, and one warning in the log says so; data, replies and who may connect are the same without it |
| refused | is an error that says what to do: the server does not start, CONFIG SET fails |
| idle | has no effect: it tunes something that cannot be switched on, since the setting that would is refused |

CONFIG SET: \`mutable\` settings can be changed, \`protected\` ones only with \`enable-protected-configs\`, \`immutable\` ones not. A setting that
a program around the engine has no use for is refused there, too: the note says where.
`;

const files = { 'commands.md': commandReference(), 'configuration.md': configurationReference() };
if (process.argv.includes('--check')) {
  const stale = Object.entries(files).filter(
    ([name, text]) => readFileSync(join(folder, name), 'utf8') !== text,
  );
  if (stale.length > 0) {
    console.error(`Not up to date: ${stale.map(([name]) => name).join(', ')}. Run: npm run reference`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
