import { arg, at, type CommandRows, counted, keys, noted } from '../row.js';

export const rows = {
  eval: {
    arity: -3,
    flags: ['noscript', 'stale', 'skip_monitor', 'no_mandatory_keys', 'may_replicate'],
    categories: ['scripting'],
    keys: [
      noted(
        'We cannot tell how the keys will be used so we assume the worst, RW and UPDATE',
        keys(at(2), counted, 'RW', 'access', 'update'),
      ),
    ],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Execute a Lua script server side',
      since: '2.6.0',
      group: 'scripting',
      complexity: 'Depends on the script that is executed.',
      arguments: [
        arg.string('script'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  eval_ro: {
    arity: -3,
    flags: ['readonly', 'noscript', 'stale', 'skip_monitor', 'no_mandatory_keys'],
    categories: ['scripting'],
    keys: [
      noted(
        'We cannot tell how the keys will be used so we assume the worst, RO and ACCESS',
        keys(at(2), counted, 'RO', 'access'),
      ),
    ],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Execute a read-only Lua script server side',
      since: '7.0.0',
      group: 'scripting',
      complexity: 'Depends on the script that is executed.',
      arguments: [
        arg.string('script'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  evalsha: {
    arity: -3,
    flags: ['noscript', 'stale', 'skip_monitor', 'no_mandatory_keys', 'may_replicate'],
    categories: ['scripting'],
    keys: [keys(at(2), counted, 'RW', 'access', 'update')],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Execute a Lua script server side',
      since: '2.6.0',
      group: 'scripting',
      complexity: 'Depends on the script that is executed.',
      arguments: [
        arg.string('sha1'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  evalsha_ro: {
    arity: -3,
    flags: ['readonly', 'noscript', 'stale', 'skip_monitor', 'no_mandatory_keys'],
    categories: ['scripting'],
    keys: [keys(at(2), counted, 'RO', 'access')],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Execute a read-only Lua script server side',
      since: '7.0.0',
      group: 'scripting',
      complexity: 'Depends on the script that is executed.',
      arguments: [
        arg.string('sha1'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  fcall: {
    arity: -3,
    flags: ['noscript', 'stale', 'skip_monitor', 'no_mandatory_keys', 'may_replicate'],
    categories: ['scripting'],
    keys: [
      noted(
        'We cannot tell how the keys will be used so we assume the worst, RW and UPDATE',
        keys(at(2), counted, 'RW', 'access', 'update'),
      ),
    ],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Invoke a function',
      since: '7.0.0',
      group: 'scripting',
      complexity: 'Depends on the function that is executed.',
      arguments: [
        arg.string('function'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  fcall_ro: {
    arity: -3,
    flags: ['readonly', 'noscript', 'stale', 'skip_monitor', 'no_mandatory_keys'],
    categories: ['scripting'],
    keys: [
      noted(
        'We cannot tell how the keys will be used so we assume the worst, RO and ACCESS',
        keys(at(2), counted, 'RO', 'access'),
      ),
    ],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Invoke a read-only function',
      since: '7.0.0',
      group: 'scripting',
      complexity: 'Depends on the function that is executed.',
      arguments: [
        arg.string('function'),
        arg.integer('numkeys'),
        arg.key('key', { optional: true, multiple: true }),
        arg.string('arg', { optional: true, multiple: true }),
      ],
    },
  },
  function: {
    arity: -2,
    docs: {
      summary: 'A container for function commands',
      since: '7.0.0',
      group: 'scripting',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      delete: {
        arity: 3,
        flags: ['write', 'noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Delete a function by name',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(1)',
          arguments: [arg.string('library-name')],
        },
      },
      dump: {
        arity: 2,
        flags: ['noscript'],
        categories: ['scripting'],
        docs: {
          summary: 'Dump all functions into a serialized binary payload',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(N) where N is the number of functions',
        },
      },
      flush: {
        arity: -2,
        flags: ['write', 'noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Deleting all functions',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(N) where N is the number of functions deleted',
          arguments: [arg.oneof('async', [arg.token('async'), arg.token('sync')], { optional: true })],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['scripting'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(1)',
        },
      },
      kill: {
        arity: 2,
        flags: ['noscript', 'allow_busy'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
        docs: {
          summary: 'Kill the function currently in execution.',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(1)',
        },
      },
      list: {
        arity: -2,
        flags: ['noscript'],
        categories: ['scripting'],
        tips: ['nondeterministic_output_order'],
        docs: {
          summary: 'List information about all the functions',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(N) where N is the number of functions',
          arguments: [
            arg.string('library-name-pattern', { token: 'LIBRARYNAME', optional: true }),
            arg.token('withcode', { optional: true }),
          ],
        },
      },
      load: {
        arity: -3,
        flags: ['write', 'denyoom', 'noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Create a function with the given arguments (name, code, description)',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(1) (considering compilation time is redundant)',
          arguments: [arg.token('replace', { optional: true }), arg.string('function-code')],
        },
      },
      restore: {
        arity: -3,
        flags: ['write', 'denyoom', 'noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Restore all the functions on the given payload',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(N) where N is the number of functions on the payload',
          arguments: [
            arg.string('serialized-value'),
            arg.oneof('policy', [arg.token('flush'), arg.token('append'), arg.token('replace')], {
              optional: true,
            }),
          ],
        },
      },
      stats: {
        arity: 2,
        flags: ['noscript', 'allow_busy'],
        categories: ['scripting'],
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
        docs: {
          summary: 'Return information about the function currently running (name, description, duration)',
          since: '7.0.0',
          group: 'scripting',
          complexity: 'O(1)',
        },
      },
    },
  },
  script: {
    arity: -2,
    docs: {
      summary: 'A container for Lua scripts management commands',
      since: '2.6.0',
      group: 'scripting',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      debug: {
        arity: 3,
        flags: ['noscript'],
        categories: ['scripting'],
        docs: {
          summary: 'Set the debug mode for executed scripts.',
          since: '3.2.0',
          group: 'scripting',
          complexity: 'O(1)',
          arguments: [arg.oneof('mode', [arg.token('yes'), arg.token('sync'), arg.token('no')])],
        },
      },
      exists: {
        arity: -3,
        flags: ['noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
        docs: {
          summary: 'Check existence of scripts in the script cache.',
          since: '2.6.0',
          group: 'scripting',
          complexity:
            'O(N) with N being the number of scripts to check (so checking a single script is an O(1) operation).',
          arguments: [arg.string('sha1', { multiple: true })],
        },
      },
      flush: {
        arity: -2,
        flags: ['noscript'],
        categories: ['scripting'],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Remove all the scripts from the script cache.',
          since: '2.6.0',
          group: 'scripting',
          complexity: 'O(N) with N being the number of scripts in cache',
          history: [['6.2.0', 'Added the `ASYNC` and `SYNC` flushing mode modifiers.']],
          arguments: [
            arg.oneof('async', [arg.token('async'), arg.token('sync')], { since: '6.2.0', optional: true }),
          ],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['scripting'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'scripting',
          complexity: 'O(1)',
        },
      },
      kill: {
        arity: 2,
        flags: ['noscript', 'allow_busy'],
        categories: ['scripting'],
        tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
        docs: {
          summary: 'Kill the script currently in execution.',
          since: '2.6.0',
          group: 'scripting',
          complexity: 'O(1)',
        },
      },
      load: {
        arity: 3,
        flags: ['noscript', 'stale'],
        categories: ['scripting'],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        docs: {
          summary: 'Load the specified Lua script into the script cache.',
          since: '2.6.0',
          group: 'scripting',
          complexity: 'O(N) with N being the length in bytes of the script body.',
          arguments: [arg.string('script')],
        },
      },
    },
  },
} satisfies CommandRows;
