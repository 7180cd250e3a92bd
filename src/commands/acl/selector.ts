import type { Bytes } from '../../bytes/bytes.js';
import { shownText } from '../errors.js';
import { FLAG } from '../flag.js';
import { type KeyVisitor, visitKeys } from '../key-positions.js';
import type { Command } from '../table.js';
import { type AccessPattern, type KeyPattern, neededPermission } from './key-pattern.js';

/** What the check of a command found. If several selectors refuse it, the greatest reason is reported. */
export const Verdict = { allowed: 0, command: 1, key: 2, channel: 4 } as const;

/**
 * A set of permissions: commands, keys and channels. A user has one, and further ones in parentheses; a command may run if
 * one of them allows all of it.
 */
export class Selector {
  /** All commands, also those of the future. The check of commands is skipped. */
  allowsAllCommands = false;
  /** Commands that a later version adds are allowed: the rules began with `+@all`. */
  allowsFutureCommands = false;
  /** 1 if the command with this id is allowed. */
  readonly commands: Uint8Array;
  /** `+select|0`: the first arguments with which a command is allowed that is not allowed in general, by its id. */
  readonly firstArguments = new Map<number, string[]>();
  allowsAllKeys = false;
  keys: KeyPattern[] = [];
  allowsAllChannels: boolean;
  channels: AccessPattern[] = [];
  /** The argument that the last check refused: a key or a channel. */
  refusedAt = 0;

  constructor(commandLimit: number, allowsAllChannels: boolean) {
    this.commands = new Uint8Array(commandLimit);
    this.allowsAllChannels = allowsAllChannels;
  }

  copy(): Selector {
    const copy = new Selector(this.commands.length, this.allowsAllChannels);
    copy.allowsAllCommands = this.allowsAllCommands;
    copy.allowsFutureCommands = this.allowsFutureCommands;
    copy.commands.set(this.commands);
    for (const [id, words] of this.firstArguments) copy.firstArguments.set(id, [...words]);
    copy.allowsAllKeys = this.allowsAllKeys;
    copy.keys = [...this.keys];
    copy.channels = [...this.channels];
    return copy;
  }

  get allowsEverything(): boolean {
    return this.allowsAllCommands && this.allowsAllKeys && this.allowsAllChannels;
  }

  /** Whether the command may run with these arguments: a `Verdict`. */
  check(command: Command, args: readonly Bytes[], argc: number): number {
    this.refusedAt = 0;
    if (!this.allowsAllCommands && !this.#allowsCommand(command, args, argc)) return Verdict.command;
    if (!this.allowsAllKeys && command.hasKeys) {
      this.refusedAt = keyCheck.firstRefused(this, command, args, argc);
      if (this.refusedAt > 0) return Verdict.key;
    }
    if (!this.allowsAllChannels && (command.flagBits & FLAG.pubsub) !== 0) {
      this.refusedAt = this.#firstRefusedChannel(command, args, argc);
      if (this.refusedAt > 0) return Verdict.channel;
    }
    return Verdict.allowed;
  }

  #allowsCommand({ id, flagBits, parent }: Command, args: readonly Bytes[], argc: number): boolean {
    if (this.commands[id] === 1 || (flagBits & FLAG.no_auth) !== 0) return true;
    if (this.firstArguments.size === 0 || parent !== undefined || argc < 2) return false;
    const words = this.firstArguments.get(id);
    if (words === undefined) return false;
    // Redis compares strings of C, which end at a zero byte.
    const given = lowerCase(shownText((args[1] as Bytes).toString()));
    return words.some((word) => lowerCase(word) === given);
  }

  allowsKey(key: Bytes, keyFlags: number): boolean {
    if (this.allowsAllKeys) return true;
    const needed = neededPermission(keyFlags);
    const { keys } = this;
    for (let i = 0; i < keys.length; i++) {
      const pattern = keys[i] as KeyPattern;
      if ((pattern.permission & needed) === needed && pattern.matches(key)) return true;
    }
    return false;
  }

  /** Whether every key is allowed for a command that does this to keys. */
  allowsAnyKey(keyFlags: number): boolean {
    const needed = neededPermission(keyFlags);
    return (
      this.allowsAllKeys ||
      this.keys.some(({ text, permission }) => text === '*' && (permission & needed) === needed)
    );
  }

  #firstRefusedChannel({ name }: Command, args: readonly Bytes[], argc: number): number {
    const named = CHANNEL_ARGUMENTS[name];
    if (named === undefined) return 0;
    const end = named === 'one' ? 2 : argc;
    for (let at = 1; at < end; at++) {
      const channel = args[at] as Bytes;
      const isAllowed =
        named === 'patterns' ? allowsPattern(this.channels, channel) : allowsChannel(this.channels, channel);
      if (!isAllowed) return at;
    }
    return 0;
  }
}

/** The arguments that are channels. To unsubscribe, a client needs no permission. */
const CHANNEL_ARGUMENTS: Readonly<Record<string, 'one' | 'all' | 'patterns'>> = {
  publish: 'one',
  spublish: 'one',
  subscribe: 'all',
  ssubscribe: 'all',
  psubscribe: 'patterns',
};

export function allowsChannel(allowed: readonly AccessPattern[], channel: Bytes): boolean {
  return allowed.some((pattern) => pattern.matches(channel));
}

/** A pattern to subscribe to must be one of the allowed patterns, letter for letter up to a zero byte, as in Redis. */
export function allowsPattern(allowed: readonly AccessPattern[], pattern: Bytes): boolean {
  const text = shownText(pattern.toString());
  return allowed.some((each) => shownText(each.text) === text);
}

/** In lower case; only the letters of ASCII have one. */
export function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Finds the first key of a command that a selector refuses. There is one object: nothing is allocated per command. */
class KeyCheck implements KeyVisitor {
  #selector: Selector | undefined;
  #argc = 0;
  #refusedAt = 0;

  firstRefused(selector: Selector, command: Command, args: readonly Bytes[], argc: number): number {
    this.#selector = selector;
    this.#argc = argc;
    this.#refusedAt = 0;
    visitKeys(command, args, argc, this);
    return this.#refusedAt;
  }

  visit(key: Bytes, flags: number, position: number): void {
    // `redis.acl_check_cmd` does not check the number of arguments.
    if (this.#refusedAt > 0 || position >= this.#argc) return;
    if (!(this.#selector as Selector).allowsKey(key, flags)) this.#refusedAt = position;
  }
}

const keyCheck = new KeyCheck();
