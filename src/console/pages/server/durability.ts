import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../../store/index.js';
import { type StoreServer, serversOf } from '../../../store/servers.js';
import type { Store } from '../../../store/store.js';
import type { CallOptions } from '../../../store/transport.js';
import { type ApiCall, type ApiRoute, change, type Emit, read, stream } from '../../frame/route.js';
import type {
  ClusterNode,
  ClusterState,
  PersistenceState,
  ReplicationNode,
  SlotRange,
} from '../../types/server.js';
import { infoOf, pairsOf, type ServerInfo } from '../info.js';
import { keysIn } from '../overview.js';
import { fieldsOf, namedServer, onEach, unlessUnknown } from './each.js';

const INTERVAL_MS = 1000;
/** The news of other servers do not wait longer than this for a server that does not answer. */
const PATIENCE_MS = 1000;

/** Files, replicas and the Cluster. */
export const durabilityRoutes: readonly ApiRoute[] = [
  read(
    'server/persistence',
    (call): Promise<readonly PersistenceState[]> =>
      onEach(call, async (server) => [await persistenceOf(server, call)]),
  ),

  change('server/persistence/save', async (call) => {
    await namedServer(call).send('BGSAVE', [], call);
  }),

  change('server/persistence/rewrite', async (call) => {
    await namedServer(call).send('BGREWRITEAOF', [], call);
  }),

  stream('server/replication', (call, emit) =>
    repeatedly(call, emit, async (options) => emit('nodes', await replicationOf(call.store, options))),
  ),

  stream('server/cluster', (call, emit) =>
    repeatedly(call, emit, async (options) => emit('cluster', await clusterOf(call.store, options))),
  ),
];

/** During a failover a server may be away: the page says so, and is drawn again as soon as others answer. */
async function repeatedly(
  { signal }: ApiCall,
  emit: Emit,
  draw: (options: CallOptions) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await draw({ signal, timeout: PATIENCE_MS });
    } catch (error) {
      if (!(error instanceof StoreError) || signal.aborted) throw error;
      await emit('trouble', { message: error.message });
    }
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

async function persistenceOf(server: StoreServer, options: CallOptions): Promise<PersistenceState> {
  const info = await infoOf(server, ['persistence'], options);
  const save = fieldsOf(
    ((await server.send('CONFIG GET', ['save'], options)) as readonly Buffer[]).map(String),
  );
  return {
    server: server.name,
    // Before the first snapshot, rdb_last_save_time is the time of the start.
    lastSave: info.text('rdb_saves') === '0' ? 0 : info.number('rdb_last_save_time') * 1000,
    changes: info.number('rdb_changes_since_last_save'),
    isSaving: info.number('rdb_bgsave_in_progress') === 1,
    lastStatus: info.text('rdb_last_bgsave_status'),
    save: String(save['save'] ?? ''),
    aofEnabled: info.number('aof_enabled') === 1,
    aofSize: info.number('aof_current_size'),
    aofStatus: info.text('aof_last_write_status'),
    isRewriting: info.number('aof_rewrite_in_progress') === 1,
    isLoading: info.number('loading') === 1,
  };
}

/** The masters that the store knows, their replicas, and the master of a server that is a replica itself. */
async function replicationOf(store: Store, options: CallOptions): Promise<readonly ReplicationNode[]> {
  const nodes = await Promise.all(
    serversOf(store).map(async (server) =>
      nodesOf(await addressOf(store, server, options), await infoOf(server, ['replication'], options)),
    ),
  );
  return nodes.flat();
}

/** A store behind Sentinels is named after them, so the master is asked at which address we have reached it. */
async function addressOf(store: Store, server: StoreServer, options: CallOptions): Promise<string> {
  if (store.kind !== 'sentinel') return server.name;
  const line = String(await unlessUnknown(server.send('CLIENT INFO', [], options), ''));
  return / laddr=(\S+)/.exec(line)?.[1] ?? server.name;
}

function nodesOf(name: string, info: ServerInfo): ReplicationNode[] {
  const isReplica = info.text('role') === 'slave';
  const offset = info.number(isReplica ? 'slave_repl_offset' : 'master_repl_offset');
  const own: ReplicationNode = {
    name,
    role: isReplica ? 'replica' : 'master',
    master: isReplica ? `${info.text('master_host')}:${info.text('master_port')}` : undefined,
    state: isReplica ? info.text('master_link_status') : 'up',
    offset,
    behind: 0,
    lagSeconds: isReplica ? info.number('master_last_io_seconds_ago') : 0,
  };
  const replicas = [...info.startingWith('slave')]
    .filter(([index]) => /^\d+$/.test(index))
    .map(([, text]): ReplicationNode => {
      const { ip, port, state = '', offset: at, lag } = pairsOf(text);
      return {
        name: `${ip}:${port}`,
        role: 'replica',
        master: name,
        state,
        offset: Number(at),
        behind: Math.max(0, offset - Number(at)),
        lagSeconds: Number(lag),
      };
    });
  const master: ReplicationNode[] = isReplica
    ? [
        {
          name: own.master as string,
          role: 'master',
          master: undefined,
          state: own.state,
          offset,
          behind: 0,
          lagSeconds: 0,
        },
      ]
    : [];
  return [...master, own, ...replicas];
}

/** As the first node sees it that answers. */
async function clusterOf(store: Store, options: CallOptions): Promise<ClusterState> {
  const keys = new Map<string, number>();
  const views = await Promise.allSettled(
    serversOf(store).map(async (server) => {
      const ask = async (words: string): Promise<string> => String(await server.send(words, [], options));
      const [info, table, keyspace] = await Promise.all([
        ask('CLUSTER INFO'),
        ask('CLUSTER NODES'),
        infoOf(server, ['keyspace'], options),
      ]);
      keys.set(server.name, keysIn(keyspace));
      return { info, table };
    }),
  );
  const view = views.find(({ status }) => status === 'fulfilled') ?? views[0];
  if (view?.status !== 'fulfilled') throw view?.reason;
  const { info, table } = view.value;
  const facts = Object.fromEntries(
    info
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(':', 2) as [string, string]),
  );
  return {
    state: facts['cluster_state'] ?? '',
    slotsAssigned: Number(facts['cluster_slots_assigned']),
    slotsOk: Number(facts['cluster_slots_ok']),
    epoch: Number(facts['cluster_current_epoch']),
    nodes: table
      .trim()
      .split('\n')
      .map((line) => clusterNode(line, keys)),
  };
}

/** A line of CLUSTER NODES. */
function clusterNode(line: string, keys: ReadonlyMap<string, number>): ClusterNode {
  const [id = '', address = '', flagText = '', master = '-', , , , link = '', ...slots] = line.split(' ');
  const name = address.replace(/@.*$/, '');
  const flags = flagText.split(',').filter((flag) => flag !== 'myself');
  return {
    id,
    name,
    role: flags.includes('master') ? 'master' : 'replica',
    masterId: master === '-' ? undefined : master,
    flags,
    link,
    slots: slots.filter((text) => /^\d+(-\d+)?$/.test(text)).map(slotRange),
    keys: keys.get(name) ?? null,
  };
}

function slotRange(text: string): SlotRange {
  const [from, to = from] = text.split('-').map(Number) as [number, number?];
  return { from, to: to as number };
}
