import { humanBytes } from '../../bytes/memory-size.js';
import type { Database } from '../../keyspace/database.js';
import { entryMemory } from '../../keyspace/memory.js';
import type { Reply } from '../../resp/reply.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { EXPIRY_BYTES, memoryFigures } from './info/memory-figures.js';

/** MEMORY USAGE key [SAMPLES count]. Sizes are not sampled as in Redis: the count has no effect. */
export function memoryUsage(call: Call): void {
  for (let i = 3; i < call.argc; i += 2) {
    if (!call.arg(i).is('samples') || i + 1 === call.argc) throw errors.syntax;
    if (call.integer(i + 1) < 0) throw errors.syntax;
  }
  const entry = call.keyspace.peek(call.db, call.arg(2));
  if (entry === 0) call.reply.null();
  else call.reply.integer(entryMemory(call.db, entry));
}

export function memoryStats(call: Call): void {
  const { reply, engine } = call;
  const figures = memoryFigures(engine);
  const databases = engine.keyspace.databases.filter((db) => db.size > 0);
  const { used, startup, peak, resident, allocated, active, overhead, keys } = figures;
  const dataset = used - overhead;
  let count = databases.length;
  const field = (name: string, value: number): void => {
    count++;
    reply.bulkText(name);
    reply.integer(value);
  };
  const quotient = (name: string, part: number, whole: number): void => {
    count++;
    reply.bulkText(name);
    reply.double(whole === 0 ? 0 : Math.fround(part / whole));
  };
  const mark = reply.defer();
  field('peak.allocated', peak);
  field('total.allocated', used);
  field('startup.allocated', startup);
  field('replication.backlog', 0);
  field('clients.slaves', 0);
  field('clients.normal', figures.clients);
  field('cluster.links', 0);
  field('aof.buffer', 0);
  field('lua.caches', 0);
  field('functions.caches', 0);
  for (const db of databases) databaseStats(reply, db);
  field('overhead.total', overhead);
  field('keys.count', keys);
  field('keys.bytes-per-key', keys === 0 ? 0 : Math.floor((used - startup) / keys));
  field('dataset.bytes', dataset);
  quotient('dataset.percentage', dataset * 100, used - startup);
  quotient('peak.percentage', used * 100, peak);
  field('allocator.allocated', allocated);
  field('allocator.active', active);
  field('allocator.resident', resident);
  quotient('allocator-fragmentation.ratio', active, allocated);
  field('allocator-fragmentation.bytes', active - allocated);
  quotient('allocator-rss.ratio', resident, active);
  field('allocator-rss.bytes', resident - active);
  quotient('rss-overhead.ratio', resident, resident);
  field('rss-overhead.bytes', 0);
  quotient('fragmentation', resident, used);
  field('fragmentation.bytes', resident - used);
  reply.finishMap(mark, count);
}

function databaseStats(reply: Reply, db: Database): void {
  reply.bulkText(`db.${db.index}`);
  reply.map(3);
  reply.bulkText('overhead.hashtable.main');
  reply.integer(db.keys.tableBytes);
  reply.bulkText('overhead.hashtable.expires');
  reply.integer(db.expiries.size * EXPIRY_BYTES);
  reply.bulkText('overhead.hashtable.slot-to-keys');
  reply.integer(0);
}

/** MEMORY MALLOC-STATS: the arenas, database by database. */
export function memoryMallocStats(call: Call): void {
  const lines = ['___ Begin arena statistics ___'];
  for (const { index, arena, size } of call.keyspace.databases) {
    if (size === 0) continue;
    lines.push(`db${index}: ${humanBytes(arena.usedBytes)} used of ${humanBytes(arena.pageBytes)} in pages`);
  }
  lines.push('--- End arena statistics ---');
  call.reply.verbatim('txt', `${lines.join('\n')}\n`);
}

/** Nothing to purge: empty pages are given back to the system at once. */
export function memoryPurge(call: Call): void {
  call.reply.ok();
}
