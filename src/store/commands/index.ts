/**
 * Typed commands: `Commands<S>` has a method for each command, `mixCommands` adds them to a class that can run one. Types and
 * code are made from the command table (`npm run store-commands`); arguments and replies have their own modules.
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
 * Gives the methods of `Commands` to the prototype of a class that extends no other and has nothing of their names. A class that hands results over as promises should also have
 * `refuse(error)`, which rejects: mistaken options are found before a command is run.
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
    if (name in prototype) throw new TypeError(`${name} is a command, and cannot be anything else here`);
  }
  if (Object.getPrototypeOf(prototype) !== Object.prototype)
    throw new TypeError('the class extends another one');
  // Inheriting some hundred methods takes a start of the program less time than copying them.
  Object.setPrototypeOf(prototype, commandMethods);
}
