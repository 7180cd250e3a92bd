import { arg, type CommandRows } from '../row.js';

export const rows = {
  command: {
    arity: -1,
    flags: ['loading', 'stale'],
    categories: ['connection'],
    tips: ['nondeterministic_output_order'],
    docs: {
      summary: 'Get array of Redis command details',
      since: '2.8.13',
      group: 'server',
      complexity: 'O(N) where N is the total number of Redis commands',
    },
    subcommands: {
      count: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Get total number of Redis commands',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      docs: {
        arity: -2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        tips: ['nondeterministic_output_order'],
        docs: {
          summary: 'Get array of specific Redis command documentation',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(N) where N is the number of commands to look up',
          arguments: [arg.string('command-name', { optional: true, multiple: true })],
        },
      },
      getkeys: {
        arity: -4,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Extract keys given a full Redis command',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(N) where N is the number of arguments to the command',
        },
      },
      getkeysandflags: {
        arity: -4,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Extract keys and access flags given a full Redis command',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(N) where N is the number of arguments to the command',
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      info: {
        arity: -2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        tips: ['nondeterministic_output_order'],
        docs: {
          summary: 'Get array of specific Redis command details, or all when no argument is given.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(N) where N is the number of commands to look up',
          history: [['7.0.0', 'Allowed to be called with no argument to get info on all commands.']],
          arguments: [arg.string('command-name', { optional: true, multiple: true })],
        },
      },
      list: {
        arity: -2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        tips: ['nondeterministic_output_order'],
        docs: {
          summary: 'Get an array of Redis command names',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(N) where N is the total number of Redis commands',
          arguments: [
            arg.oneof(
              'filterby',
              [
                arg.string('module-name', { token: 'MODULE' }),
                arg.string('category', { token: 'ACLCAT' }),
                arg.pattern('pattern', { token: 'PATTERN' }),
              ],
              { token: 'FILTERBY', optional: true },
            ),
          ],
        },
      },
    },
  },
  config: {
    arity: -2,
    docs: {
      summary: 'A container for server configuration commands',
      since: '2.0.0',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      get: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Get the values of configuration parameters',
          since: '2.0.0',
          group: 'server',
          complexity: 'O(N) when N is the number of configuration parameters provided',
          history: [['7.0.0', 'Added the ability to pass multiple pattern parameters in one call']],
          arguments: [arg.block('parameter', [arg.string('parameter')], { multiple: true })],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      resetstat: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Reset the stats returned by INFO',
          since: '2.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      rewrite: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Rewrite the configuration file with the in memory configuration',
          since: '2.8.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      set: {
        arity: -4,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Set configuration parameters to the given values',
          since: '2.0.0',
          group: 'server',
          complexity: 'O(N) when N is the number of configuration parameters provided',
          history: [['7.0.0', 'Added the ability to set multiple parameters in one call.']],
          arguments: [
            arg.block('parameter_value', [arg.string('parameter'), arg.string('value')], { multiple: true }),
          ],
        },
      },
    },
  },
  dbsize: {
    arity: 1,
    flags: ['readonly', 'fast'],
    categories: ['keyspace'],
    tips: ['request_policy:all_shards', 'response_policy:agg_sum'],
    docs: {
      summary: 'Return the number of keys in the selected database',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
    },
  },
  flushall: {
    arity: -1,
    flags: ['write'],
    categories: ['keyspace', 'dangerous'],
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    docs: {
      summary: 'Remove all keys from all databases',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(N) where N is the total number of keys in all databases',
      history: [
        ['4.0.0', 'Added the `ASYNC` flushing mode modifier.'],
        ['6.2.0', 'Added the `SYNC` flushing mode modifier.'],
      ],
      arguments: [
        arg.oneof('async', [arg.token('async', { since: '4.0.0' }), arg.token('sync', { since: '6.2.0' })], {
          optional: true,
        }),
      ],
    },
  },
  flushdb: {
    arity: -1,
    flags: ['write'],
    categories: ['keyspace', 'dangerous'],
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    docs: {
      summary: 'Remove all keys from the current database',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(N) where N is the number of keys in the selected database',
      history: [
        ['4.0.0', 'Added the `ASYNC` flushing mode modifier.'],
        ['6.2.0', 'Added the `SYNC` flushing mode modifier.'],
      ],
      arguments: [
        arg.oneof('async', [arg.token('async', { since: '4.0.0' }), arg.token('sync', { since: '6.2.0' })], {
          optional: true,
        }),
      ],
    },
  },
  module: {
    arity: -2,
    docs: {
      summary: 'A container for module commands',
      since: '4.0.0',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      list: {
        arity: 2,
        flags: ['admin', 'noscript'],
        tips: ['nondeterministic_output_order'],
        docs: {
          summary: 'List all modules loaded by the server',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(N) where N is the number of loaded modules.',
        },
      },
      load: {
        arity: -3,
        flags: ['admin', 'noscript', 'no_async_loading', 'protected'],
        docs: {
          summary: 'Load a module',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.string('path'), arg.string('arg', { optional: true, multiple: true })],
        },
      },
      loadex: {
        arity: -3,
        flags: ['admin', 'noscript', 'no_async_loading', 'protected'],
        docs: {
          summary: 'Load a module with extended parameters',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(1)',
          arguments: [
            arg.string('path'),
            arg.block('configs', [arg.string('name'), arg.string('value')], {
              token: 'CONFIG',
              optional: true,
              multiple: true,
              multipleToken: true,
            }),
            arg.block('args', [arg.string('arg')], { token: 'ARGS', optional: true, multiple: true }),
          ],
        },
      },
      unload: {
        arity: 3,
        flags: ['admin', 'noscript', 'no_async_loading', 'protected'],
        docs: {
          summary: 'Unload a module',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.string('name')],
        },
      },
    },
  },
  shutdown: {
    arity: -1,
    flags: ['admin', 'noscript', 'loading', 'stale', 'no_multi', 'allow_busy'],
    docs: {
      summary: 'Synchronously save the dataset to disk and then shut down the server',
      since: '1.0.0',
      group: 'server',
      complexity:
        'O(N) when saving, where N is the total number of keys in all databases when saving data, otherwise O(1)',
      history: [['7.0.0', 'Added the `NOW`, `FORCE` and `ABORT` modifiers.']],
      arguments: [
        arg.oneof('nosave_save', [arg.token('nosave'), arg.token('save')], { optional: true }),
        arg.token('now', { since: '7.0.0', optional: true }),
        arg.token('force', { since: '7.0.0', optional: true }),
        arg.token('abort', { since: '7.0.0', optional: true }),
      ],
    },
  },
  swapdb: {
    arity: 3,
    flags: ['write', 'fast'],
    categories: ['keyspace', 'dangerous'],
    docs: {
      summary: 'Swaps two Redis databases',
      since: '4.0.0',
      group: 'server',
      complexity: 'O(N) where N is the count of clients watching or blocking on keys from both databases.',
      arguments: [arg.integer('index1'), arg.integer('index2')],
    },
  },
  time: {
    arity: 1,
    flags: ['loading', 'stale', 'fast'],
    tips: ['nondeterministic_output'],
    docs: {
      summary: 'Return the current server time',
      since: '2.6.0',
      group: 'server',
      complexity: 'O(1)',
    },
  },
} satisfies CommandRows;
