import { randomBytes } from 'node:crypto';
import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../call.js';
import { CommandError, shownText, wrongArity, wrongSubcommandArguments } from '../errors.js';
import { CATEGORY } from '../flag.js';
import type { Command } from '../table.js';
import { Verdict } from './selector.js';
import { categoryNamed } from './selector-rules.js';

/** ACL CAT [category] */
export function aclCat(call: Call): void {
  if (call.argc > 3) throw wrongSubcommandArguments(call.text(1), 'acl');
  if (call.argc === 2) {
    replyNames(call, Object.keys(CATEGORY));
    return;
  }
  const category = categoryNamed(shownText(call.text(2)));
  if (category === undefined) {
    throw new CommandError(`ERR Unknown category '${shownText(call.text(2), 128)}'`);
  }
  const bit = CATEGORY[category];
  const commands = [...call.engine.users.table].flatMap((each) => [each, ...(each.subcommands ?? [])]);
  const names = commands.filter(({ categoryBits }) => (categoryBits & bit) !== 0);
  replyNames(
    call,
    names.map(({ fullName }) => fullName),
  );
}

function replyNames({ reply }: Call, names: readonly string[]): void {
  reply.array(names.length);
  for (const name of names) reply.bulkText(name);
}

/** ACL GENPASS [bits]: hexadecimal digits, four bits each. */
export function aclGenPass(call: Call): void {
  if (call.argc > 3) throw wrongSubcommandArguments(call.text(1), 'acl');
  const bits = call.argc === 3 ? call.integer(2) : 256;
  if (bits <= 0 || bits > MAX_BITS) {
    throw new CommandError(
      'ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to ' +
        MAX_BITS,
    );
  }
  const digits = Math.ceil(bits / 4);
  call.reply.bulkText(
    randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
  );
}

const MAX_BITS = 4096;

/** ACL LOG [count | RESET] */
export function aclLog(call: Call): void {
  if (call.argc > 3) throw wrongSubcommandArguments(call.text(1), 'acl');
  const { reply } = call;
  const { log } = call.engine.users;
  if (call.argc === 3 && call.arg(2).is('reset')) {
    log.clear();
    reply.ok();
    return;
  }
  const entries = log.entries(call.argc === 3 ? Math.max(call.integer(2), 0) : DEFAULT_ENTRIES);
  reply.array(entries.length);
  for (const { denial, count, time } of entries) {
    reply.map(7);
    reply.bulkText('count');
    reply.integer(count);
    reply.bulkText('reason');
    reply.bulkText(denial.reason);
    reply.bulkText('context');
    reply.bulkText(denial.context);
    reply.bulkText('object');
    reply.bulkText(denial.object);
    reply.bulkText('username');
    reply.bulkText(denial.user);
    reply.bulkText('age-seconds');
    reply.double((call.now - time) / 1000);
    reply.bulkText('client-info');
    reply.bulkText(denial.client);
  }
}

const DEFAULT_ENTRIES = 10;

/** ACL DRYRUN user command [argument …] */
export function aclDryRun(call: Call): void {
  const user = call.engine.users.find(call.text(2));
  if (user === undefined) throw new CommandError(`ERR User '${shownText(call.text(2))}' not found`);
  const args = call.args.slice(3, call.argc);
  const command = call.engine.table.find(args, args.length);
  if (command === undefined) {
    throw new CommandError(`ERR Command '${shownText(call.text(3))}' not found`);
  }
  if (!command.accepts(args.length)) throw wrongArity(command.fullName);
  const verdict = user.check(command, args, args.length);
  if (verdict === Verdict.allowed) call.reply.ok();
  else call.reply.bulkText(refusalText(verdict, command, args[user.refusedAt] as Bytes));
}

function refusalText(verdict: number, { fullName }: Command, argument: Bytes): string {
  if (verdict === Verdict.command) return `This user has no permissions to run the '${fullName}' command`;
  const what = verdict === Verdict.key ? 'key' : 'channel';
  return `This user has no permissions to access the '${shownText(argument.toString())}' ${what}`;
}
