import { globMatchText } from '../../bytes/glob.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { CATEGORY, FLAG, KEY_FLAG, namesIn } from '../flag.js';
import { helpHandler } from '../help.js';
import { type KeyPositions, keyPositions } from '../key-positions.js';
import type { Command, CommandTable } from '../table.js';
import { replyDocs, replyDocsOf } from './command-docs.js';
import { replyInfo, replyNames } from './command-info.js';

/** COMMAND and COMMAND INFO without names: all commands. */
function infoOfAll({ engine, reply }: Call): void {
  reply.array(engine.table.size);
  for (const command of engine.table) replyInfo(reply, command);
}

function info(call: Call): void {
  if (call.argc === 2) {
    infoOfAll(call);
    return;
  }
  call.reply.array(call.argc - 2);
  for (let i = 2; i < call.argc; i++) {
    const command = call.engine.table.byName(call.text(i));
    if (command === undefined) call.reply.null();
    else replyInfo(call.reply, command);
  }
}

/** Unlike INFO, leaves out commands that do not exist. */
function docs(call: Call): void {
  const { engine, reply } = call;
  if (call.argc === 2) {
    replyDocsOf(reply, engine.table);
    return;
  }
  const named: Command[] = [];
  for (let i = 2; i < call.argc; i++) {
    const command = engine.table.byName(call.text(i));
    if (command !== undefined) named.push(command);
  }
  reply.map(named.length);
  for (const command of named) replyDocs(reply, command);
}

function count({ engine, reply }: Call): void {
  reply.integer(engine.table.size);
}

function list(call: Call): void {
  const isListed = filterOf(call);
  const names: string[] = [];
  for (const command of everyCommand(call.engine.table)) {
    if (isListed(command)) names.push(command.fullName);
  }
  call.reply.array(names.length);
  for (const name of names) call.reply.bulkText(name);
}

type Filter = (command: Command) => boolean;

function filterOf(call: Call): Filter {
  if (call.argc === 2) return () => true;
  if (call.argc !== 5 || !call.arg(2).is('filterby')) throw errors.syntax;
  const value = call.text(4);
  switch (call.text(3).toLowerCase()) {
    case 'module':
      // There are no modules.
      return () => false;
    case 'aclcat': {
      const category = Object.entries(CATEGORY).find(([name]) => name === value.toLowerCase());
      const bit = category?.[1] ?? 0;
      return (command) => (command.categoryBits & bit) !== 0;
    }
    case 'pattern':
      return (command) => globMatchText(value, command.fullName, true);
    default:
      throw errors.syntax;
  }
}

/** The commands, each container followed by its subcommands. */
function* everyCommand(table: CommandTable): Iterable<Command> {
  for (const command of table) {
    yield command;
    if (command.subcommands !== undefined) yield* command.subcommands;
  }
}

function getKeys(call: Call): void {
  const { positions } = keysOfInner(call);
  call.reply.array(positions.length);
  for (const position of positions) call.reply.bulk(call.arg(INNER + position));
}

function getKeysAndFlags(call: Call): void {
  const { reply } = call;
  const { positions, flags } = keysOfInner(call);
  reply.array(positions.length);
  positions.forEach((position, i) => {
    reply.array(2);
    reply.bulk(call.arg(INNER + position));
    replyNames(reply, namesIn(KEY_FLAG, flags[i] as number));
  });
}

/** The index, in the arguments of COMMAND GETKEYS, of the command in question. */
const INNER = 2;

function keysOfInner(call: Call): KeyPositions {
  const args = call.args.slice(INNER, call.argc);
  const command = call.engine.table.find(args, args.length);
  if (command === undefined) throw new CommandError('ERR Invalid command specified');
  if (!command.hasKeys) throw new CommandError('ERR The command has no key arguments');
  if (!command.accepts(args.length)) {
    throw new CommandError('ERR Invalid number of arguments specified for command');
  }
  const keys = keyPositions(command, args, args.length);
  if (keys.count === 0 && (command.flagBits & FLAG.no_mandatory_keys) === 0) {
    throw new CommandError('ERR Invalid arguments specified for command');
  }
  return keys;
}

const help = helpHandler([
  '(no subcommand)',
  '    Return details about all Redis commands.',
  'COUNT',
  '    Return the total number of commands in this Redis server.',
  'LIST',
  '    Return a list of all commands in this Redis server.',
  'INFO [<command-name> ...]',
  '    Return details about multiple Redis commands.',
  '    If no command names are given, documentation details for all',
  '    commands are returned.',
  'DOCS [<command-name> ...]',
  '    Return documentation details about multiple Redis commands.',
  '    If no command names are given, documentation details for all',
  '    commands are returned.',
  'GETKEYS <full-command>',
  '    Return the keys from a full Redis command.',
  'GETKEYSANDFLAGS <full-command>',
  '    Return the keys and the access flags from a full Redis command.',
]);

/** The handlers of COMMAND and its subcommands. */
export const commandHandlers = {
  itself: infoOfAll,
  count,
  docs,
  getkeys: getKeys,
  getkeysandflags: getKeysAndFlags,
  help,
  info,
  list,
} as const;
