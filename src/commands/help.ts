import type { Handler } from './table.js';

/** The handler of a container's HELP: `lines` are what Redis prints between the first line and HELP's own. */
export function helpHandler(lines: readonly string[]): Handler {
  return ({ command, reply }) => {
    const container = (command.parent ?? command).name.toUpperCase();
    reply.array(lines.length + 3);
    reply.status(`${container} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`);
    for (const line of lines) reply.status(line);
    reply.status('HELP');
    reply.status('    Prints this help.');
  };
}
