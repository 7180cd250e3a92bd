import { arg, type CommandRows, key } from '../row.js';

export const replicationRows = {
  failover: {
    arity: -1,
    flags: ['admin', 'noscript', 'stale'],
    docs: {
      summary: 'Start a coordinated failover between this server and one of its replicas.',
      since: '6.2.0',
      group: 'server',
      complexity: 'O(1)',
      arguments: [
        arg.block(
          'target',
          [arg.string('host'), arg.integer('port'), arg.token('force', { optional: true })],
          { token: 'TO', optional: true },
        ),
        arg.token('abort', { optional: true }),
        arg.integer('milliseconds', { token: 'TIMEOUT', optional: true }),
      ],
    },
  },
  psync: {
    arity: -3,
    flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
    docs: {
      summary: 'Internal command used for replication',
      since: '2.8.0',
      group: 'server',
      arguments: [arg.string('replicationid'), arg.integer('offset')],
    },
  },
  replconf: {
    arity: -1,
    flags: ['admin', 'noscript', 'loading', 'stale', 'allow_busy'],
    docs: {
      summary: 'An internal command for configuring the replication stream',
      since: '3.0.0',
      group: 'server',
      complexity: 'O(1)',
      system: true,
    },
  },
  replicaof: {
    arity: 3,
    flags: ['admin', 'noscript', 'stale', 'no_async_loading'],
    docs: {
      summary: 'Make the server a replica of another instance, or promote it as master.',
      since: '5.0.0',
      group: 'server',
      complexity: 'O(1)',
      arguments: [
        arg.oneof('args', [
          arg.block('host-port', [arg.string('host'), arg.integer('port')]),
          arg.block('no-one', [arg.token('no'), arg.token('one')]),
        ]),
      ],
    },
  },
  'restore-asking': {
    arity: -4,
    flags: ['write', 'denyoom', 'asking'],
    categories: ['keyspace', 'dangerous'],
    keys: [key(1, 'OW', 'update')],
    docs: {
      summary: 'An internal command for migrating keys in a cluster',
      since: '3.0.0',
      group: 'server',
      complexity:
        'O(1) to create the new key and additional O(N*M) to reconstruct the serialized value, where N is the number of Redis objects composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply O(1). However for sorted set values the complexity is O(N*M*log(N)) because inserting values into sorted sets is O(log(N)).',
      system: true,
      history: [
        ['3.0.0', 'Added the `REPLACE` modifier.'],
        ['5.0.0', 'Added the `ABSTTL` modifier.'],
        ['5.0.0', 'Added the `IDLETIME` and `FREQ` options.'],
      ],
      arguments: [
        arg.key('key'),
        arg.integer('ttl'),
        arg.string('serialized-value'),
        arg.token('replace', { since: '3.0.0', optional: true }),
        arg.token('absttl', { since: '5.0.0', optional: true }),
        arg.integer('seconds', { token: 'IDLETIME', since: '5.0.0', optional: true }),
        arg.integer('frequency', { token: 'FREQ', since: '5.0.0', optional: true }),
      ],
    },
  },
  role: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'fast'],
    categories: ['admin', 'dangerous'],
    docs: {
      summary: 'Return the role of the instance in the context of replication',
      since: '2.8.12',
      group: 'server',
      complexity: 'O(1)',
    },
  },
  slaveof: {
    arity: 3,
    flags: ['admin', 'noscript', 'stale', 'no_async_loading'],
    docs: {
      summary: 'Make the server a replica of another instance, or promote it as master.',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
      deprecatedSince: '5.0.0',
      replacedBy: '`REPLICAOF`',
      arguments: [
        arg.oneof('args', [
          arg.block('host-port', [arg.string('host'), arg.integer('port')]),
          arg.block('no-one', [arg.token('no'), arg.token('one')]),
        ]),
      ],
    },
  },
  sync: {
    arity: 1,
    flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
    docs: {
      summary: 'Internal command used for replication',
      since: '1.0.0',
      group: 'server',
    },
  },
} satisfies CommandRows;
