import { OBJECT_ENCODINGS } from '../../../keyspace/kinds.js';
import { DictValue } from '../../../keyspace/values/dict-value.js';
import type { Address } from '../../../structures/arena/ref.js';
import type { Dict } from '../../../structures/dict/dict.js';
import type { Call } from '../../call.js';
import { CommandError, errors } from '../../errors.js';

const OUT_OF_RANGE = new CommandError('ERR Out of range database');
const NO_TABLE = new CommandError(
  'ERR The value stored at the specified key is not represented using an hash table',
);
const TITLE = 'Hash table 0 stats (main hash table):\n';
const TARGET = 'Hash table 1 stats (rehashing target):\nNo stats available for empty dictionaries\n';
const EMPTY = `${TITLE}No stats available for empty dictionaries\n`;

/** DEBUG HTSTATS database. Keys with a time to live are in a queue, not in a second table: only their number is shown. */
export function debugHtstats(call: Call): void {
  const db = call.keyspace.databases[call.integer(2)];
  if (db === undefined) throw OUT_OF_RANGE;
  const expiring = db.expiries.size;
  const expires =
    expiring === 0 ? EMPTY : `${TITLE} table size: ${expiring}\n number of elements: ${expiring}\n`;
  call.reply.verbatim('txt', `[Dictionary HT]\n${tableReport(db.keys)}[Expires HT]\n${expires}`);
}

export function debugHtstatsKey(call: Call): void {
  const { db } = call;
  const entry = db.find(call.arg(2));
  if (entry === 0) throw errors.noSuchKey;
  const value = db.encoding(entry) >= OBJECT_ENCODINGS ? db.object(entry) : undefined;
  if (!(value instanceof DictValue)) throw NO_TABLE;
  call.reply.verbatim('txt', tableReport(value.dict));
}

/** How full the buckets are. */
function tableReport<Node extends Address>(dict: Dict<Node>): string {
  const { count, bucketCount } = dict;
  // Buckets are merged in place: there is no second table with elements of its own.
  const target = dict.isShrinking ? TARGET : '';
  if (count === 0) return EMPTY + target;
  const chains = chainLengths(dict);
  const used = bucketCount - (chains[0] ?? 0);
  const average = (count / used).toFixed(2);
  const lines = chains.flatMap((buckets, length) => {
    if (buckets === undefined || buckets === 0) return [];
    const label = length === LONGEST_CHAIN ? `>= ${length}` : `${length}`;
    return [`   ${label}: ${buckets} (${((buckets * 100) / bucketCount).toFixed(2)}%)`];
  });
  return [
    `${TITLE} table size: ${bucketCount}`,
    ` number of elements: ${count}`,
    ` different slots: ${used}`,
    ` max chain length: ${chains.length - 1}`,
    ` avg chain length (counted): ${average}`,
    ` avg chain length (computed): ${average}`,
    ' Chain length distribution:',
    ...lines,
    target,
  ].join('\n');
}

/** The number of buckets with chains of each length. */
function chainLengths<Node extends Address>(dict: Dict<Node>): number[] {
  const chains: number[] = [];
  for (let bucket = 0; bucket < dict.bucketCount; bucket++) {
    let length = 0;
    for (let node = dict.first(bucket); node !== 0 && length < LONGEST_CHAIN; node = dict.following(node))
      length++;
    while (chains.length <= length) chains.push(0);
    chains[length] = (chains[length] as number) + 1;
  }
  return chains;
}

/** Longer chains are counted as this. */
const LONGEST_CHAIN = 49;
