import type { Bytes } from '../../bytes/bytes.js';
import { CommandError, shownText, unknownSubcommand, wrongArity } from '../../commands/errors.js';
import type { Command, CommandTable } from '../../commands/table.js';

/** The command or subcommand that the arguments name; undefined if it does not exist or the number of arguments is wrong. */
export function findCommand(table: CommandTable, args: readonly Bytes[], argc: number): Command | undefined {
  const command = table.find(args, argc);
  return command?.accepts(argc) === true ? command : undefined;
}

export interface LookupFailure {
  readonly error: CommandError;
  /** The command that was called with the wrong number of arguments. */
  readonly command?: Command;
}

/** Why `findCommand` found none. */
export function lookupFailure(table: CommandTable, args: readonly Bytes[], argc: number): LookupFailure {
  const command = table.find(args, argc);
  if (command !== undefined) return { error: wrongArity(command.fullName), command };
  const { buf, start, end } = args[0] as Bytes;
  const container = table.lookup(buf, start, end);
  if (container === undefined) return { error: unknownCommand(args, argc) };
  return { error: unknownSubcommand((args[1] as Bytes).prefix(MAX_SHOWN), container.name) };
}

/** Whether the "command" is a line of an HTTP request, sent by a browser that was tricked into connecting to this port. */
export function isHttp(name: Bytes): boolean {
  return name.is('post') || name.is('host:');
}

function unknownCommand(args: readonly Bytes[], argc: number): CommandError {
  let shown = '';
  for (let i = 1; i < argc && shown.length < MAX_SHOWN; i++) {
    shown += `'${shownText((args[i] as Bytes).prefix(MAX_SHOWN), MAX_SHOWN - shown.length)}' `;
  }
  const name = shownText((args[0] as Bytes).prefix(MAX_SHOWN), MAX_SHOWN);
  return new CommandError(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}

const MAX_SHOWN = 128;
