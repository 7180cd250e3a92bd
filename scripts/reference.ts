/** `npm run reference`: writes docs/reference from the tables. With `--check`, fails if the files are not up to date. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settingRows } from '../src/commands/config/rows.js';
import type { Command } from '../src/commands/table.js';
import { commandTable } from '../src/engine/command-table.js';

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
      const rows = commands.flatMap((command) => [command, ...(command.subcommands ?? [])]).map(commandRow);
      return `## ${group}\n\n| command | arity | what it does | complexity |\n|---|---|---|---|\n${rows.sort().join('\n')}\n`;
    });
  return `# Commands\n\nMade from the command table by \`npm run reference\`. ${commandTable.size} commands.\n\n${sections.join('\n')}`;
}

function commandRow(command: Command): string {
  const { summary, complexity = '' } = command.spec.docs;
  const name = command.fullName.replace('|', ' ').toUpperCase();
  return `| \`${name}\` | ${command.arity} | ${escaped(summary)} | ${escaped(complexity)} |`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

function configurationReference(): string {
  const rows = [...settingRows]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, alias, initial, mutability }) => {
      const names = alias === undefined ? `\`${name}\`` : `\`${name}\`, \`${alias}\``;
      return `| ${names} | ${initial === '' ? '' : `\`${initial}\``} | ${mutability} |`;
    });
  return `# Configuration\n\nMade from the table of settings by \`npm run reference\`. Mutable: CONFIG SET may change it; protected: only with
\`enable-protected-configs\`. Settings of parts that are not there yet are recognised and have no effect.\n\n| name | default | |\n|---|---|---|\n${rows.join('\n')}\n`;
}

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
