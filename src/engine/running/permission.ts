import type { Bytes } from '../../bytes/bytes.js';
import type { DenialContext, DenialReason } from '../../commands/acl/access-log.js';
import { logDenial } from '../../commands/acl/denials.js';
import { Verdict } from '../../commands/acl/selector.js';
import type { User } from '../../commands/acl/user.js';
import { CommandError } from '../../commands/errors.js';
import type { Session } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../engine.js';
import type { AdmissionContext, CommandRequest } from './admission.js';

/**
 * Why the user of a restricted session may not run the command (ACL); undefined if it may. What is refused is noted in
 * ACL LOG. The error depends on where the command comes from.
 */
export function permissionRefusal(
  engine: Engine,
  { session, command, args, argc }: CommandRequest,
  context: AdmissionContext,
): CommandError | undefined {
  const user = session.user as User;
  const verdict = user.check(command, args, argc);
  if (verdict === Verdict.allowed) return undefined;
  const argument = args[user.refusedAt] as Bytes;
  const object = verdict === Verdict.command ? command.fullName : argument.toString();
  const client = context.origin === 'script' ? context.call.session : session;
  logDenial(engine, client, REASONS[verdict] as DenialReason, denialContext(session, context), object);
  return permissionError(verdict, command, context);
}

function denialContext({ queue }: Session, { origin }: AdmissionContext): DenialContext {
  if (origin === 'script') return 'lua';
  return queue === undefined ? 'toplevel' : 'multi';
}

function permissionError(verdict: number, command: Command, { origin }: AdmissionContext): CommandError {
  if (origin === 'script') return SCRIPT_DENIALS[verdict] as CommandError;
  if (origin === 'transaction') return EXEC_DENIALS[verdict] as CommandError;
  if (verdict !== Verdict.command) return DENIALS[verdict] as CommandError;
  return new CommandError(`NOPERM this user has no permissions to run the '${command.fullName}' command`);
}

/** By `Verdict`. */
const REASONS: Readonly<Record<number, DenialReason>> = {
  [Verdict.command]: 'command',
  [Verdict.key]: 'key',
  [Verdict.channel]: 'channel',
};

const DENIALS: Readonly<Record<number, CommandError>> = {
  [Verdict.key]: new CommandError(
    'NOPERM this user has no permissions to access one of the keys used as arguments',
  ),
  [Verdict.channel]: new CommandError(
    'NOPERM this user has no permissions to access one of the channels used as arguments',
  ),
};

const EXEC_DENIALS: Readonly<Record<number, CommandError>> = {
  [Verdict.command]: execDenial('no permission to execute the command or subcommand'),
  [Verdict.key]: execDenial('no permission to touch the specified keys'),
  [Verdict.channel]: execDenial('no permission to access one of the channels used as arguments'),
};

function execDenial(reason: string): CommandError {
  return new CommandError(
    'NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. ' +
      `This command is no longer allowed for the following reason: ${reason}`,
  );
}

const SCRIPT_DENIALS: Readonly<Record<number, CommandError>> = {
  [Verdict.command]: new CommandError(
    "ERR The user executing the script can't run this command or subcommand",
  ),
  [Verdict.key]: new CommandError(
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
  ),
  [Verdict.channel]: new CommandError(
    "ERR The user executing the script can't publish to the channel mentioned in the command",
  ),
};
