import { humanBytes } from '../../../bytes/memory-size.js';
import type { Database } from '../../../keyspace/database.js';
import type { Keyspace } from '../../../keyspace/keyspace.js';
import type { EnginePort } from '../../engine-port.js';
import { REDIS_VERSION, SORREL_VERSION } from '../../version.js';
import { constants, type Fields, fact, percent, ratio, serverMode } from './figures.js';
import { memoryFigures } from './memory-figures.js';

export function server(engine: EnginePort): Fields {
  const { settings, keyspace } = engine;
  const uptime = Math.floor((keyspace.now - engine.startedAt) / 1000);
  const machine = engine.host.machine();
  return [
    ['redis_version', REDIS_VERSION],
    ['redis_git_sha1', '00000000'],
    ['redis_git_dirty', 0],
    ['redis_build_id', '0'],
    ['redis_mode', serverMode(engine)],
    ['os', machine.system],
    ['arch_bits', 64],
    ['monotonic_clock', 'POSIX clock_gettime'],
    ['multiplexing_api', 'epoll'],
    ['atomicvar_api', 'c11-builtin'],
    ['gcc_version', '0.0.0'],
    ['process_id', machine.processId],
    ['process_supervised', 'no'],
    ['run_id', engine.runId],
    ['tcp_port', settings.number('port') || settings.number('tls-port')],
    ['server_time_usec', keyspace.clock.micros()],
    ['uptime_in_seconds', uptime],
    ['uptime_in_days', Math.floor(uptime / 86400)],
    ['hz', settings.number('hz')],
    ['configured_hz', settings.number('hz')],
    ['lru_clock', Math.floor(keyspace.now / 1000) & 0xffffff],
    ['executable', machine.executable],
    ['config_file', settings.file ?? ''],
    ['io_threads_active', 0],
    ['sorrel_version', SORREL_VERSION],
    ...shutdownFields(engine),
  ];
}

/** Only while a shutdown waits for replicas. */
function shutdownFields(engine: EnginePort): Fields {
  const remaining = Number(fact(engine, 'shutdown_in_milliseconds', -1));
  return remaining < 0 ? [] : [['shutdown_in_milliseconds', remaining]];
}

export function clients(engine: EnginePort): Fields {
  let count = 0;
  let input = 0;
  let output = 0;
  for (const { sink, kind } of engine.sessions.values()) {
    if (kind !== 'replica') count++;
    const figures = sink.figures?.();
    if (figures === undefined) continue;
    input = Math.max(input, figures.inputMemory);
    output = Math.max(output, figures.output);
  }
  return [
    ['connected_clients', count],
    ['cluster_connections', fact(engine, 'cluster_connections', 0)],
    ['maxclients', engine.settings.number('maxclients')],
    ['client_recent_max_input_buffer', input],
    ['client_recent_max_output_buffer', output],
    ['blocked_clients', engine.blockedClients],
    ['tracking_clients', engine.tracking.clientCount],
    ['clients_in_timeout_table', engine.timedWaits],
  ];
}

export function memory(engine: EnginePort): Fields {
  const figures = memoryFigures(engine);
  const { used, startup, peak, resident, allocated, active, system, overhead } = figures;
  const dataset = used - overhead;
  const limit = engine.settings.number('maxmemory');
  return [
    ['used_memory', used],
    ['used_memory_human', humanBytes(used)],
    ['used_memory_rss', resident],
    ['used_memory_rss_human', humanBytes(resident)],
    ['used_memory_peak', peak],
    ['used_memory_peak_human', humanBytes(peak)],
    ['used_memory_peak_perc', percent(used, peak)],
    ['used_memory_overhead', overhead],
    ['used_memory_startup', startup],
    ['used_memory_dataset', dataset],
    ['used_memory_dataset_perc', percent(dataset, used - startup)],
    ['allocator_allocated', allocated],
    ['allocator_active', active],
    ['allocator_resident', resident],
    ['total_system_memory', system],
    ['total_system_memory_human', humanBytes(system)],
    ...scriptMemory(engine),
    ['maxmemory', limit],
    ['maxmemory_human', humanBytes(limit)],
    ['maxmemory_policy', engine.settings.text('maxmemory-policy')],
    ['allocator_frag_ratio', ratio(active, allocated)],
    ['allocator_frag_bytes', active - allocated],
    ['allocator_rss_ratio', ratio(resident, active)],
    ['allocator_rss_bytes', resident - active],
    ['rss_overhead_ratio', '1.00'],
    ['rss_overhead_bytes', 0],
    ['mem_fragmentation_ratio', ratio(resident, used)],
    ['mem_fragmentation_bytes', resident - used],
    ...constants(engine, {
      mem_not_counted_for_evict: 0,
      mem_replication_backlog: 0,
      mem_total_replication_buffers: 0,
      mem_clients_slaves: 0,
      mem_clients_normal: figures.clients,
      mem_cluster_links: 0,
      mem_aof_buffer: 0,
    }),
    ['mem_allocator', 'sorrel-arena'],
    ['active_defrag_running', fact(engine, 'active_defrag_running', 0)],
    ['lazyfree_pending_objects', engine.keyspace.pendingReleases],
    ['lazyfreed_objects', engine.keyspace.stats.releasedLater],
  ];
}

