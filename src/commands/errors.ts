import { MAX_TEXT } from '../bytes/text.js';
/**
 * An error reply, thrown by handlers. Not an `Error`: it carries no stack, which would cost more than the command.
 * Throwing it means: nothing was changed.
 */
export class CommandError {
  /** The text that the client gets; it begins with the code. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The command's keys are not served by this node of a cluster. EXEC replies with it unchanged. */
export class RedirectionError extends CommandError {}

function fixed(text: string): CommandError {
  return Object.freeze(new CommandError(text));
}

/** Every error text that more than one command uses, letter for letter as Redis has it. */
export const errors = {
  wrongType: fixed('WRONGTYPE Operation against a key holding the wrong kind of value'),
  syntax: fixed('ERR syntax error'),
  notInteger: fixed('ERR value is not an integer or out of range'),
  notInt32: fixed('ERR value is out of range, value must between -2147483648 and 2147483647'),
  notFloat: fixed('ERR value is not a valid float'),
  noSuchKey: fixed('ERR no such key'),
  indexOutOfRange: fixed('ERR index out of range'),
  overflow: fixed('ERR increment or decrement would overflow'),
  nanOrInfinity: fixed('ERR increment would produce NaN or Infinity'),
  outOfRange: fixed('ERR value is out of range'),
  mustBePositive: fixed('ERR value is out of range, must be positive'),
  stringTooLong: fixed('ERR string exceeds maximum allowed size (proto-max-bulk-len)'),
  timeoutNotFloat: fixed('ERR timeout is not a float or out of range'),
  timeoutNegative: fixed('ERR timeout is negative'),
  timeoutOutOfRange: fixed('ERR timeout is out of range'),
  invalidCursor: fixed('ERR invalid cursor'),
  invalidDatabase: fixed('ERR invalid DB index'),
  databaseOutOfRange: fixed('ERR DB index is out of range'),
  sameObject: fixed('ERR source and destination objects are the same'),
  notAuthenticated: fixed('NOAUTH Authentication required.'),
  notInTransaction: fixed('ERR Command not allowed inside a transaction'),
  loading: fixed('LOADING Redis is loading the dataset in memory'),
  outOfMemory: fixed("OOM command not allowed when used memory > 'maxmemory'."),
  /** Our own error: V8 limits the length of strings, Redis does not. */
  textTooLong: fixed(`ERR string is too long: at most ${MAX_TEXT} bytes can be used as text`),
  notEnoughReplicas: fixed('NOREPLICAS Not enough good replicas to write.'),
} as const;

export function wrongArity(fullName: string): CommandError {
  return new CommandError(`ERR wrong number of arguments for '${fullName}' command`);
}

export function invalidExpire(command: string): CommandError {
  return new CommandError(`ERR invalid expire time in '${command}' command`);
}

/** A client's input as errors show it: up to the first zero byte, where C strings end. */
export function shownText(text: string, max = text.length): string {
  const end = text.indexOf('\0');
  return text.slice(0, end < 0 ? max : Math.min(end, max));
}

/** For containers: the subcommand is unknown, or got a wrong number of arguments that only its handler detects. */
export function unknownSubcommand(subcommand: string, container: string): CommandError {
  return new CommandError(
    `ERR unknown subcommand '${shownText(subcommand, 128)}'. Try ${container.toUpperCase()} HELP.`,
  );
}

/** For subcommands whose number of arguments the row cannot express. */
export function wrongSubcommandArguments(subcommand: string, container: string): CommandError {
  return new CommandError(
    `ERR unknown subcommand or wrong number of arguments for '${shownText(subcommand, 128)}'. Try ${container.toUpperCase()} HELP.`,
  );
}
