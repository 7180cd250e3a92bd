import { CATEGORY, type Category } from '../flag.js';
import type { CommandTable } from '../table.js';
import { Selector } from './selector.js';
import { applySelectorRule, setCommand, setCommandsIn } from './selector-rules.js';
import type { User } from './user.js';

/** The user as a line of an ACL file: the rules that create it. */
export function describeUser(user: User, table: CommandTable): string {
  const words = [...user.flags, ...user.passwords.map((hash) => `#${hash}`)];
  const [own, ...others] = user.selectors;
  const selectors = others.map((selector) => `(${describeSelector(selector, table)})`);
  return ['user', user.name, ...words, describeSelector(own as Selector, table), ...selectors].join(' ');
}

function describeSelector(selector: Selector, table: CommandTable): string {
  const keys = selector.allowsAllKeys ? ['~*'] : selector.keys.map(({ rule }) => rule);
  const channels = selector.allowsAllChannels
    ? ['&*']
    : ['resetchannels', ...selector.channels.map(({ text }) => `&${text}`)];
  return [...keys, ...channels, describeCommands(selector, table)].join(' ');
}

/** The keys of a selector, as ACL GETUSER shows them. */
export function describeKeys({ allowsAllKeys, keys }: Selector): string {
  return allowsAllKeys ? '~*' : keys.map(({ rule }) => rule).join(' ');
}

export function describeChannels({ allowsAllChannels, channels }: Selector): string {
  return allowsAllChannels ? '&*' : channels.map(({ text }) => `&${text}`).join(' ');
}

/**
 * The rules that allow the selector's commands, as Redis finds them. It keeps no rules, but looks for categories that come
 * close: in each round the one with the fewest exceptions. Single commands follow.
 */
export function describeCommands(selector: Selector, table: CommandTable): string {
  const adds = !selector.allowsFutureCommands;
  const rules = [adds ? '-@all' : '+@all'];
  const result = new Selector(selector.commands.length, false);
  applySelectorRule(result, rules[0] as string, table);
  /** The commands that are not covered by the categories found so far. */
  const rest = selector.copy();
  const unused = new Set(Object.keys(CATEGORY) as Category[]);
  for (;;) {
    const best = bestCategory(rest, unused, adds, table);
    if (best === undefined) break;
    unused.delete(best);
    rules.push(`${adds ? '+' : '-'}@${best}`);
    setCommandsIn(result, best, adds, table);
    setCommandsIn(rest, best, !adds, table);
  }
  addSingleCommands(rules, selector, result, table);
  return rules.join(' ');
}

/** The category with the fewest commands that differ, of those in which more commands agree than differ. */
function bestCategory(
  rest: Selector,
  unused: ReadonlySet<Category>,
  adds: boolean,
  table: CommandTable,
): Category | undefined {
  let best: Category | undefined;
  let minDifferent = Number.POSITIVE_INFINITY;
  let maxSame = 0;
  for (const category of unused) {
    const [on, off] = countAllowed(rest, category, table);
    const different = adds ? off : on;
    const same = adds ? on : off;
    if (same <= different) continue;
    if (different < minDifferent || (different === minDifferent && same > maxSame)) {
      best = category;
      minDifferent = different;
      maxSame = same;
    }
  }
  return best;
}

/** The number of commands of the category that are allowed, and of those that are not. */
function countAllowed(
  { commands }: Selector,
  category: Category,
  table: CommandTable,
): readonly [number, number] {
  const counts: [number, number] = [0, 0];
  const bit = CATEGORY[category];
  for (const command of table) {
    if ((command.categoryBits & bit) !== 0) counts[commands[command.id] === 1 ? 0 : 1]++;
    for (const { id, categoryBits } of command.subcommands ?? []) {
      if ((categoryBits & bit) !== 0) counts[commands[id] === 1 ? 0 : 1]++;
    }
  }
  return counts;
}

function addSingleCommands(rules: string[], wanted: Selector, result: Selector, table: CommandTable): void {
  for (const container of table) {
    for (const command of [container, ...(container.subcommands ?? [])]) {
      const isAllowed = wanted.commands[command.id] === 1;
      if (isAllowed !== (result.commands[command.id] === 1)) {
        rules.push(`${isAllowed ? '+' : '-'}${command.fullName}`);
        setCommand(result, command, isAllowed);
      }
      if (isAllowed) continue;
      for (const word of wanted.firstArguments.get(command.id) ?? []) {
        rules.push(`+${command.fullName}|${word}`);
      }
    }
  }
}
