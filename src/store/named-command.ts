import type { WireCommand } from './command-runner.js';
import type { Argument } from './value.js';
import { commandNamed } from './wire-command.js';

/**
 * Looks up the command of this name. Refuses commands that change the state of their connection, also if the second word
 * of the name is given as an argument: `CLIENT`, `REPLY`, `OFF`.
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
