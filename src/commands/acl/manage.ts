import type { Call } from '../call.js';
import { CommandError, shownText } from '../errors.js';
import { describeChannels, describeCommands, describeKeys } from './describe.js';
import { RuleError } from './rule-error.js';
import type { Selector } from './selector.js';
import { hasSpaces } from './selector-rules.js';
import { joinedSelectors } from './user-rules.js';

/** ACL SETUSER name [rule …] */
export function aclSetUser(call: Call): void {
  const name = call.text(2);
  if (hasSpaces(name)) throw new CommandError("ERR Usernames can't contain spaces or null characters");
  const words: string[] = [];
  for (let i = 3; i < call.argc; i++) words.push(call.text(i));
  const rules = joinedSelectors(words);
  if ('unclosed' in rules) {
    throw new CommandError(
      `ERR Unmatched parenthesis in acl selector starting at '${shownText(rules.unclosed)}'.`,
    );
  }
  let applied = '';
  try {
    const onRule = (rule: string): void => {
      applied = rule;
    };
    call.engine.users.set(name, rules, onRule, call.session);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new CommandError(`ERR Error in ACL SETUSER modifier '${shownText(applied)}': ${error.reason}`);
  }
  call.reply.ok();
}

/** ACL DELUSER name [name …] */
export function aclDelUser(call: Call): void {
  const { users } = call.engine;
  const names: string[] = [];
  for (let i = 2; i < call.argc; i++) names.push(call.text(i));
  if (names.some((name) => shownText(name) === 'default')) {
    throw new CommandError("ERR The 'default' user cannot be removed");
  }
  let deleted = 0;
  for (const name of names) if (users.delete(name, call.session)) deleted++;
  call.reply.integer(deleted);
}

export function aclList({ engine, reply }: Call): void {
  const lines = engine.users.describe();
  reply.array(lines.length);
  for (const line of lines) reply.bulkText(line);
}

export function aclUsers({ engine, reply }: Call): void {
  const { all } = engine.users;
  reply.array(all.length);
  for (const { name } of all) reply.bulkText(name);
}

export function aclWhoAmI({ session, reply }: Call): void {
  if (session.user === undefined) reply.null();
  else reply.bulkText(session.user.name);
}

/** ACL GETUSER name */
export function aclGetUser(call: Call): void {
  const { reply } = call;
  const user = call.engine.users.find(call.text(2));
  if (user === undefined) {
    reply.null();
    return;
  }
  const [own, ...others] = user.selectors;
  reply.map(6);
  reply.bulkText('flags');
  reply.set(user.flags.length);
  for (const flag of user.flags) reply.bulkText(flag);
  reply.bulkText('passwords');
  reply.array(user.passwords.length);
  for (const hash of user.passwords) reply.bulkText(hash);
  replySelector(call, own as Selector);
  reply.bulkText('selectors');
  reply.array(others.length);
  for (const selector of others) {
    reply.map(3);
    replySelector(call, selector);
  }
}

function replySelector({ engine, reply }: Call, selector: Selector): void {
  reply.bulkText('commands');
  reply.bulkText(describeCommands(selector, engine.users.table));
  reply.bulkText('keys');
  reply.bulkText(describeKeys(selector));
  reply.bulkText('channels');
  reply.bulkText(describeChannels(selector));
}
