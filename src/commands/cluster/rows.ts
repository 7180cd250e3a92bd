import { arg, type CommandRows } from '../row.js';

export const rows = {
  asking: {
    arity: 1,
    flags: ['fast'],
    categories: ['connection'],
    docs: {
      summary: 'Sent by cluster clients after an -ASK redirect',
      since: '3.0.0',
      group: 'cluster',
      complexity: 'O(1)',
    },
  },
  cluster: {
    arity: -2,
    docs: {
      summary: 'A container for cluster commands',
      since: '3.0.0',
      group: 'cluster',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      addslots: {
        arity: -3,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Assign new hash slots to receiving node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of hash slot arguments',
          arguments: [arg.integer('slot', { multiple: true })],
        },
      },
      addslotsrange: {
        arity: -4,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Assign new hash slots to receiving node',
          since: '7.0.0',
          group: 'cluster',
          complexity:
            'O(N) where N is the total number of the slots between the start slot and end slot arguments.',
          arguments: [
            arg.block('start-slot_end-slot', [arg.integer('start-slot'), arg.integer('end-slot')], {
              multiple: true,
            }),
          ],
        },
      },
      bumpepoch: {
        arity: 2,
        flags: ['admin', 'stale', 'no_async_loading'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Advance the cluster config epoch',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      'count-failure-reports': {
        arity: 3,
        flags: ['admin', 'stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Return the number of failure reports active for a given node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the number of failure reports',
          arguments: [arg.string('node-id')],
        },
      },
      countkeysinslot: {
        arity: 3,
        flags: ['stale'],
        docs: {
          summary: 'Return the number of local keys in the specified hash slot',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.integer('slot')],
        },
      },
      delslots: {
        arity: -3,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Set hash slots as unbound in receiving node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of hash slot arguments',
          arguments: [arg.integer('slot', { multiple: true })],
        },
      },
      delslotsrange: {
        arity: -4,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Set hash slots as unbound in receiving node',
          since: '7.0.0',
          group: 'cluster',
          complexity:
            'O(N) where N is the total number of the slots between the start slot and end slot arguments.',
          arguments: [
            arg.block('start-slot_end-slot', [arg.integer('start-slot'), arg.integer('end-slot')], {
              multiple: true,
            }),
          ],
        },
      },
      failover: {
        arity: -2,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Forces a replica to perform a manual failover of its master.',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.oneof('options', [arg.token('force'), arg.token('takeover')], { optional: true })],
        },
      },
      flushslots: {
        arity: 2,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: "Delete a node's own slots information",
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      forget: {
        arity: 3,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Remove a node from the nodes table',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.string('node-id')],
        },
      },
      getkeysinslot: {
        arity: 4,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Return local key names in the specified hash slot',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(log(N)) where N is the number of requested keys',
          arguments: [arg.integer('slot'), arg.integer('count')],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      info: {
        arity: 2,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Provides info about Redis Cluster node state',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      keyslot: {
        arity: 3,
        flags: ['stale'],
        docs: {
          summary: 'Returns the hash slot of the specified key',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the number of bytes in the key',
          arguments: [arg.string('key')],
        },
      },
      links: {
        arity: 2,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Returns a list of all TCP links to and from peer nodes in cluster',
          since: '7.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of Cluster nodes',
        },
      },
      meet: {
        arity: -4,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Force a node cluster to handshake with another node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          history: [['4.0.0', 'Added the optional `cluster_bus_port` argument.']],
          arguments: [
            arg.string('ip'),
            arg.integer('port'),
            arg.integer('cluster_bus_port', { since: '4.0.0', optional: true }),
          ],
        },
      },
      myid: {
        arity: 2,
        flags: ['stale'],
        docs: {
          summary: 'Return the node id',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      nodes: {
        arity: 2,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Get Cluster config for the node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of Cluster nodes',
        },
      },
      replicas: {
        arity: 3,
        flags: ['admin', 'stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'List replica nodes of the specified master node',
          since: '5.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.string('node-id')],
        },
      },
      replicate: {
        arity: 3,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Reconfigure a node as a replica of the specified master node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.string('node-id')],
        },
      },
      reset: {
        arity: -2,
        flags: ['admin', 'noscript', 'stale'],
        docs: {
          summary: 'Reset a Redis Cluster node',
          since: '3.0.0',
          group: 'cluster',
          complexity:
            'O(N) where N is the number of known nodes. The command may execute a FLUSHALL as a side effect.',
          arguments: [arg.oneof('hard_soft', [arg.token('hard'), arg.token('soft')], { optional: true })],
        },
      },
      saveconfig: {
        arity: 2,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Forces the node to save cluster state on disk',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
        },
      },
      'set-config-epoch': {
        arity: 3,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Set the configuration epoch in a new node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [arg.integer('config-epoch')],
        },
      },
      setslot: {
        arity: -4,
        flags: ['admin', 'stale', 'no_async_loading'],
        docs: {
          summary: 'Bind a hash slot to a specific node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          arguments: [
            arg.integer('slot'),
            arg.oneof('subcommand', [
              arg.string('node-id', { token: 'IMPORTING' }),
              arg.string('node-id', { token: 'MIGRATING' }),
              arg.string('node-id', { token: 'NODE' }),
              arg.token('stable'),
            ]),
          ],
        },
      },
      shards: {
        arity: 2,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Get array of cluster slots to node mappings',
          since: '7.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of cluster nodes',
        },
      },
      slaves: {
        arity: 3,
        flags: ['admin', 'stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'List replica nodes of the specified master node',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(1)',
          deprecatedSince: '5.0.0',
          replacedBy: '`CLUSTER REPLICAS`',
          arguments: [arg.string('node-id')],
        },
      },
      slots: {
        arity: 2,
        flags: ['stale'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Get array of Cluster slot to node mappings',
          since: '3.0.0',
          group: 'cluster',
          complexity: 'O(N) where N is the total number of Cluster nodes',
          deprecatedSince: '7.0.0',
          replacedBy: '`CLUSTER SHARDS`',
          history: [
            ['4.0.0', 'Added node IDs.'],
            ['7.0.0', 'Added additional networking metadata field.'],
          ],
        },
      },
    },
  },
  readonly: {
    arity: 1,
    flags: ['loading', 'stale', 'fast'],
    categories: ['connection'],
    docs: {
      summary: 'Enables read queries for a connection to a cluster replica node',
      since: '3.0.0',
      group: 'cluster',
      complexity: 'O(1)',
    },
  },
  readwrite: {
    arity: 1,
    flags: ['loading', 'stale', 'fast'],
    categories: ['connection'],
    docs: {
      summary: 'Disables read queries for a connection to a cluster replica node',
      since: '3.0.0',
      group: 'cluster',
      complexity: 'O(1)',
    },
  },
} satisfies CommandRows;
