import { createHash } from 'node:crypto';
import { splitWords } from '../../bytes/quoting.js';
import type { CommandTable } from '../table.js';
import { ruleErrors } from './rule-error.js';
import { lowerCase, Selector } from './selector.js';
import { applySelectorRule, cString } from './selector-rules.js';
import type { User } from './user.js';

/** What rules depend on. */
export interface RuleContext {
  /** The commands by their original names. */
  readonly table: CommandTable;
  /** `acl-pubsub-default`: whether new selectors, and users that are reset, may use all channels. */
  readonly allowsAllChannels: boolean;
}

/** Applies one rule of ACL SETUSER to the user, or throws a `RuleError`. */
export function applyUserRule(user: User, rule: string, context: RuleContext): void {
  const { table } = context;
  const word = cString(rule);
  if (rule === '') return;
  switch (lowerCase(word)) {
    case 'on':
      user.isOn = true;
      return;
    case 'off':
      user.isOn = false;
      return;
    case 'skip-sanitize-payload':
      user.payloads = 'skip-sanitize-payload';
      return;
    case 'sanitize-payload':
      user.payloads = 'sanitize-payload';
      return;
    case 'nopass':
      user.needsNoPassword = true;
      user.passwords = [];
      return;
    case 'resetpass':
      user.needsNoPassword = false;
      user.passwords = [];
      return;
    case 'clearselectors':
      user.selectors = [user.ownSelector];
      return;
    case 'reset':
      reset(user, context);
      return;
    default:
      if (/^[>#<!]/.test(word)) applyPasswordRule(user, rule);
      else if (word.startsWith('(') && rule.endsWith(')')) user.selectors.push(selectorOf(rule, context));
      else applySelectorRule(user.ownSelector, rule, table);
  }
}

function reset(user: User, { table, allowsAllChannels }: RuleContext): void {
  user.needsNoPassword = false;
  user.passwords = [];
  user.isOn = false;
  user.payloads = 'sanitize-payload';
  user.selectors = [new Selector(table.idLimit, allowsAllChannels)];
}

function applyPasswordRule(user: User, rule: string): void {
  const given = rule.slice(1);
  const isHash = rule[0] === '#' || rule[0] === '!';
  if (isHash && !/^[0-9a-f]{64}$/.test(given)) throw ruleErrors.badHash;
  const hash = isHash ? given : passwordHash(given);
  const isKnown = user.passwords.includes(hash);
  if (rule[0] === '>' || rule[0] === '#') {
    if (!isKnown) user.passwords.push(hash);
    user.needsNoPassword = false;
  } else if (isKnown) {
    user.passwords = user.passwords.filter((each) => each !== hash);
  } else {
    throw ruleErrors.noSuchPassword;
  }
}

/** SHA-256 of the latin1 text, in hexadecimal digits. */
export function passwordHash(password: string): string {
  return createHash('sha256').update(password, 'latin1').digest('hex');
}

/** `(+get ~a*)`. Like Redis, takes unbalanced quotes for an empty selector. */
function selectorOf(rule: string, { table, allowsAllChannels }: RuleContext): Selector {
  const selector = new Selector(table.idLimit, allowsAllChannels);
  for (const word of splitWords(rule.slice(1, -1)) ?? []) applySelectorRule(selector, word, table);
  return selector;
}

/**
 * Joins the rules of a selector that was given in several words. Returns the word with the parenthesis that is not closed
 * if there is one.
 */
export function joinedSelectors(words: readonly string[]): readonly string[] | { readonly unclosed: string } {
  const rules: string[] = [];
  let unclosed: string | undefined;
  let selector = '';
  for (const word of words) {
    if (word.startsWith('(') && !word.endsWith(')')) {
      unclosed = selector = word;
    } else if (unclosed === undefined) {
      rules.push(word);
    } else {
      selector += ` ${cString(word)}`;
      if (!word.endsWith(')')) continue;
      rules.push(selector);
      unclosed = undefined;
    }
  }
  return unclosed === undefined ? rules : { unclosed };
}
