import type { Bytes } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import type { Consumer } from '../../keyspace/values/stream-group.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import type { Reply } from '../../resp/reply.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import type { Wait } from '../engine-port.js';
import { CommandError } from '../errors.js';
import { deliverHistory, deliverNew, replyAfter } from './deliver.js';
import {
  createConsumer,
  type GroupAt,
  groupAt,
  groupToChange,
  type Recorder,
  recordConsumer,
  shown,
} from './group-lookup.js';
import { parseId } from './id-argument.js';
import { type GroupReader, parseRead, type ReadArguments } from './read-arguments.js';

const DOLLAR_OF_GROUP = new CommandError(
  'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by ' +
    'specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.',
);
const NEW_WITHOUT_GROUP = new CommandError(
  'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
);

/** One of the streams to read. */
interface Source {
  readonly key: Bytes;
  /** Entries after this id are wanted. The greatest id stands for `>`: entries the group has not read yet. */
  readonly after: StreamId;
}

export function xread(call: Call): void {
  read(call, false);
}

export function xreadgroup(call: Call): void {
  read(call, true);
}

function read(call: Call, isGroup: boolean): void {
  const options = parseRead(call, isGroup);
  const sources = parseSources(call, options);
  call.effects.replaceByNothing();
  if (serve(call, options, sources)) return;
  if (options.deadline === undefined) call.reply.nullArray();
  else call.block(new StreamWait(options, sources, options.deadline));
}

/** Resolves the ids. Checks all keys and groups before anything is read. */
function parseSources(call: Call, { firstKey, keyCount, group }: ReadArguments): Source[] {
  const sources: Source[] = [];
  for (let i = firstKey; i < firstKey + keyCount; i++) {
    const key = call.arg(i);
    const entry = call.read(i, Type.stream);
    if (group !== undefined && groupAt(call, entry, key, group.name) === undefined) {
      throw new CommandError(
        `NOGROUP No such key '${shown(key)}' or consumer group '${shown(group.name)}' in XREADGROUP with GROUP option`,
      );
    }
    sources.push({ key, after: parseAfter(call.arg(i + keyCount), group !== undefined, call, entry) });
  }
  return sources;
}

function parseAfter(argument: Bytes, isGroup: boolean, call: Call, entry: Entry): StreamId {
  const after = new StreamId();
  if (argument.is('$')) {
    if (isGroup) throw DOLLAR_OF_GROUP;
    return entry === 0 ? after : after.set(StreamValue.open(call.db, entry).lastId);
  }
  if (argument.is('>')) {
    if (!isGroup) throw NEW_WITHOUT_GROUP;
    return after.setGreatest();
  }
  return parseId(argument, after);
}

/** Replies with the entries; false, and no reply, if there are none. */
function serve(call: Call, options: ReadArguments, sources: readonly Source[]): boolean {
  const { reply } = call;
  const { count, group, noAck } = options;
  let mark = 0;
  let served = 0;
  for (const { key, after } of sources) {
    const entry = call.keyspace.read(call.db, key);
    if (entry === 0) continue;
    const stream = StreamValue.open(call.db, entry);
    const at = group && groupToChange(call, entry, key, group.name);
    const isHistory = at !== undefined && !after.isGreatest;
    const last = at === undefined ? after : at.group.lastId;
    const hasNew = !isHistory && stream.length > 0 && stream.lastEntryId(scratch).compare(last) > 0;
    if (!isHistory && !hasNew) continue;
    if (served++ === 0) mark = reply.defer();
    if (reply.protocol === 2) reply.array(2);
    reply.bulk(key);
    if (at === undefined || group === undefined) {
      replyAfter(reply, stream, after, count);
      continue;
    }
    const consumer = consumerOf(call, 'rewrite', at, group, noAck || isHistory);
    if (isHistory) deliverHistory(call, at, consumer, after, count);
    else deliverNew(call, 'rewrite', at, consumer, count, noAck);
    call.effects.counted();
  }
  if (served === 0) return false;
  if (reply.protocol === 2) reply.finishArray(mark, served);
  else reply.finishMap(mark, served);
  return true;
}

/** Creates the consumer if needed. Recorded only if no claims are, because those create it too (`noClaims`). */
function consumerOf(
  call: Call,
  how: Recorder,
  at: GroupAt,
  reader: GroupReader,
  noClaims: boolean,
): Consumer {
  const name = reader.consumer.toString();
  const known = at.group.consumer(name, call.now);
  if (known !== undefined) return known;
  const created = createConsumer(call, at, name);
  if (noClaims) recordConsumer(call, how, at, name);
  return created;
}

const GROUP_GONE = new CommandError('NOGROUP the consumer group this client was blocked on no longer exists');
const KEY_GONE = new CommandError('UNBLOCKED the stream key no longer exists');
/** The default COUNT for a client that was blocked. */
const USUAL_COUNT = 1000;

/** XREAD and XREADGROUP with BLOCK. */
class StreamWait implements Wait {
  readonly keys: readonly Bytes[];
  readonly type = Type.stream;
  readonly deadline: number;
  readonly #options: ReadArguments;
  readonly #after = new Map<string, StreamId>();

  constructor(options: ReadArguments, sources: readonly Source[], deadline: number) {
    this.keys = sources.map(({ key }) => key.copy());
    this.deadline = deadline;
    const { group } = options;
    this.#options = {
      ...options,
      count: options.count === 0 ? USUAL_COUNT : options.count,
      group: group && { name: group.name.copy(), consumer: group.consumer.copy() },
    };
    for (const { key, after } of sources) {
      // If a key is given twice, its first id counts.
      if (!this.#after.has(key.toString())) this.#after.set(key.toString(), after);
    }
  }

  serve(call: Call, key: Bytes): boolean {
    const { reply } = call;
    const { group, count, noAck } = this.#options;
    const entry = call.keyspace.write(call.db, key);
    const stream = StreamValue.open(call.db, entry);
    if (group === undefined) {
      const after = this.#after.get(key.toString()) as StreamId;
      if (stream.lastId.compare(after) <= 0) return false;
      announce(reply, key);
      replyAfter(reply, stream, after, count);
      return true;
    }
    const at = groupAt(call, entry, key, group.name);
    if (at === undefined) throw GROUP_GONE;
    if (stream.lastId.compare(at.group.lastId) <= 0) return false;
    const consumer = consumerOf(call, 'aside', at, group, noAck);
    announce(reply, key);
    deliverNew(call, 'aside', at, consumer, count, noAck);
    return true;
  }

  /** Ends the wait of clients that read for a group. Others stay blocked on the key. */
  keyGone(): boolean {
    if (this.#options.group === undefined) return false;
    throw KEY_GONE;
  }

  timedOut(reply: Reply): void {
    reply.nullArray();
  }
}

/** Begins the part of the reply for one key. */
function announce(reply: Reply, key: Bytes): void {
  if (reply.protocol === 2) {
    reply.array(1);
    reply.array(2);
  } else {
    reply.map(1);
  }
  reply.bulk(key);
}

const scratch = new StreamId();