function scriptMemory(engine: EnginePort): Fields {
  const value = (name: string): number => Number(fact(engine, name, 0));
  const evaluated = value('used_memory_vm_eval');
  const total = evaluated + value('used_memory_vm_functions');
  const scripts = value('used_memory_scripts_eval') + value('used_memory_functions');
  return [
    ['used_memory_lua', evaluated],
    ['used_memory_vm_eval', evaluated],
    ['used_memory_lua_human', humanBytes(evaluated)],
    ['used_memory_scripts_eval', value('used_memory_scripts_eval')],
    ['number_of_cached_scripts', value('number_of_cached_scripts')],
    ['number_of_functions', value('number_of_functions')],
    ['number_of_libraries', value('number_of_libraries')],
    ['used_memory_vm_functions', value('used_memory_vm_functions')],
    ['used_memory_vm_total', total],
    ['used_memory_vm_total_human', humanBytes(total)],
    ['used_memory_functions', value('used_memory_functions')],
    ['used_memory_scripts', scripts],
    ['used_memory_scripts_human', humanBytes(scripts)],
  ];
}

export function persistence(engine: EnginePort): Fields {
  const fields = persistenceFields(engine);
  if (fact(engine, 'loading', 0) === 0) return fields;
  return [
    ...fields,
    ...constants(engine, {
      loading_start_time: 0,
      loading_total_bytes: 0,
      loading_rdb_used_mem: 0,
      loading_loaded_bytes: 0,
      loading_loaded_perc: '0.00',
      loading_eta_seconds: 1,
    }),
  ];
}

function persistenceFields(engine: EnginePort): Fields {
  const fields = constants(engine, {
    loading: 0,
    async_loading: 0,
    current_cow_peak: 0,
    current_cow_size: 0,
    current_cow_size_age: 0,
    current_fork_perc: '0.00',
    current_save_keys_processed: 0,
    current_save_keys_total: 0,
    rdb_changes_since_last_save: engine.keyspace.effects.dirty,
    rdb_bgsave_in_progress: 0,
    rdb_last_save_time: Math.floor(engine.startedAt / 1000),
    rdb_last_bgsave_status: 'ok',
    rdb_last_bgsave_time_sec: -1,
    rdb_current_bgsave_time_sec: -1,
    rdb_saves: 0,
    rdb_last_cow_size: 0,
    rdb_last_load_keys_expired: 0,
    rdb_last_load_keys_loaded: 0,
    aof_enabled: 0,
    aof_rewrite_in_progress: 0,
    aof_rewrite_scheduled: 0,
    aof_last_rewrite_time_sec: -1,
    aof_current_rewrite_time_sec: -1,
    aof_last_bgrewrite_status: 'ok',
    aof_rewrites: 0,
    aof_rewrites_consecutive_failures: 0,
    aof_last_write_status: 'ok',
    aof_last_cow_size: 0,
    module_fork_in_progress: 0,
    module_fork_last_cow_size: 0,
  });
  if (fact(engine, 'aof_enabled', 0) === 0) return fields;
  return [
    ...fields,
    ...constants(engine, {
      aof_current_size: 0,
      aof_base_size: 0,
      aof_pending_rewrite: 0,
      aof_buffer_length: 0,
      aof_pending_bio_fsync: 0,
      aof_delayed_fsync: 0,
    }),
  ];
}

