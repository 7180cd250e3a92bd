import { Bytes } from '../../bytes/bytes.js';
import { formatDouble } from '../../bytes/numbers/double.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Reply } from '../../resp/reply.js';
import type { Ref } from '../../structures/arena/ref.js';
import type { Call } from '../call.js';
import { beginScanReply, replyEmptyScan, ScanOptions, scanCursor } from '../generic/scan-options.js';

const sortedSet = new SortedSetValue();
const options = new ScanOptions();
const found: Ref[] = [];
const member = new Bytes();

export function zscan(call: Call): void {
  const cursor = scanCursor(call, 2);
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    replyEmptyScan(call.reply);
    return;
  }
  sortedSet.open(call.keyspace, call.db, entry);
  options.read(call, 3, false);
  if (sortedSet.encoding === Encoding.listpack) scanPacked(call.reply);
  else scanLarge(call.reply, cursor);
}

/** Replies with all members at once. Scores are shown as the listpack has them: integers up to 2^62 with all digits. */
function scanPacked(reply: Reply): void {
  const mark = beginScanReply(reply, 0);
  let replied = 0;
  for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) {
    if (!options.accepts(sortedSet.member)) continue;
    reply.bulk(sortedSet.member);
    const score = sortedSet.memberScore;
    if (Number.isInteger(score) && Math.abs(score) <= LARGEST_INTEGER) reply.bulkInteger64(BigInt(score));
    else reply.bulkText(formatDouble(score));
    replied += 2;
  }
  reply.finishArray(mark, replied);
}

function scanLarge(reply: Reply, cursor: number): void {
  const { large } = sortedSet;
  found.length = 0;
  const mark = beginScanReply(reply, large.scan(cursor, options.count, found));
  let replied = 0;
  for (const node of found) {
    if (!options.accepts(large.dict.key(node, member))) continue;
    reply.bulk(member);
    reply.bulkText(formatDouble(large.scoreOf(node)));
    replied += 2;
  }
  reply.finishArray(mark, replied);
}

const LARGEST_INTEGER = 2 ** 62;
