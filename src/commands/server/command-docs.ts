import type { Reply } from '../../resp/reply.js';
import type { Argument } from '../argument.js';
import type { Command } from '../table.js';
import { replyNames } from './command-info.js';

/** Fields of a map, collected first because a map begins with their number. */
type Fields = [name: string, write: () => void][];

/** A command's name and its documentation: one entry of the map that COMMAND DOCS replies with. */
export function replyDocs(reply: Reply, command: Command): void {
  const { docs } = command.spec;
  const fields: Fields = [];
  const text = (name: string, value: string | undefined): void => {
    if (value !== undefined) fields.push([name, () => reply.bulkText(value)]);
  };
  text('summary', docs.summary);
  text('since', docs.since);
  text('group', docs.group);
  text('complexity', docs.complexity);
  const flags = [
    ...(docs.deprecatedSince === undefined ? [] : ['deprecated']),
    ...(docs.system === true ? ['syscmd'] : []),
  ];
  if (flags.length > 0) fields.push(['doc_flags', () => replyNames(reply, flags)]);
  text('deprecated_since', docs.deprecatedSince);
  text('replaced_by', docs.replacedBy);
  const { history, arguments: args } = docs;
  if (history !== undefined) fields.push(['history', () => replyHistory(reply, history)]);
  if (args !== undefined) fields.push(['arguments', () => replyArguments(reply, args)]);
  const { subcommands } = command;
  if (subcommands !== undefined) fields.push(['subcommands', () => replyDocsOf(reply, subcommands)]);
  reply.bulkText(command.fullName);
  replyFields(reply, fields);
}

/** The documentation of several commands, as a map. */
export function replyDocsOf(reply: Reply, commands: Iterable<Command> & { readonly size: number }): void {
  reply.map(commands.size);
  for (const command of commands) replyDocs(reply, command);
}

function replyFields(reply: Reply, fields: Fields): void {
  reply.map(fields.length);
  for (const [name, write] of fields) {
    reply.bulkText(name);
    write();
  }
}

function replyHistory(reply: Reply, history: readonly (readonly [string, string])[]): void {
  reply.set(history.length);
  for (const [since, change] of history) {
    reply.array(2);
    reply.bulkText(since);
    reply.bulkText(change);
  }
}

function replyArguments(reply: Reply, args: readonly Argument[]): void {
  reply.array(args.length);
  for (const argument of args) replyArgument(reply, argument);
}

function replyArgument(reply: Reply, argument: Argument): void {
  const fields: Fields = [];
  const text = (name: string, value: string | undefined): void => {
    if (value !== undefined) fields.push([name, () => reply.bulkText(value)]);
  };
  text('name', argument.name);
  text('type', argument.type);
  const { keySpec, parts } = argument;
  if (keySpec !== undefined) fields.push(['key_spec_index', () => reply.integer(keySpec)]);
  text('token', argument.token);
  text('since', argument.since);
  text('deprecated_since', argument.deprecatedSince);
  const flags = [
    ...(argument.optional === true ? ['optional'] : []),
    ...(argument.multiple === true ? ['multiple'] : []),
    ...(argument.multipleToken === true ? ['multiple_token'] : []),
  ];
  if (flags.length > 0) fields.push(['flags', () => replyNames(reply, flags)]);
  if (parts !== undefined) fields.push(['arguments', () => replyArguments(reply, parts)]);
  replyFields(reply, fields);
}
