import type { Entry } from '../../keyspace/entry.js';
import { ENCODING_NAMES, Encoding } from '../../keyspace/kinds.js';
import type { Call } from '../call.js';
import type { Settings } from '../config/settings.js';
import { CommandError } from '../errors.js';
import { helpHandler } from '../help.js';

const ADJUSTMENT =
  'Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.';
const IDLE_TIME_UNKNOWN = new CommandError(
  `ERR An LFU maxmemory policy is selected, idle time not tracked. ${ADJUSTMENT}`,
);
const FREQUENCY_UNKNOWN = new CommandError(
  `ERR An LFU maxmemory policy is not selected, access frequency not tracked. ${ADJUSTMENT}`,
);

function encoding(call: Call): void {
  const entry = subject(call);
  if (entry !== 0) call.reply.bulkText(ENCODING_NAMES[call.db.encoding(entry)] as string);
}

/** Values are never shared here, but small integers show the count that shared integers have in Redis. */
function refcount(call: Call): void {
  const entry = subject(call);
  if (entry === 0) return;
  const { db } = call;
  const value = db.value(entry);
  const isSmall = db.encoding(entry) === Encoding.int && value >= 0 && value < SHARED_INTEGERS;
  call.reply.integer(isSmall && sharesIntegers(call.engine.settings) ? SHARED_COUNT : 1);
}

/** Redis does not share integers under a policy that tracks the use of each value. */
function sharesIntegers(settings: Settings): boolean {
  return settings.text('maxmemory') === '0' || !/lru|lfu/.test(settings.text('maxmemory-policy'));
}

const SHARED_INTEGERS = 10_000;
const SHARED_COUNT = 0x7fffffff;

function idletime(call: Call): void {
  const entry = subject(call);
  if (entry === 0) return;
  const { usage } = call.keyspace;
  if (usage.countsFrequency) throw IDLE_TIME_UNKNOWN;
  call.reply.integer(usage.idleSeconds(call.db.usage(entry)));
}

function freq(call: Call): void {
  const entry = subject(call);
  if (entry === 0) return;
  const { usage } = call.keyspace;
  if (!usage.countsFrequency) throw FREQUENCY_UNKNOWN;
  call.reply.integer(usage.frequency(call.db.usage(entry)));
}

/** The entry of the key in question. If there is none, replies null and returns 0. */
function subject(call: Call): Entry {
  const entry = call.keyspace.peek(call.db, call.arg(2));
  if (entry === 0) {
    call.keyspace.stats.misses++;
    call.reply.null();
  } else {
    call.keyspace.stats.hits++;
  }
  return entry;
}

const help = helpHandler([
  'ENCODING <key>',
  '    Return the kind of internal representation used in order to store the value',
  '    associated with a <key>.',
  'FREQ <key>',
  '    Return the access frequency index of the <key>. The returned integer is',
  '    proportional to the logarithm of the recent access frequency of the key.',
  'IDLETIME <key>',
  '    Return the idle time of the <key>, that is the approximated number of',
  '    seconds elapsed since the last access to the key.',
  'REFCOUNT <key>',
  '    Return the number of references of the value associated with the specified',
  '    <key>.',
]);

export const object = { encoding, freq, help, idletime, refcount };
