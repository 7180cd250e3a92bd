import type { Bytes } from '../../bytes/bytes.js';
import { FLAG } from '../flag.js';
import type { Command } from '../table.js';
import { type AccessPattern, neededPermission, Permission } from './key-pattern.js';
import type { Selector } from './selector.js';

/**
 * What a selector decides about most commands, computed once for each command: allowed always, or if the key, which is the first
 * argument, matches one of some patterns. Valid while the selector does not change.
 */
export class QuickCheck {
  readonly #selector: Selector;
  /** By the command's id: one of the values below, or `ONE_KEY` and the permission that the key needs. */
  readonly #decisions: Uint8Array;
  /** By the permission that a key needs: the patterns that give it. */
  readonly #patterns: readonly (readonly AccessPattern[])[];

  constructor(selector: Selector) {
    this.#selector = selector;
    this.#decisions = new Uint8Array(selector.commands.length);
    this.#patterns = [0, Permission.read, Permission.write, Permission.both].map((needed) =>
      selector.keys.filter(({ permission }) => (permission & needed) === needed),
    );
  }

  /** Whether the command is certainly allowed. If not, the arguments have to be checked. */
  allows(command: Command, args: readonly Bytes[], argc: number): boolean {
    const decision = (this.#decisions[command.id] as number) || this.#decide(command);
    if (decision < ONE_KEY) return decision === ALLOWED;
    // `redis.acl_check_cmd` does not check the number of arguments.
    if (argc < 2) return false;
    const patterns = this.#patterns[decision - ONE_KEY] as readonly AccessPattern[];
    const key = args[1] as Bytes;
    for (let i = 0; i < patterns.length; i++) if ((patterns[i] as AccessPattern).matches(key)) return true;
    return false;
  }

  #decide(command: Command): number {
    const decision = this.#decisionOn(command);
    this.#decisions[command.id] = decision;
    return decision;
  }

  #decisionOn(command: Command): number {
    const { allowsAllCommands, commands, allowsAllKeys, allowsAllChannels } = this.#selector;
    const { flagBits } = command;
    const mayRun = allowsAllCommands || commands[command.id] === 1 || (flagBits & FLAG.no_auth) !== 0;
    const namesChannels = !allowsAllChannels && (flagBits & FLAG.pubsub) !== 0;
    if (!mayRun || namesChannels) return UNDECIDED;
    if (allowsAllKeys || !command.hasKeys) return ALLOWED;
    const needed = neededForOnlyKey(command);
    return needed === undefined ? UNDECIDED : ONE_KEY + needed;
  }
}

/** The most that the command can need for its key; undefined if it can have several keys, or one in another place. */
function neededForOnlyKey(command: Command): number | undefined {
  if (command.firstKey !== 1 || command.lastKey !== 1) return undefined;
  if (command.hasPlainKeys) return neededPermission(command.keyFlagBits[0] as number);
  const { keysOtherwise } = command.spec;
  return keysOtherwise === 'set' || keysOtherwise === 'bitfield' ? Permission.both : undefined;
}

/** 0 is a decision that was not made yet. */
const UNDECIDED = 1;
const ALLOWED = 2;
const ONE_KEY = 4;
