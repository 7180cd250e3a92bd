/** Why a rule cannot be applied: thrown by the functions that apply rules. */
export class RuleError {
  /** Redis's explanation. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Every reason, letter for letter as Redis has it. */
export const ruleErrors = {
  unknownCommand: new RuleError('Unknown command or category name in ACL'),
  syntax: new RuleError('Syntax error'),
  afterAllKeys: new RuleError(
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
      "Try 'resetkeys' to start with an empty list of patterns",
  ),
  afterAllChannels: new RuleError(
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
      "Try 'resetchannels' to start with an empty list of channels",
  ),
  noSuchPassword: new RuleError('The password you are trying to remove from the user does not exist'),
  badHash: new RuleError(
    'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
  ),
  duplicateUser: new RuleError('Duplicate user found. A user can only be defined once in config files'),
  argumentOfSubcommand: new RuleError('Allowing first-arg of a subcommand is not supported'),
} as const;