export function stats(engine: EnginePort): Fields {
  const { statistics, keyspace, pubsub, tracking } = engine;
  const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(2);
  return constants(engine, {
    total_connections_received: statistics.connectionsReceived,
    total_commands_processed: statistics.commandsProcessed,
    instantaneous_ops_per_sec: Math.floor(statistics.commandRate),
    total_net_input_bytes: statistics.inputBytes,
    total_net_output_bytes: statistics.outputBytes,
    total_net_repl_input_bytes: 0,
    total_net_repl_output_bytes: 0,
    instantaneous_input_kbps: kilobytes(statistics.inputRate),
    instantaneous_output_kbps: kilobytes(statistics.outputRate),
    instantaneous_input_repl_kbps: '0.00',
    instantaneous_output_repl_kbps: '0.00',
    rejected_connections: statistics.rejectedConnections,
    sync_full: 0,
    sync_partial_ok: 0,
    sync_partial_err: 0,
    expired_keys: keyspace.stats.expired,
    expired_stale_perc: '0.00',
    expired_time_cap_reached_count: 0,
    expire_cycle_cpu_milliseconds: Math.floor(statistics.expiringMs),
    evicted_keys: keyspace.stats.evicted,
    evicted_clients: statistics.evictedClients,
    total_eviction_exceeded_time: 0,
    current_eviction_exceeded_time: 0,
    keyspace_hits: keyspace.stats.hits,
    keyspace_misses: keyspace.stats.misses,
    pubsub_channels: [...pubsub.channels('global')].length,
    pubsub_patterns: pubsub.patternCount,
    pubsubshard_channels: [...pubsub.channels('shard')].length,
    latest_fork_usec: 0,
    total_forks: 0,
    migrate_cached_sockets: 0,
    slave_expires_tracked_keys: 0,
    active_defrag_hits: 0,
    active_defrag_misses: 0,
    active_defrag_key_hits: 0,
    active_defrag_key_misses: 0,
    total_active_defrag_time: 0,
    current_active_defrag_time: 0,
    tracking_total_keys: tracking.keyCount,
    tracking_total_items: tracking.itemCount,
    tracking_total_prefixes: tracking.prefixCount,
    unexpected_error_replies: statistics.unexpectedErrors,
    total_error_replies: statistics.errorReplies,
    dump_payload_sanitizations: 0,
    total_reads_processed: statistics.reads,
    total_writes_processed: statistics.writes,
    io_threaded_reads_processed: 0,
    io_threaded_writes_processed: 0,
    reply_buffer_shrinks: statistics.replyBufferShrinks,
    reply_buffer_expands: statistics.replyBufferExpands,
  });
}

export function replication(engine: EnginePort): Fields {
  return [...engine.replication.info()];
}

export function cpu(engine: EnginePort): Fields {
  const { systemMicros, userMicros } = engine.host.machine();
  const seconds = (micros: number): string => (micros / 1e6).toFixed(6);
  return [
    ['used_cpu_sys', seconds(systemMicros)],
    ['used_cpu_user', seconds(userMicros)],
    ['used_cpu_sys_children', seconds(0)],
    ['used_cpu_user_children', seconds(0)],
    ['used_cpu_sys_main_thread', seconds(systemMicros)],
    ['used_cpu_user_main_thread', seconds(userMicros)],
  ];
}

export function cluster(engine: EnginePort): Fields {
  return [['cluster_enabled', engine.cluster === undefined ? 0 : 1]];
}

export function keyspace(engine: EnginePort): Fields {
  const fields: Fields = [];
  for (const db of engine.keyspace.databases) {
    if (db.size === 0) continue;
    const ttl = averageTtl(db, engine.keyspace);
    fields.push([`db${db.index}`, `keys=${db.size},expires=${db.expiries.size},avg_ttl=${ttl}`]);
  }
  return fields.sort(([a], [b]) => Number(a.slice(2)) - Number(b.slice(2)));
}

/** The average time to live in ms, estimated from a few entries. */
function averageTtl({ expiries }: Database, { random, now }: Keyspace): number {
  if (expiries.size === 0) return 0;
  let total = 0;
  for (let i = 0; i < TTL_SAMPLES; i++) total += expiries.timeOf(expiries.random(random)) - now;
  return Math.max(0, Math.round(total / TTL_SAMPLES));
}

const TTL_SAMPLES = 20;
