import { after, arg, type CommandRows, key, keys, noted, through } from '../row.js';

export const rows = {
  xadd: {
    arity: -5,
    flags: ['write', 'denyoom', 'fast'],
    categories: ['stream'],
    tips: ['nondeterministic_output'],
    keys: [
      noted('UPDATE instead of INSERT because of the optional trimming feature', key(1, 'RW', 'update')),
    ],
    docs: {
      summary: 'Appends a new entry to a stream',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'O(1) when adding a new entry, O(N) when trimming where N being the number of entries evicted.',
      history: [
        ['6.2.0', 'Added the `NOMKSTREAM` option, `MINID` trimming strategy and the `LIMIT` option.'],
        ['7.0.0', 'Added support for the `<ms>-*` explicit ID form.'],
      ],
      arguments: [
        arg.key('key'),
        arg.token('nomkstream', { since: '6.2.0', optional: true }),
        arg.block(
          'trim',
          [
            arg.oneof('strategy', [arg.token('maxlen'), arg.token('minid', { since: '6.2.0' })]),
            arg.oneof(
              'operator',
              [arg.token('equal', { token: '=' }), arg.token('approximately', { token: '~' })],
              { optional: true },
            ),
            arg.string('threshold'),
            arg.integer('count', { token: 'LIMIT', since: '6.2.0', optional: true }),
          ],
          { optional: true },
        ),
        arg.oneof('id_or_auto', [arg.token('auto_id', { token: '*' }), arg.string('id')]),
        arg.block('field_value', [arg.string('field'), arg.string('value')], { multiple: true }),
      ],
    },
  },
  xdel: {
    arity: -3,
    flags: ['write', 'fast'],
    categories: ['stream'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary:
        'Removes the specified entries from the stream. Returns the number of items actually deleted, that may be different from the number of IDs passed in case certain IDs do not exist.',
      since: '5.0.0',
      group: 'stream',
      complexity: 'O(1) for each single item to delete in the stream, regardless of the stream size.',
      arguments: [arg.key('key'), arg.string('id', { multiple: true })],
    },
  },
  xinfo: {
    arity: -2,
    docs: {
      summary: 'A container for stream introspection commands',
      since: '5.0.0',
      group: 'stream',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      consumers: {
        arity: 4,
        flags: ['readonly'],
        categories: ['stream'],
        tips: ['nondeterministic_output'],
        keys: [key(2, 'RO', 'access')],
        docs: {
          summary: 'List the consumers in a consumer group',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          arguments: [arg.key('key'), arg.string('groupname')],
        },
      },
      groups: {
        arity: 3,
        flags: ['readonly'],
        categories: ['stream'],
        keys: [key(2, 'RO', 'access')],
        docs: {
          summary: 'List the consumer groups of a stream',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          history: [['7.0.0', 'Added the `entries-read` and `lag` fields']],
          arguments: [arg.key('key')],
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
      stream: {
        arity: -3,
        flags: ['readonly'],
        categories: ['stream'],
        keys: [key(2, 'RO', 'access')],
        docs: {
          summary: 'Get information about a stream',
          since: '5.0.0',
          group: 'stream',
          complexity: 'O(1)',
          history: [
            ['6.0.0', 'Added the `FULL` modifier.'],
            [
              '7.0.0',
              'Added the `max-deleted-entry-id`, `entries-added`, `recorded-first-entry-id`, `entries-read` and `lag` fields',
            ],
          ],
          arguments: [
            arg.key('key'),
            arg.block('full', [arg.integer('count', { token: 'COUNT', optional: true })], {
              token: 'FULL',
              optional: true,
            }),
          ],
        },
      },
    },
  },
  xlen: {
    arity: 2,
    flags: ['readonly', 'fast'],
    categories: ['stream'],
    keys: [key(1, 'RO')],
    docs: {
      summary: 'Return the number of entries in a stream',
      since: '5.0.0',
      group: 'stream',
      complexity: 'O(1)',
      arguments: [arg.key('key')],
    },
  },
  xrange: {
    arity: -4,
    flags: ['readonly'],
    categories: ['stream'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of elements in a stream, with IDs matching the specified IDs interval',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'O(N) with N being the number of elements being returned. If N is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1).',
      history: [['6.2.0', 'Added exclusive ranges.']],
      arguments: [
        arg.key('key'),
        arg.string('start'),
        arg.string('end'),
        arg.integer('count', { token: 'COUNT', optional: true }),
      ],
    },
  },
  xread: {
    arity: -4,
    flags: ['readonly', 'blocking'],
    categories: ['stream'],
    keys: [keys(after('STREAMS', 1), through(-1, 1, 2), 'RO', 'access')],
    keysOtherwise: 'xread',
    docs: {
      summary:
        'Return never seen elements in multiple streams, with IDs greater than the ones reported by the caller for each stream. Can block.',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'For each stream mentioned: O(N) with N being the number of elements being returned, it means that XREAD-ing with a fixed COUNT is O(1). Note that when the BLOCK option is used, XADD will pay O(M) time in order to serve the M clients blocked on the stream getting new data.',
      arguments: [
        arg.integer('count', { token: 'COUNT', optional: true }),
        arg.integer('milliseconds', { token: 'BLOCK', optional: true }),
        arg.block('streams', [arg.key('key', { multiple: true }), arg.string('id', { multiple: true })], {
          token: 'STREAMS',
        }),
      ],
    },
  },
  xrevrange: {
    arity: -4,
    flags: ['readonly'],
    categories: ['stream'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary:
        'Return a range of elements in a stream, with IDs matching the specified IDs interval, in reverse order (from greater to smaller IDs) compared to XRANGE',
      since: '5.0.0',
      group: 'stream',
      complexity:
        'O(N) with N being the number of elements returned. If N is constant (e.g. always asking for the first 10 elements with COUNT), you can consider it O(1).',
      history: [['6.2.0', 'Added exclusive ranges.']],
      arguments: [
        arg.key('key'),
        arg.string('end'),
        arg.string('start'),
        arg.integer('count', { token: 'COUNT', optional: true }),
      ],
    },
  },
  xsetid: {
    arity: -3,
    flags: ['write', 'denyoom', 'fast'],
    categories: ['stream'],
    keys: [key(1, 'RW', 'update')],
    docs: {
      summary: 'An internal command for replicating stream values',
      since: '5.0.0',
      group: 'stream',
      complexity: 'O(1)',
      history: [['7.0.0', 'Added the `entries_added` and `max_deleted_entry_id` arguments.']],
      arguments: [
        arg.key('key'),
        arg.string('last-id'),
        arg.integer('entries_added', { token: 'ENTRIESADDED', since: '7.0.0', optional: true }),
        arg.string('max_deleted_entry_id', { token: 'MAXDELETEDID', since: '7.0.0', optional: true }),
      ],
    },
  },
  xtrim: {
    arity: -4,
    flags: ['write'],
    categories: ['stream'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary: "Trims the stream to (approximately if '~' is passed) a certain size",
      since: '5.0.0',
      group: 'stream',
      complexity:
        'O(N), with N being the number of evicted entries. Constant times are very small however, since entries are organized in macro nodes containing multiple entries that can be released with a single deallocation.',
      history: [['6.2.0', 'Added the `MINID` trimming strategy and the `LIMIT` option.']],
      arguments: [
        arg.key('key'),
        arg.block('trim', [
          arg.oneof('strategy', [arg.token('maxlen'), arg.token('minid', { since: '6.2.0' })]),
          arg.oneof(
            'operator',
            [arg.token('equal', { token: '=' }), arg.token('approximately', { token: '~' })],
            { optional: true },
          ),
          arg.string('threshold'),
          arg.integer('count', { token: 'LIMIT', since: '6.2.0', optional: true }),
        ]),
      ],
    },
  },
} satisfies CommandRows;
