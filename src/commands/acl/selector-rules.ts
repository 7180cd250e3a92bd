import { CATEGORY, type Category } from '../flag.js';
import type { Command, CommandTable } from '../table.js';
import { AccessPattern, KeyPattern, Permission } from './key-pattern.js';
import { ruleErrors } from './rule-error.js';
import { lowerCase, type Selector } from './selector.js';

/**
 * Applies one rule on commands, keys or channels to a selector, or throws a `RuleError`. Commands are those of the original
 * table: rules do not depend on `rename-command`.
 */
export function applySelectorRule(selector: Selector, rule: string, table: CommandTable): void {
  const word = cString(rule);
  switch (lowerCase(word)) {
    case 'allkeys':
    case '~*':
      selector.allowsAllKeys = true;
      selector.keys = [];
      return;
    case 'resetkeys':
      selector.allowsAllKeys = false;
      selector.keys = [];
      return;
    case 'allchannels':
    case '&*':
      selector.allowsAllChannels = true;
      selector.channels = [];
      return;
    case 'resetchannels':
      selector.allowsAllChannels = false;
      selector.channels = [];
      return;
    case 'allcommands':
    case '+@all':
      setAllCommands(selector, true);
      return;
    case 'nocommands':
    case '-@all':
      setAllCommands(selector, false);
      return;
    default:
      applyAddition(selector, rule, word, table);
  }
}

function applyAddition(selector: Selector, rule: string, word: string, table: CommandTable): void {
  switch (word[0]) {
    case '~':
    case '%':
      addKeyPattern(selector, rule);
      return;
    case '&':
      addChannel(selector, rule.slice(1));
      return;
    case '+':
    case '-':
      if (word[1] === '@') setCategory(selector, word.slice(2), word[0] === '+', table);
      else if (word[0] === '+' && word.includes('|')) allowPart(selector, word.slice(1), table);
      else setCommand(selector, commandNamed(table, word.slice(1)), word[0] === '+');
      return;
    default:
      throw ruleErrors.syntax;
  }
}

/** Rules other than patterns and passwords end at a zero byte, as strings of C do. */
export function cString(rule: string): string {
  const end = rule.indexOf('\0');
  return end < 0 ? rule : rule.slice(0, end);
}

/** Whether Redis would take the text for several words. */
export function hasSpaces(text: string): boolean {
  return /[ \t-\r\0]/.test(text);
}

// ---- keys and channels ----

function addKeyPattern(selector: Selector, rule: string): void {
  if (selector.allowsAllKeys) throw ruleErrors.afterAllKeys;
  const [, letters, text] = /^(?:~|%([rRwW]*)(?:~|$))(.*)$/s.exec(rule) ?? [];
  if (text === undefined || hasSpaces(text)) throw ruleErrors.syntax;
  const added = letters === undefined ? Permission.both : permissionOf(letters);
  const known = selector.keys.findIndex((pattern) => pattern.text === text);
  if (known < 0) selector.keys.push(new KeyPattern(text, added));
  else selector.keys[known] = new KeyPattern(text, added | (selector.keys[known] as KeyPattern).permission);
}

/** `R`, `W` or both, each once. */
function permissionOf(letters: string): number {
  switch (letters.toUpperCase()) {
    case 'R':
      return Permission.read;
    case 'W':
      return Permission.write;
    case 'RW':
    case 'WR':
      return Permission.both;
    default:
      throw ruleErrors.syntax;
  }
}

function addChannel(selector: Selector, text: string): void {
  if (selector.allowsAllChannels) throw ruleErrors.afterAllChannels;
  if (hasSpaces(text)) throw ruleErrors.syntax;
  if (!selector.channels.some((pattern) => pattern.text === text)) {
    selector.channels.push(new AccessPattern(text));
  }
}

// ---- commands ----

function setAllCommands(selector: Selector, isAllowed: boolean): void {
  selector.commands.fill(isAllowed ? 1 : 0);
  selector.allowsAllCommands = isAllowed;
  selector.allowsFutureCommands = isAllowed;
  selector.firstArguments.clear();
}

/** Allows or forbids a command and, for a container, all its subcommands. */
export function setCommand(selector: Selector, command: Command, isAllowed: boolean): void {
  setBit(selector, command, isAllowed);
  selector.firstArguments.delete(command.id);
  for (const subcommand of command.subcommands ?? []) setBit(selector, subcommand, isAllowed);
}

function setBit(selector: Selector, { id }: Command, isAllowed: boolean): void {
  selector.commands[id] = isAllowed ? 1 : 0;
  if (!isAllowed) selector.allowsAllCommands = false;
}

function setCategory(selector: Selector, name: string, isAllowed: boolean, table: CommandTable): void {
  const category = categoryNamed(name);
  if (category === undefined) throw ruleErrors.unknownCommand;
  setCommandsIn(selector, category, isAllowed, table);
}

/** Allows or forbids all commands of a category. */
export function setCommandsIn(
  selector: Selector,
  category: Category,
  isAllowed: boolean,
  table: CommandTable,
): void {
  const bit = CATEGORY[category];
  for (const command of table) {
    if ((command.categoryBits & bit) !== 0) setCommand(selector, command, isAllowed);
    for (const subcommand of command.subcommands ?? []) {
      if ((subcommand.categoryBits & bit) !== 0) setCommand(selector, subcommand, isAllowed);
    }
  }
}

/** The category of this name, in any letter case. */
export function categoryNamed(name: string): Category | undefined {
  const known = lowerCase(name);
  return Object.hasOwn(CATEGORY, known) ? (known as Category) : undefined;
}

/** `+config|get` allows a subcommand, `+select|0` a command with this first argument. */
function allowPart(selector: Selector, name: string, table: CommandTable): void {
  const bar = name.lastIndexOf('|');
  const command = commandNamed(table, name.slice(0, bar));
  const part = name.slice(bar + 1);
  if (command.parent !== undefined) throw ruleErrors.argumentOfSubcommand;
  if (part === '') throw ruleErrors.syntax;
  if (command.subcommands !== undefined) {
    setCommand(selector, commandNamed(table, name), true);
    return;
  }
  const words = selector.firstArguments.get(command.id) ?? [];
  if (words.some((word) => lowerCase(word) === lowerCase(part))) return;
  selector.firstArguments.set(command.id, [...words, part]);
}

function commandNamed(table: CommandTable, name: string): Command {
  const command = table.byName(name);
  if (command === undefined) throw ruleErrors.unknownCommand;
  return command;
}
