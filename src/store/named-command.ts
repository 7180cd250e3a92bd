import type { WireCommand } from './command-runner.js';
import type { Argument } from './value.js';
import { commandNamed } from './wire-command.js';

/**
 * The command of this name with these arguments. Refuses what changes the connection it is sent on, also where the
 * second word of its name is an argument: `CLIENT`, `REPLY`, `OFF`.
 */
export function namedCommand(name: string, args: readonly Argument[]): WireCommand {
  const command = commandNamed(name);
  if (command.words.length === 1 && command.words[0] === 'CLIENT') refuseReply(args);
  return command;
}

function refuseReply([subcommand]: readonly Argument[]): void {
  const word = subcommand instanceof Uint8Array ? Buffer.from(subcommand).toString() : subcommand;
  if (typeof word === 'string' && word.toUpperCase() === 'REPLY') commandNamed('CLIENT REPLY');
}
