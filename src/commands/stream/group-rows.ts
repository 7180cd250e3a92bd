import { after, arg, type CommandRows, key, keys, through } from '../row.js';

export const groupRows = {
  xack: {
    arity: -4,
    flags: ['write', 'fast'],
    categories: ['stream'],
    keys: [key(1, 'RW', 'update')],
    docs: {
      summary:
        'Marks a pending message as correctly processed, effectively removing it from the pending entries list of the consumer group. Return value of the command is the number of messages successfully acknowledged, that is, the IDs we were actually able to resolve in the PEL.',
      since: '5.0.0',
      group: 'stream',
      complexity: 'O(1) for each message ID processed.',
      arguments: [arg.key('key'), arg.string('group'), arg.string('id', { multiple: true })],
    },
  },
  xautoclaim: {
    arity: -6,
    flags: ['write', 'fast'],
    categories: ['stream'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary:
        'Changes (or acquires) ownership of messages in a consumer group, as if the messages were delivered to the specified consumer.',
      since: '6.2.0',
      group: 'stream',
      complexity: 'O(1) if COUNT is small.',
      history: [
        [
          '7.0.0',
          'Added an element to the reply array, containing deleted entries the command cleared from the PEL',
        ],
      ],
      arguments: [
        arg.key('key'),
        arg.string('group'),
        arg.string('consumer'),
        arg.string('min-idle-time'),
        arg.string('start'),
        arg.integer('count', { token: 'COUNT', optional: true }),
        arg.token('justid', { optional: true }),
      ],
    },
  },
  xclaim: {
    arity: -6,
    flags: ['write', 'fast'],
    categories: ['stream'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RW', 'update')],
    docs: {
      summary:
        'Changes (or acquires) ownership of a message in a consumer group, as if the message was delivered to the specified consumer.',
      since: '5.0.0',
      group: 'stream',
      complexity: 'O(log N) with N being the number of messages in the PEL of the consumer group.',
      arguments: [
        arg.key('key'),
        arg.string('group'),
        arg.string('consumer'),
        arg.string('min-idle-time'),
        arg.string('id', { multiple: true }),
        arg.integer('ms', { token: 'IDLE', optional: true }),
        arg.unixTime('unix-time-milliseconds', { token: 'TIME', optional: true }),
        arg.integer('count', { token: 'RETRYCOUNT', optional: true }),
        arg.token('force', { optional: true }),
        arg.token('justid', { optional: true }),
        arg.string('id', { token: 'LASTID', optional: true }),
      ],
    },
  },
  xgroup: {
    arity: -2,
    docs: {
      summary: 'A container for consumer groups commands',
      since: '5.0.0',
      group: 'stream',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      create: {
        arity: -5,
        flags: ['write', 'denyoom'],
        categories: ['stream'],
        keys: [key(2, 'RW', 'insert')],
        docs: {
          summary: 'Create a consumer group.',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          history: [['7.0.0', 'Added the `entries_read` named argument.']],
          arguments: [
            arg.key('key'),
            arg.string('groupname'),
            arg.oneof('id', [arg.string('id'), arg.token('new_id', { token: '$' })]),
            arg.token('mkstream', { optional: true }),
            arg.integer('entries_read', { token: 'ENTRIESREAD', optional: true }),
          ],
        },
      },
      createconsumer: {
        arity: 5,
        flags: ['write', 'denyoom'],
        categories: ['stream'],
        keys: [key(2, 'RW', 'insert')],
        docs: {
          summary: 'Create a consumer in a consumer group.',
          since: '6.2.0',
          group: 'stream',
          complexity: 'O(1)',
          arguments: [arg.key('key'), arg.string('groupname'), arg.string('consumername')],
        },
      },
      delconsumer: {
        arity: 5,
        flags: ['write'],
        categories: ['stream'],
        keys: [key(2, 'RW', 'delete')],
        docs: {
          summary: 'Delete a consumer from a consumer group.',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          arguments: [arg.key('key'), arg.string('groupname'), arg.string('consumername')],
        },
      },
      destroy: {
        arity: 4,
        flags: ['write'],
        categories: ['stream'],
        keys: [key(2, 'RW', 'delete')],
        docs: {
          summary: 'Destroy a consumer group.',
          since: '5.0.0',
          group: 'stream',
          complexity: "O(N) where N is the number of entries in the group's pending entries list (PEL).",
          arguments: [arg.key('key'), arg.string('groupname')],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['stream'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
        },
      },
      setid: {
        arity: -5,
        flags: ['write'],
        categories: ['stream'],
        keys: [key(2, 'RW', 'update')],
        docs: {
          summary: 'Set a consumer group to an arbitrary last delivered ID value.',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          history: [['7.0.0', 'Added the optional `entries_read` argument.']],
          arguments: [
            arg.key('key'),
            arg.string('groupname'),
            arg.oneof('id', [arg.string('id'), arg.token('new_id', { token: '$' })]),
            arg.integer('entries_read', { token: 'ENTRIESREAD', optional: true }),
          ],
        },
      },
    },
  },
  xpending: {
    arity: -3,
    flags: ['readonly'],
    categories: ['stream'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary:
        'Return information and entries from a stream consumer group pending entries list, that are messages fetched but never acknowledged.',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'O(N) with N being the number of elements returned, so asking for a small fixed number of entries per call is O(1). O(M), where M is the total number of entries scanned when used with the IDLE filter. When the command returns just the summary and the list of consumers is small, it runs in O(1) time; otherwise, an additional O(N) time for iterating every consumer.',
      history: [['6.2.0', 'Added the `IDLE` option and exclusive range intervals.']],
      arguments: [
        arg.key('key'),
        arg.string('group'),
        arg.block(
          'filters',
          [
            arg.integer('min-idle-time', { token: 'IDLE', since: '6.2.0', optional: true }),
            arg.string('start'),
            arg.string('end'),
            arg.integer('count'),
            arg.string('consumer', { optional: true }),
          ],
          { optional: true },
        ),
      ],
    },
  },
  xreadgroup: {
    arity: -7,
    flags: ['write', 'blocking'],
    categories: ['stream'],
    keys: [keys(after('STREAMS', 4), through(-1, 1, 2), 'RO', 'access')],
    keysOtherwise: 'xread',
    docs: {
      summary:
        'Return new entries from a stream using a consumer group, or access the history of the pending entries for a given consumer. Can block.',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'For each stream mentioned: O(M) with M being the number of elements returned. If M is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1). On the other side when XREADGROUP blocks, XADD will pay the O(N) time in order to serve the N clients blocked on the stream getting new data.',
      arguments: [
        arg.block('group_consumer', [arg.string('group'), arg.string('consumer')], { token: 'GROUP' }),
        arg.integer('count', { token: 'COUNT', optional: true }),
        arg.integer('milliseconds', { token: 'BLOCK', optional: true }),
        arg.token('noack', { optional: true }),
        arg.block('streams', [arg.key('key', { multiple: true }), arg.string('id', { multiple: true })], {
          token: 'STREAMS',
        }),
      ],
    },
  },
} satisfies CommandRows;
