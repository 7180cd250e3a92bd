import { RuleError, ruleErrors } from '../../commands/acl/rule-error.js';
import { hasSpaces } from '../../commands/acl/selector-rules.js';
import { parseUserFile } from '../../commands/acl/user-file.js';
import { joinedSelectors } from '../../commands/acl/user-rules.js';
import type { Engine } from '../../engine/engine.js';
import { ConfigurationError, type UserDirective } from './configuration.js';

const BOTH =
  'Configuring Redis with users defined in redis.conf and at the same setting an ACL file path is invalid. ' +
  'This setup is very likely to lead to configuration errors and security holes, please define either an ACL file ' +
  'or declare users directly in your redis.conf, but not both.';

/** Creates the users of the configuration: of its `user` lines, or of the ACL file. Throws a ConfigurationError. */
export function loadUsers(engine: Engine, directives: readonly UserDirective[]): void {
  const path = engine.settings.text('aclfile');
  if (path !== '' && directives.length > 0) throw new ConfigurationError(BOTH);
  const names = new Set<string>();
  for (const directive of directives) {
    defineUser(engine, directive, names);
    names.add(directive.name);
  }
  if (path !== '') loadFile(engine, path);
  for (const { name, isOn } of engine.users.all) {
    if (!isOn) engine.host.log('notice', `The user '${name}' is disabled: it has no rule 'on'.`);
  }
}

function defineUser(engine: Engine, { name, rules, where }: UserDirective, names: ReadonlySet<string>): void {
  const refuse = (rule: string, reason: string): never => {
    // Passwords are not shown.
    const shown = /^[<>]/.test(rule) ? `${rule[0]}…` : rule;
    throw new ConfigurationError(`${where}: Error in user declaration '${shown}': ${reason}`);
  };
  if (hasSpaces(name)) refuse(name, 'Spaces not allowed in ACL usernames');
  if (names.has(name)) refuse(name, ruleErrors.duplicateUser.reason);
  const joined = joinedSelectors(rules);
  if ('unclosed' in joined) {
    refuse(joined.unclosed, 'Unmatched parenthesis in selector definition');
    return;
  }
  let applied = '';
  try {
    engine.users.define(name, joined, (rule) => {
      applied = rule;
    });
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    refuse(applied, error.reason);
  }
}

function loadFile(engine: Engine, path: string): void {
  let text: string;
  try {
    text = engine.host.readText(path);
  } catch (error) {
    throw new ConfigurationError(`Error loading ACLs, opening file '${path}': ${(error as Error).message}`);
  }
  const found = parseUserFile(text, path, engine.users);
  if (typeof found === 'string') throw new ConfigurationError(found);
  engine.users.replaceAll(found, undefined);
}
