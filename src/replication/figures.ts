import type { Fact } from '../engine/engine-parts.js';
import type { Reply } from '../resp/reply.js';
import type { MasterLink } from './master-link.js';
import type { Replication } from './replication.js';

type Fields = (readonly [name: string, value: string | number])[];

/** INFO replication. */
export function replicationInfo(replication: Replication): Fields {
  const { stream, engine, link, failovers } = replication;
  const { history, backlog } = stream;
  return [
    ['role', link === undefined ? 'master' : 'slave'],
    ...(link === undefined ? [] : replicaFields(replication, link)),
    ['connected_slaves', replication.replicas.size],
    ...(engine.demandsReplicas ? ([['min_slaves_good_slaves', replication.goodReplicas]] as const) : []),
    ...replicaLines(replication),
    ['master_failover_state', failovers.state],
    ['master_replid', history.id],
    ['master_replid2', history.secondId],
    ['master_repl_offset', history.offset],
    ['second_repl_offset', history.secondOffset],
    ['repl_backlog_active', backlog === undefined ? 0 : 1],
    ['repl_backlog_size', engine.settings.number('repl-backlog-size')],
    ['repl_backlog_first_byte_offset', backlog === undefined ? 0 : backlog.start + 1],
    ['repl_backlog_histlen', backlog === undefined ? 0 : backlog.end - backlog.start],
  ];
}

function replicaFields({ world, stream, engine }: Replication, link: MasterLink): Fields {
  const { settings } = engine;
  const seconds = (since: number): number => Math.floor(world.clock.now() / 1000) - Math.floor(since / 1000);
  const { transfer } = link;
  return [
    ['master_host', link.address.host],
    ['master_port', link.address.port],
    ['master_link_status', link.isUp ? 'up' : 'down'],
    ['master_last_io_seconds_ago', link.isUp ? seconds(link.lastIoAt) : -1],
    ['master_sync_in_progress', link.state === 'sync' ? 1 : 0],
    ['slave_read_repl_offset', link.readOffset],
    ['slave_repl_offset', stream.history.offset],
    ...(link.state === 'sync' ? transferFields(transfer?.size ?? 0, transfer?.received ?? 0) : []),
    ...(link.state === 'sync'
      ? ([['master_sync_last_io_seconds_ago', seconds(link.lastIoAt)]] as const)
      : []),
    ...(link.isUp
      ? []
      : ([['master_link_down_since_seconds', link.downSince === 0 ? -1 : seconds(link.downSince)]] as const)),
    ['slave_priority', settings.number('replica-priority')],
    ['slave_read_only', settings.isOn('replica-read-only') ? 1 : 0],
    ['replica_announced', settings.isOn('replica-announced') ? 1 : 0],
  ];
}

function transferFields(size: number, received: number): Fields {
  const isKnown = size > 0;
  return [
    ['master_sync_total_bytes', isKnown ? size : 0],
    ['master_sync_read_bytes', received],
    ['master_sync_left_bytes', isKnown ? size - received : -received],
    ['master_sync_perc', isKnown ? ((received / size) * 100).toFixed(2) : '0.00'],
  ];
}

function replicaLines({ replicas, world }: Replication): Fields {
  const now = world.clock.now();
  return [...replicas].map((replica, index) => {
    const { host, port, state, stateName, acknowledged } = replica;
    const lag = state === 'online' ? replica.lag(now) : 0;
    const text = `ip=${host},port=${port},state=${stateName},offset=${acknowledged},lag=${lag}`;
    return [`slave${index}`, text] as const;
  });
}

/** ROLE */
export function writeRole({ link, stream, replicas }: Replication, reply: Reply): void {
  if (link !== undefined) {
    reply.array(5);
    reply.bulkText('slave');
    reply.bulkText(link.address.host);
    reply.integer(link.address.port);
    reply.bulkText(link.state);
    reply.integer(link.isUp ? stream.history.offset : -1);
    return;
  }
  const online = [...replicas].filter(({ state }) => state === 'online');
  reply.array(3);
  reply.bulkText('master');
  reply.integer(stream.history.offset);
  reply.array(online.length);
  for (const { host, port, acknowledged } of online) {
    reply.array(3);
    reply.bulkText(host);
    reply.bulkText(String(port));
    reply.bulkText(String(acknowledged));
  }
}

/** Fields of other sections of INFO. */
export function replicationFacts(replication: Replication): Record<string, Fact> {
  const { replicas, localExpiries } = replication;
  const backlog = (): number => replication.bufferBytes - replication.slowReaderBytes;
  return {
    slave_expires_tracked_keys: () => localExpiries.size,
    sync_full: () => replicas.counts.full,
    sync_partial_ok: () => replicas.counts.partial,
    sync_partial_err: () => replicas.counts.refused,
    mem_replication_backlog: backlog,
    mem_total_replication_buffers: () => replication.bufferBytes,
    mem_clients_slaves: () => replication.slowReaderBytes,
    mem_not_counted_for_evict: () => replication.slowReaderBytes,
  };
}
