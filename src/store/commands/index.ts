/**
 * Typed commands. `Commands<S>` has a method for each command, and `mixCommands` adds these methods to a class that can run
 * commands. Types and code are generated from the command table (`npm run store-commands`).
 */
import type { CommandRunner } from '../command-runner.js';
import { commandMethods } from './all.js';

export type * from './all.js';
export { commandMethods } from './all.js';
export type {
  AnyCase,
  AtMostOne,
  BitfieldOperation,
  BitfieldRead,
  BitfieldWrite,
  ExactlyOne,
  OneOrMore,
  Pairs,
} from './options.js';
export type { CommonSubsequence, Popped, PoppedMembers, ScoredMember } from './replies.js';
export type * from './server-replies.js';
export type * from './stream-replies.js';

const COMMAND_NAMES = Object.keys(commandMethods);

/**
 * Adds the methods of `Commands` to the prototype of a class. The class must not extend another one or have members of these
 * names. A class that returns promises should also have `refuse(error)`, which rejects: it is called for invalid options.
 *
 * @example
 * class Recorder {
 *   run(command, args) {
 *     return [...command.words, ...args];
 *   }
 * }
 * mixCommands(Recorder.prototype);
 * new Recorder().zrange('ranking', 0, -1, { rev: true }); // ['ZRANGE', 'ranking', 0, -1, 'REV']
 */
export function mixCommands(prototype: CommandRunner): void {
  for (const name of COMMAND_NAMES) {
    if (name in prototype)
      throw new TypeError(`the class must not have a member '${name}': it is the name of a command`);
  }
  if (Object.getPrototypeOf(prototype) !== Object.prototype)
    throw new TypeError('the class must not extend another one');
  // Inheriting some hundred methods makes the program start faster than copying them.
  Object.setPrototypeOf(prototype, commandMethods);
}
