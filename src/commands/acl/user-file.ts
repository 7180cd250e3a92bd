import { RuleError, ruleErrors } from './rule-error.js';
import { hasSpaces } from './selector-rules.js';
import type { User } from './user.js';
import { applyUserRule, joinedSelectors } from './user-rules.js';
import type { Users } from './users.js';

/**
 * The users that the text of an ACL file defines: a line `user name rule…` for each. On errors, all of them in one text, as
 * Redis writes it.
 */
export function parseUserFile(text: string, path: string, users: Users): ReadonlyMap<string, User> | string {
  const found = new Map<string, User>();
  let errors = '';
  text.split('\n').forEach((line, i) => {
    const words = line.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').split(' ');
    if (words.length > 1 || words[0] !== '')
      errors += addUser(words, `${path}:${i + 1}`, i + 1, users, found);
  });
  if (errors === '') return found;
  return `${errors}WARNING: ACL errors detected, no change to the previously active ACL rules was performed`;
}

/** Returns the errors in the line. */
function addUser(
  words: readonly string[],
  place: string,
  line: number,
  users: Users,
  found: Map<string, User>,
): string {
  const [keyword, name, ...rest] = words;
  if (keyword !== 'user' || name === undefined) {
    return `${place} should start with user keyword followed by the username. `;
  }
  if (hasSpaces(name)) return `'${place}: username '${name}' contains invalid characters. `;
  if (found.has(name)) return `WARNING: Duplicate user '${name}' found on line ${line}. `;
  const user = users.create(name);
  found.set(name, user);
  const rules = joinedSelectors(rest);
  if ('unclosed' in rules) return `${place}: Unmatched parenthesis in selector definition.`;
  const errors = rules.map((rule) => failureOf(user, rule.replace(/^[\t\r\n]+|[\t\r\n]+$/g, ''), users));
  return errors.map((reason) => (reason === undefined ? '' : `${place}: ${reason}. `)).join('');
}

function failureOf(user: User, rule: string, users: Users): string | undefined {
  try {
    applyUserRule(user, rule, users);
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const isUnknown = error === ruleErrors.unknownCommand;
    return isUnknown ? `Error in applying operation '${rule}': ${error.reason}` : error.reason;
  }
}
