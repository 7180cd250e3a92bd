import type { Reply } from '../../resp/reply.js';
import { CATEGORY, KEY_FLAG, namesIn, printedFlags } from '../flag.js';
import type { BeginSearch, FindKeys, KeySpec } from '../row.js';
import type { Command } from '../table.js';

/** A command as COMMAND INFO describes it. */
export function replyInfo(reply: Reply, command: Command): void {
  reply.array(10);
  reply.bulkText(command.fullName);
  reply.integer(command.arity);
  replyNames(reply, printedFlags(command.flagBits));
  reply.integer(command.firstKey);
  reply.integer(command.lastKey);
  reply.integer(command.keyStep);
  const categories = namesIn(CATEGORY, command.categoryBits);
  replyNames(
    reply,
    categories.map((category) => `@${category}`),
  );
  const tips = command.spec.tips ?? [];
  reply.set(tips.length);
  for (const tip of tips) reply.bulkText(tip);
  replyKeySpecs(reply, command);
  replySubcommands(reply, command);
}

/** A set of words. */
export function replyNames(reply: Reply, names: readonly string[]): void {
  reply.set(names.length);
  for (const name of names) reply.status(name);
}

/** As in Redis: an array of subcommands for a container, an empty set for other commands. */
function replySubcommands(reply: Reply, { subcommands }: Command): void {
  if (subcommands === undefined) {
    reply.set(0);
    return;
  }
  reply.array(subcommands.size);
  for (const subcommand of subcommands) replyInfo(reply, subcommand);
}

function replyKeySpecs(reply: Reply, command: Command): void {
  const specs = command.spec.keys ?? [];
  reply.set(specs.length);
  specs.forEach((spec, i) => {
    replyKeySpec(reply, spec, command.keyFlagBits[i] as number);
  });
}

function replyKeySpec(reply: Reply, { begin, find, notes }: KeySpec, flagBits: number): void {
  reply.map(notes === undefined ? 3 : 4);
  if (notes !== undefined) {
    reply.bulkText('notes');
    reply.bulkText(notes);
  }
  reply.bulkText('flags');
  replyNames(reply, namesIn(KEY_FLAG, flagBits));
  reply.bulkText('begin_search');
  replyTyped(reply, begin.type, beginFields(begin));
  reply.bulkText('find_keys');
  replyTyped(reply, find.type, findFields(find));
}

type Field = readonly [name: string, value: string | number];

function beginFields(begin: BeginSearch): readonly Field[] {
  switch (begin.type) {
    case 'index':
      return [['index', begin.index]];
    case 'keyword':
      return [
        ['keyword', begin.keyword],
        ['startfrom', begin.startFrom],
      ];
    case 'unknown':
      return [];
  }
}

function findFields(find: FindKeys): readonly Field[] {
  switch (find.type) {
    case 'range':
      return [
        ['lastkey', find.last],
        ['keystep', find.step],
        ['limit', find.limit],
      ];
    case 'keynum':
      return [
        ['keynumidx', find.countAt],
        ['firstkey', find.first],
        ['keystep', find.step],
      ];
    case 'unknown':
      return [];
  }
}

function replyTyped(reply: Reply, type: string, fields: readonly Field[]): void {
  reply.map(2);
  reply.bulkText('type');
  reply.bulkText(type);
  reply.bulkText('spec');
  reply.map(fields.length);
  for (const [name, value] of fields) {
    reply.bulkText(name);
    if (typeof value === 'number') reply.integer(value);
    else reply.bulkText(value);
  }
}
