import { arg, type CommandRows, key } from '../row.js';

export const diagnosticsRows = {
  debug: {
    arity: -2,
    flags: ['admin', 'noscript', 'loading', 'stale', 'protected'],
    docs: {
      summary: 'A container for debugging commands',
      since: '1.0.0',
      group: 'server',
      complexity: 'Depends on subcommand.',
      system: true,
    },
  },
  info: {
    arity: -1,
    flags: ['loading', 'stale', 'shows_clients'],
    categories: ['dangerous'],
    tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
    docs: {
      summary: 'Get information and statistics about the server',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
      history: [['7.0.0', 'Added support for taking multiple section arguments.']],
      arguments: [arg.string('section', { optional: true, multiple: true })],
    },
  },
  latency: {
    arity: -2,
    docs: {
      summary: 'A container for latency diagnostics commands',
      since: '2.8.13',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      doctor: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
        docs: {
          summary: 'Return a human readable latency analysis report.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      graph: {
        arity: 3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
        docs: {
          summary: 'Return a latency graph for the event.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.string('event')],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      histogram: {
        arity: -2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
        docs: {
          summary: 'Return the cumulative distribution of latencies of a subset of commands or all.',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(N) where N is the number of commands with latency information being retrieved.',
          arguments: [arg.string('command', { optional: true, multiple: true })],
        },
      },
      history: {
        arity: 3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
        docs: {
          summary: 'Return timestamp-latency samples for the event.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.string('event')],
        },
      },
      latest: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
        docs: {
          summary: 'Return the latest latency samples for all events.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      reset: {
        arity: -2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Reset latency data for one or more events.',
          since: '2.8.13',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.string('event', { optional: true, multiple: true })],
        },
      },
    },
  },
  lolwut: {
    arity: -1,
    flags: ['readonly', 'fast'],
    docs: {
      summary: 'Display some computer art and the Redis version',
      since: '5.0.0',
      group: 'server',
      arguments: [arg.integer('version', { token: 'VERSION', optional: true })],
    },
  },
  memory: {
    arity: -2,
    docs: {
      summary: 'A container for memory diagnostics commands',
      since: '4.0.0',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      doctor: {
        arity: 2,
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
        docs: {
          summary: 'Outputs memory problems report',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      'malloc-stats': {
        arity: 2,
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
        docs: {
          summary: 'Show allocator internal stats',
          since: '4.0.0',
          group: 'server',
          complexity: 'Depends on how much memory is allocated, could be slow',
        },
      },
      purge: {
        arity: 2,
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Ask the allocator to release memory',
          since: '4.0.0',
          group: 'server',
          complexity: 'Depends on how much memory is allocated, could be slow',
        },
      },
      stats: {
        arity: 2,
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
        docs: {
          summary: 'Show memory usage details',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      usage: {
        arity: -3,
        flags: ['readonly'],
        keys: [key(2, 'RO')],
        docs: {
          summary: 'Estimate the memory usage of a key',
          since: '4.0.0',
          group: 'server',
          complexity: 'O(N) where N is the number of samples.',
          arguments: [arg.key('key'), arg.integer('count', { token: 'SAMPLES', optional: true })],
        },
      },
    },
  },
  monitor: {
    arity: 1,
    flags: ['admin', 'noscript', 'loading', 'stale'],
    docs: {
      summary: 'Listen for all requests received by the server in real time',
      since: '1.0.0',
      group: 'server',
    },
  },
  slowlog: {
    arity: -2,
    docs: {
      summary: 'A container for slow log commands',
      since: '2.2.12',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      get: {
        arity: -2,
        flags: ['admin', 'loading', 'stale'],
        tips: ['request_policy:all_nodes', 'nondeterministic_output'],
        docs: {
          summary: "Get the slow log's entries",
          since: '2.2.12',
          group: 'server',
          complexity: 'O(N) where N is the number of entries returned',
          history: [['4.0.0', 'Added client IP address, port and name to the reply.']],
          arguments: [arg.integer('count', { optional: true })],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '6.2.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      len: {
        arity: 2,
        flags: ['admin', 'loading', 'stale'],
        tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
        docs: {
          summary: "Get the slow log's length",
          since: '2.2.12',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      reset: {
        arity: 2,
        flags: ['admin', 'loading', 'stale'],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Clear all entries from the slow log',
          since: '2.2.12',
          group: 'server',
          complexity: 'O(N) where N is the number of entries in the slowlog',
        },
      },
    },
  },
} satisfies CommandRows;
