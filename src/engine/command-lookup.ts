import type { Bytes } from '../bytes/bytes.js';
import { CommandError, shownText, unknownSubcommand, wrongArity } from '../commands/errors.js';
import type { Command, CommandTable } from '../commands/table.js';

/** The command, or subcommand, that the arguments call; undefined if there is none or it takes another number of them. */
export function findCommand(table: CommandTable, args: readonly Bytes[], argc: number): Command | undefined {
  const name = args[0] as Bytes;
  let command = table.lookup(name.buf, name.start, name.end);
  if (command?.subcommands !== undefined && argc > 1) {
    const subname = args[1] as Bytes;
    command = command.subcommands.lookup(subname.buf, subname.start, subname.end);
  }
  return command?.accepts(argc) === true ? command : undefined;
}

export interface LookupFailure {
  readonly error: CommandError;
  /** The command that was called with the wrong number of arguments. */
  readonly command?: Command;
}

/** Why `findCommand` found none. */
export function lookupFailure(table: CommandTable, args: readonly Bytes[], argc: number): LookupFailure {
  const name = args[0] as Bytes;
  const command = table.lookup(name.buf, name.start, name.end);
  if (command === undefined) return { error: unknownCommand(args, argc) };
  if (command.subcommands === undefined || argc === 1)
    return { error: wrongArity(command.fullName), command };
  const subname = args[1] as Bytes;
  const subcommand = command.subcommands.lookup(subname.buf, subname.start, subname.end);
  if (subcommand === undefined) return { error: unknownSubcommand(subname.toString(), command.name) };
  return { error: wrongArity(subcommand.fullName), command: subcommand };
}

/** A browser made to talk to this port sends its lines of HTTP as commands. */
export function isHttp(name: Bytes): boolean {
  return name.is('post') || name.is('host:');
}

function unknownCommand(args: readonly Bytes[], argc: number): CommandError {
  let shown = '';
  for (let i = 1; i < argc && shown.length < LONGEST_SHOWN; i++) {
    shown += `'${shownText((args[i] as Bytes).toString(), LONGEST_SHOWN - shown.length)}' `;
  }
  const name = shownText((args[0] as Bytes).toString(), LONGEST_SHOWN);
  return new CommandError(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}

const LONGEST_SHOWN = 128;
