import { arg, type CommandRows } from '../row.js';

export const rows = {
  auth: {
    arity: -2,
    flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
    categories: ['connection'],
    docs: {
      summary: 'Authenticate to the server',
      since: '1.0.0',
      group: 'connection',
      complexity: 'O(N) where N is the number of passwords defined for the user',
      history: [['6.0.0', 'Added ACL style (username and password).']],
      arguments: [arg.string('username', { since: '6.0.0', optional: true }), arg.string('password')],
    },
  },
  client: {
    arity: -2,
    docs: {
      summary: 'A container for client connection commands',
      since: '2.4.0',
      group: 'connection',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      caching: {
        arity: 3,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Instruct the server about tracking or not keys in the next request',
          since: '6.0.0',
          group: 'connection',
          complexity: 'O(1)',
          arguments: [arg.oneof('mode', [arg.token('yes'), arg.token('no')])],
        },
      },
      getname: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Get the current connection name',
          since: '2.6.9',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      getredir: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Get tracking notifications redirection client ID if any',
          since: '6.0.0',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '5.0.0',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      id: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Returns the client ID for the current connection',
          since: '5.0.0',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      info: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Returns information about the current client connection.',
          since: '6.2.0',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      kill: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Kill the connection of a client',
          since: '2.4.0',
          group: 'connection',
          complexity: 'O(N) where N is the number of client connections',
          history: [
            ['2.8.12', 'Added new filter format.'],
            ['2.8.12', '`ID` option.'],
            ['3.2.0', 'Added `master` type in for `TYPE` option.'],
            [
              '5.0.0',
              'Replaced `slave` `TYPE` with `replica`. `slave` still supported for backward compatibility.',
            ],
            ['6.2.0', '`LADDR` option.'],
          ],
          arguments: [
            arg.oneof('filter', [
              arg.string('ip:port', { deprecatedSince: '2.8.12' }),
              arg.oneof(
                'new-format',
                [
                  arg.integer('client-id', { token: 'ID', since: '2.8.12', optional: true }),
                  arg.oneof(
                    'normal_master_slave_pubsub',
                    [
                      arg.token('normal'),
                      arg.token('master', { since: '3.2.0' }),
                      arg.token('slave'),
                      arg.token('replica', { since: '5.0.0' }),
                      arg.token('pubsub'),
                    ],
                    { token: 'TYPE', since: '2.8.12', optional: true },
                  ),
                  arg.string('username', { token: 'USER', optional: true }),
                  arg.string('ip:port', { token: 'ADDR', optional: true }),
                  arg.string('ip:port', { token: 'LADDR', since: '6.2.0', optional: true }),
                  arg.string('yes/no', { token: 'SKIPME', optional: true }),
                ],
                { multiple: true },
              ),
            ]),
          ],
        },
      },
      list: {
        arity: -2,
        flags: ['admin', 'noscript', 'loading', 'stale', 'shows_clients'],
        categories: ['connection'],
        tips: ['nondeterministic_output'],
        docs: {
          summary: 'Get the list of client connections',
          since: '2.4.0',
          group: 'connection',
          complexity: 'O(N) where N is the number of client connections',
          history: [
            ['2.8.12', 'Added unique client `id` field.'],
            ['5.0.0', 'Added optional `TYPE` filter.'],
            ['6.0.0', 'Added `user` field.'],
            [
              '6.2.0',
              'Added `argv-mem`, `tot-mem`, `laddr` and `redir` fields and the optional `ID` filter.',
            ],
            ['7.0.0', 'Added `resp`, `multi-mem`, `rbs` and `rbp` fields.'],
            ['7.0.3', 'Added `ssub` field.'],
          ],
          arguments: [
            arg.oneof(
              'normal_master_replica_pubsub',
              [arg.token('normal'), arg.token('master'), arg.token('replica'), arg.token('pubsub')],
              { token: 'TYPE', since: '5.0.0', optional: true },
            ),
            arg.block('id', [arg.integer('client-id', { multiple: true })], {
              token: 'ID',
              since: '6.2.0',
              optional: true,
            }),
          ],
        },
      },
      'no-evict': {
        arity: 3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Set client eviction mode for the current connection',
          since: '7.0.0',
          group: 'connection',
          complexity: 'O(1)',
          arguments: [arg.oneof('enabled', [arg.token('on'), arg.token('off')])],
        },
      },
      pause: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Stop processing commands from clients for some time',
          since: '2.9.50',
          group: 'connection',
          complexity: 'O(1)',
          history: [['6.2.0', '`CLIENT PAUSE WRITE` mode added along with the `mode` option.']],
          arguments: [
            arg.integer('timeout'),
            arg.oneof('mode', [arg.token('write'), arg.token('all')], { since: '6.2.0', optional: true }),
          ],
        },
      },
      reply: {
        arity: 3,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Instruct the server whether to reply to commands',
          since: '3.2.0',
          group: 'connection',
          complexity: 'O(1)',
          arguments: [arg.oneof('on_off_skip', [arg.token('on'), arg.token('off'), arg.token('skip')])],
        },
      },
      setname: {
        arity: 3,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Set the current connection name',
          since: '2.6.9',
          group: 'connection',
          complexity: 'O(1)',
          arguments: [arg.string('connection-name')],
        },
      },
      tracking: {
        arity: -3,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Enable or disable server assisted client side caching support',
          since: '6.0.0',
          group: 'connection',
          complexity: 'O(1). Some options may introduce additional complexity.',
          arguments: [
            arg.oneof('status', [arg.token('on'), arg.token('off')]),
            arg.integer('client-id', { token: 'REDIRECT', optional: true }),
            arg.string('prefix', { token: 'PREFIX', optional: true, multiple: true, multipleToken: true }),
            arg.token('bcast', { optional: true }),
            arg.token('optin', { optional: true }),
            arg.token('optout', { optional: true }),
            arg.token('noloop', { optional: true }),
          ],
        },
      },
      trackinginfo: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Return information about server assisted client side caching for the current connection',
          since: '6.2.0',
          group: 'connection',
          complexity: 'O(1)',
        },
      },
      unblock: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Unblock a client blocked in a blocking command from a different connection',
          since: '5.0.0',
          group: 'connection',
          complexity: 'O(log N) where N is the number of client connections',
          arguments: [
            arg.integer('client-id'),
            arg.oneof('timeout_error', [arg.token('timeout'), arg.token('error')], { optional: true }),
          ],
        },
      },
      unpause: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        categories: ['connection'],
        docs: {
          summary: 'Resume processing of clients that were paused',
          since: '6.2.0',
          group: 'connection',
          complexity: 'O(N) Where N is the number of paused clients',
        },
      },
    },
  },
  echo: {
    arity: 2,
    flags: ['loading', 'stale', 'fast'],
    categories: ['connection'],
    docs: {
      summary: 'Echo the given string',
      since: '1.0.0',
      group: 'connection',
      complexity: 'O(1)',
      arguments: [arg.string('message')],
    },
  },
  hello: {
    arity: -1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
    categories: ['connection'],
    docs: {
      summary: 'Handshake with Redis',
      since: '6.0.0',
      group: 'connection',
      complexity: 'O(1)',
      history: [
        [
          '6.2.0',
          "`protover` made optional; when called without arguments the command reports the current connection's context.",
        ],
      ],
      arguments: [
        arg.block(
          'arguments',
          [
            arg.integer('protover'),
            arg.block('username_password', [arg.string('username'), arg.string('password')], {
              token: 'AUTH',
              optional: true,
            }),
            arg.string('clientname', { token: 'SETNAME', optional: true }),
          ],
          { optional: true },
        ),
      ],
    },
  },
  ping: {
    arity: -1,
    flags: ['fast'],
    categories: ['connection'],
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    docs: {
      summary: 'Ping the server',
      since: '1.0.0',
      group: 'connection',
      complexity: 'O(1)',
      arguments: [arg.string('message', { optional: true })],
    },
  },
  quit: {
    arity: -1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
    categories: ['connection'],
    docs: {
      summary: 'Close the connection',
      since: '1.0.0',
      group: 'connection',
      complexity: 'O(1)',
    },
  },
  reset: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
    categories: ['connection'],
    docs: {
      summary: 'Reset the connection',
      since: '6.2.0',
      group: 'connection',
      complexity: 'O(1)',
    },
  },
  select: {
    arity: 2,
    flags: ['loading', 'stale', 'fast'],
    categories: ['connection'],
    docs: {
      summary: 'Change the selected database for the current connection',
      since: '1.0.0',
      group: 'connection',
      complexity: 'O(1)',
      arguments: [arg.integer('index')],
    },
  },
} satisfies CommandRows;
