import { Encoding, Type } from '../../keyspace/kinds.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { beginScanReply, replyEmptyScan, ScanOptions, scanCursor } from '../generic/scan-options.js';
import { replyElement } from '../reply-element.js';

const hash = new HashValue();
const field = new Element();
const value = new Element();

export function hget(call: Call): void {
  const entry = call.read(1, Type.hash);
  if (entry !== 0 && hash.open(call.keyspace, call.db, entry).get(call.arg(2), value)) {
    replyElement(call.reply, value);
  } else {
    call.reply.null();
  }
}

export function hmget(call: Call): void {
  const { argc, reply } = call;
  const entry = call.read(1, Type.hash);
  if (entry !== 0) hash.open(call.keyspace, call.db, entry);
  reply.array(argc - 2);
  for (let i = 2; i < argc; i++) {
    if (entry !== 0 && hash.get(call.arg(i), value)) replyElement(reply, value);
    else reply.null();
  }
}

export function hexists(call: Call): void {
  const entry = call.read(1, Type.hash);
  const exists = entry !== 0 && hash.open(call.keyspace, call.db, entry).has(call.arg(2));
  call.reply.integer(exists ? 1 : 0);
}

export function hstrlen(call: Call): void {
  const entry = call.read(1, Type.hash);
  const exists = entry !== 0 && hash.open(call.keyspace, call.db, entry).get(call.arg(2), value);
  call.reply.integer(exists ? value.length : 0);
}

export function hlen(call: Call): void {
  const entry = call.read(1, Type.hash);
  call.reply.integer(entry === 0 ? 0 : hash.open(call.keyspace, call.db, entry).length);
}

export function hgetall(call: Call): void {
  const { reply } = call;
  if (!openForReading(call)) {
    reply.map(0);
    return;
  }
  call.visits(hash.length);
  reply.map(hash.length);
  while (hash.next(field, value)) {
    replyElement(reply, field);
    replyElement(reply, value);
  }
}

export function hkeys(call: Call): void {
  const { reply } = call;
  if (!openForReading(call)) {
    reply.array(0);
    return;
  }
  call.visits(hash.length);
  reply.array(hash.length);
  while (hash.next(field, value)) replyElement(reply, field);
}

export function hvals(call: Call): void {
  const { reply } = call;
  if (!openForReading(call)) {
    reply.array(0);
    return;
  }
  call.visits(hash.length);
  reply.array(hash.length);
  while (hash.next(field, value)) replyElement(reply, value);
}

function openForReading(call: Call): boolean {
  const entry = call.read(1, Type.hash);
  if (entry === 0) return false;
  hash.open(call.keyspace, call.db, entry);
  return true;
}

const options = new ScanOptions();
const found: Ref[] = [];

export function hscan(call: Call): void {
  const { reply } = call;
  const cursor = scanCursor(call, 2);
  if (!openForReading(call)) {
    replyEmptyScan(reply);
    return;
  }
  options.read(call, 3, false);
  let pairs = 0;
  let mark: number;
  if (hash.encoding === Encoding.listpack) {
    mark = beginScanReply(reply, 0);
    while (hash.next(field, value)) if (replyAccepted(call)) pairs++;
  } else {
    found.length = 0;
    mark = beginScanReply(reply, hash.table.scan(cursor, options.count, found));
    for (const node of found) {
      hash.readNode(node, field, value);
      if (replyAccepted(call)) pairs++;
    }
  }
  reply.finishArray(mark, pairs * 2);
}

/** Replies with the field and its value if the pattern matches the field. */
function replyAccepted({ reply }: Call): boolean {
  if (options.pattern !== undefined && !options.accepts(field.toBytes())) return false;
  replyElement(reply, field);
  replyElement(reply, value);
  return true;
}
