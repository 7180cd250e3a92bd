import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import type { Consumer, ConsumerGroup } from '../../keyspace/values/stream-group.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import type { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { CommandError, shownText } from '../errors.js';

/** A stream and one of its groups, with their names as the commands that record changes need them. */
export interface GroupAt {
  readonly key: Bytes;
  readonly stream: StreamValue;
  readonly group: ConsumerGroup;
}

/** The group named by an argument; undefined if there is no entry, or the stream has no such group. */
export function groupAt(call: Call, entry: Entry, key: Bytes, name: Bytes): GroupAt | undefined {
  if (entry === 0) return undefined;
  const stream = StreamValue.open(call.db, entry);
  const group = stream.groups.get(name.toString());
  return group === undefined ? undefined : { key, stream, group };
}

/** The same for a command that will change the group. */
export function groupToChange(call: Call, entry: Entry, key: Bytes, name: Bytes): GroupAt | undefined {
  if (entry !== 0) call.keyspace.changing(call.db, entry);
  return groupAt(call, entry, key, name);
}

/** Errors show keys and groups as C strings: up to the first zero byte. */
export function shown(name: Bytes): string {
  return shownText(name.toString());
}

export function noKeyOrGroup(key: Bytes, group: Bytes): CommandError {
  return new CommandError(`NOGROUP No such key '${shown(key)}' or consumer group '${shown(group)}'`);
}

export function noGroup(key: Bytes, group: Bytes): CommandError {
  return new CommandError(`NOGROUP No such consumer group '${shown(group)}' for key name '${shown(key)}'`);
}

/** Creates a consumer and reports it. */
export function createConsumer(call: Call, { key, group }: GroupAt, name: string): Consumer {
  const consumer = group.createConsumer(name, call.now);
  call.effects.detailChanged(call.db, key, EventClass.stream, 'xgroup-createconsumer');
  return consumer;
}

/**
 * How changes are recorded: instead of the running command or, when a blocked client is served, in addition to it.
 */
export type Recorder = 'rewrite' | 'aside';

/** Records the owner of the group's pending entry at the place. */
export function recordClaim(call: Call, how: Recorder, { key, group }: GroupAt, id: StreamId): void {
  const { effects, db } = call;
  if (!effects.recording) return;
  effects[how](
    db,
    'XCLAIM',
    key,
    group.name,
    group.owner.name,
    0,
    id.toString(),
    'TIME',
    group.deliveryTime,
    'RETRYCOUNT',
    String(group.deliveryCount),
    'FORCE',
    'JUSTID',
    'LASTID',
    group.lastId.toString(),
  );
}

/** Records how far the group has read. */
export function recordGroupId(call: Call, how: Recorder, { key, group }: GroupAt): void {
  const { effects, db } = call;
  if (!effects.recording) return;
  const read = String(group.entriesRead);
  effects[how](db, 'XGROUP', 'SETID', key, group.name, group.lastId.toString(), 'ENTRIESREAD', read);
}

export function recordConsumer(call: Call, how: Recorder, { key, group }: GroupAt, name: string): void {
  call.effects[how](call.db, 'XGROUP', 'CREATECONSUMER', key, group.name, name);
}
