import { type Counter, counter } from '../../keyspace/counter.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { UNKNOWN_COUNT } from '../../keyspace/values/stream-progress.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { CommandError, wrongSubcommandArguments } from '../errors.js';
import { helpHandler } from '../help.js';
import { createConsumer, type GroupAt, groupAt, noGroup } from './group-lookup.js';
import { parseId, parseIdOrExtreme } from './id-argument.js';

const NO_KEY = new CommandError(
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM ' +
    'option to create an empty stream automatically.',
);
const NEGATIVE_READ = new CommandError('ERR value for ENTRIESREAD must be positive or -1');
const BUSY = new CommandError('BUSYGROUP Consumer Group name already exists');

function create(call: Call): void {
  const { makesStream, entriesRead } = parseOptions(call, true);
  const { db, keyspace, effects } = call;
  const key = call.arg(2);
  const entry = call.write(2, Type.stream);
  if (entry === 0 && !makesStream) throw NO_KEY;
  if (call.argc > 8) throw wrongSubcommandArguments(call.text(1), 'xgroup');
  const existing = entry === 0 ? undefined : StreamValue.open(db, entry);
  const lastId = parseLastId(call, existing, parseId);
  const name = call.text(3);
  if (existing?.groups.has(name)) throw BUSY;
  const stream = existing ?? StreamValue.create(keyspace, db, key);
  stream.createGroup(name, lastId, entriesRead);
  call.reply.ok();
  if (existing === undefined) effects.changed(db, key, EventClass.stream, 'xgroup-create');
  else told(call, 'xgroup-create');
}

function setid(call: Call): void {
  const { entriesRead } = parseOptions(call, false);
  const { stream, group } = theGroup(call);
  if (call.argc !== 5 && call.argc !== 7) throw wrongSubcommandArguments(call.text(1), 'xgroup');
  group.lastId.set(parseLastId(call, stream, parseIdOrExtreme));
  group.entriesRead = entriesRead;
  call.reply.ok();
  told(call, 'xgroup-setid');
}

function destroy(call: Call): void {
  const key = call.arg(2);
  const entry = call.write(2, Type.stream);
  if (entry === 0) throw NO_KEY;
  const at = groupAt(call, entry, key, call.arg(3));
  if (at === undefined) {
    call.reply.integer(0);
    return;
  }
  at.stream.removeGroup(at.group);
  call.reply.integer(1);
  call.effects.detailRemoved(call.db, key, EventClass.stream, 'xgroup-destroy');
}

function createconsumer(call: Call): void {
  const at = theGroup(call);
  const name = call.text(4);
  const isNew = !at.group.consumers.has(name);
  if (isNew) createConsumer(call, at, name);
  call.reply.integer(isNew ? 1 : 0);
}

function delconsumer(call: Call): void {
  const { group } = theGroup(call);
  const consumer = group.consumers.get(call.text(4));
  if (consumer === undefined) {
    call.reply.integer(0);
    return;
  }
  const pending = consumer.pending.count;
  group.removeConsumer(consumer);
  told(call, 'xgroup-delconsumer');
  call.reply.integer(pending);
}

/** The group must exist. */
function theGroup(call: Call): GroupAt {
  const key = call.arg(2);
  const entry = call.write(2, Type.stream);
  if (entry === 0) throw NO_KEY;
  const at = groupAt(call, entry, key, call.arg(3));
  if (at === undefined) throw noGroup(key, call.arg(3));
  return at;
}

/** A group changed. The stream itself did not, so WATCH does not notice. */
function told(call: Call, event: string): void {
  call.effects.detailChanged(call.db, call.arg(2), EventClass.stream, event);
}

interface GroupOptions {
  readonly makesStream: boolean;
  readonly entriesRead: Counter;
}

function parseOptions(call: Call, isCreate: boolean): GroupOptions {
  let makesStream = false;
  let entriesRead: Counter = UNKNOWN_COUNT;
  for (let i = 5; i < call.argc; i++) {
    const option = call.arg(i);
    if (isCreate && option.is('mkstream')) {
      makesStream = true;
    } else if (option.is('entriesread') && i + 1 < call.argc) {
      entriesRead = counter(call.integer64(++i));
      if (entriesRead < 0 && entriesRead !== UNKNOWN_COUNT) throw NEGATIVE_READ;
    } else {
      throw wrongSubcommandArguments(call.text(1), 'xgroup');
    }
  }
  return { makesStream, entriesRead };
}

/** The id to begin after. `parse` reads anything but `$`: SETID also accepts `-` and `+`. */
function parseLastId(call: Call, stream: StreamValue | undefined, parse: typeof parseId): StreamId {
  const id = new StreamId();
  if (!call.arg(4).is('$')) return parse(call.arg(4), id);
  return stream === undefined ? id : id.set(stream.lastId);
}

const help = helpHandler([
  'CREATE <key> <groupname> <id|$> [option]',
  '    Create a new consumer group. Options are:',
  '    * MKSTREAM',
  '      Create the empty stream if it does not exist.',
  '    * ENTRIESREAD entries_read',
  "      Set the group's entries_read counter (internal use).",
  'CREATECONSUMER <key> <groupname> <consumer>',
  '    Create a new consumer in the specified group.',
  'DELCONSUMER <key> <groupname> <consumer>',
  '    Remove the specified consumer.',
  'DESTROY <key> <groupname>',
  '    Remove the specified group.',
  'SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]',
  '    Set the current group ID and entries_read counter.',
]);

export const xgroup = { create, createconsumer, delconsumer, destroy, help, setid };
