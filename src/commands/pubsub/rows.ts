import { arg, at, type CommandRows, key, keys, through } from '../row.js';

export const rows = {
  psubscribe: {
    arity: -2,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    docs: {
      summary: 'Listen for messages published to channels matching the given patterns',
      since: '2.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of patterns the client is already subscribed to.',
      arguments: [arg.block('pattern', [arg.pattern('pattern')], { multiple: true })],
    },
  },
  publish: {
    arity: 3,
    flags: ['pubsub', 'loading', 'stale', 'fast', 'may_replicate'],
    docs: {
      summary: 'Post a message to a channel',
      since: '2.0.0',
      group: 'pubsub',
      complexity:
        'O(N+M) where N is the number of clients subscribed to the receiving channel and M is the total number of subscribed patterns (by any client).',
      arguments: [arg.string('channel'), arg.string('message')],
    },
  },
  pubsub: {
    arity: -2,
    docs: {
      summary: 'A container for Pub/Sub commands',
      since: '2.8.0',
      group: 'pubsub',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      channels: {
        arity: -2,
        flags: ['pubsub', 'loading', 'stale', 'shows_clients'],
        docs: {
          summary: 'List active channels',
          since: '2.8.0',
          group: 'pubsub',
          complexity:
            'O(N) where N is the number of active channels, and assuming constant time pattern matching (relatively short channels and patterns)',
          arguments: [arg.pattern('pattern', { optional: true })],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '6.2.0',
          group: 'pubsub',
          complexity: 'O(1)',
        },
      },
      numpat: {
        arity: 2,
        flags: ['pubsub', 'loading', 'stale', 'shows_clients'],
        docs: {
          summary: 'Get the count of unique patterns pattern subscriptions',
          since: '2.8.0',
          group: 'pubsub',
          complexity: 'O(1)',
        },
      },
      numsub: {
        arity: -2,
        flags: ['pubsub', 'loading', 'stale', 'shows_clients'],
        docs: {
          summary: 'Get the count of subscribers for channels',
          since: '2.8.0',
          group: 'pubsub',
          complexity: 'O(N) for the NUMSUB subcommand, where N is the number of requested channels',
          arguments: [arg.string('channel', { optional: true, multiple: true })],
        },
      },
      shardchannels: {
        arity: -2,
        flags: ['pubsub', 'loading', 'stale', 'shows_clients'],
        docs: {
          summary: 'List active shard channels',
          since: '7.0.0',
          group: 'pubsub',
          complexity:
            'O(N) where N is the number of active shard channels, and assuming constant time pattern matching (relatively short shard channels).',
          arguments: [arg.pattern('pattern', { optional: true })],
        },
      },
      shardnumsub: {
        arity: -2,
        flags: ['pubsub', 'loading', 'stale', 'shows_clients'],
        docs: {
          summary: 'Get the count of subscribers for shard channels',
          since: '7.0.0',
          group: 'pubsub',
          complexity:
            'O(N) for the SHARDNUMSUB subcommand, where N is the number of requested shard channels',
          arguments: [arg.string('shardchannel', { optional: true, multiple: true })],
        },
      },
    },
  },
  punsubscribe: {
    arity: -1,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    docs: {
      summary: 'Stop listening for messages posted to channels matching the given patterns',
      since: '2.0.0',
      group: 'pubsub',
      complexity:
        'O(N+M) where N is the number of patterns the client is already subscribed and M is the number of total patterns subscribed in the system (by any client).',
      arguments: [arg.pattern('pattern', { optional: true, multiple: true })],
    },
  },
  spublish: {
    arity: 3,
    flags: ['pubsub', 'loading', 'stale', 'fast', 'may_replicate'],
    keys: [key(1, 'not_key')],
    docs: {
      summary: 'Post a message to a shard channel',
      since: '7.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of clients subscribed to the receiving shard channel.',
      arguments: [arg.string('shardchannel'), arg.string('message')],
    },
  },
  ssubscribe: {
    arity: -2,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    keys: [keys(at(1), through(-1), 'not_key')],
    docs: {
      summary: 'Listen for messages published to the given shard channels',
      since: '7.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of shard channels to subscribe to.',
      arguments: [arg.string('shardchannel', { multiple: true })],
    },
  },
  subscribe: {
    arity: -2,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    docs: {
      summary: 'Listen for messages published to the given channels',
      since: '2.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of channels to subscribe to.',
      arguments: [arg.string('channel', { multiple: true })],
    },
  },
  sunsubscribe: {
    arity: -1,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    keys: [keys(at(1), through(-1), 'not_key')],
    docs: {
      summary: 'Stop listening for messages posted to the given shard channels',
      since: '7.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of clients already subscribed to a shard channel.',
      arguments: [arg.string('shardchannel', { optional: true, multiple: true })],
    },
  },
  unsubscribe: {
    arity: -1,
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    docs: {
      summary: 'Stop listening for messages posted to the given channels',
      since: '2.0.0',
      group: 'pubsub',
      complexity: 'O(N) where N is the number of clients already subscribed to a channel.',
      arguments: [arg.string('channel', { optional: true, multiple: true })],
    },
  },
} satisfies CommandRows;
