import { after, arg, type CommandRows, key, keys, through } from '../row.js';

export const transferRows = {
  dump: {
    arity: 2,
    flags: ['readonly'],
    categories: ['keyspace'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a serialized version of the value stored at the specified key.',
      since: '2.6.0',
      group: 'generic',
      complexity:
        'O(1) to access the key and additional O(N*M) to serialize it, where N is the number of Redis objects composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply O(1).',
      arguments: [arg.key('key')],
    },
  },
  migrate: {
    arity: -6,
    flags: ['write'],
    categories: ['keyspace', 'dangerous'],
    tips: ['nondeterministic_output'],
    keys: [
      key(3, 'RW', 'access', 'delete'),
      keys(after('KEYS', -2), through(-1), 'RW', 'access', 'delete', 'incomplete'),
    ],
    keysOtherwise: 'migrate',
    docs: {
      summary: 'Atomically transfer a key from a Redis instance to another one.',
      since: '2.6.0',
      group: 'generic',
      complexity:
        'This command actually executes a DUMP+DEL in the source instance, and a RESTORE in the target instance. See the pages of these commands for time complexity. Also an O(N) data transfer between the two instances is performed.',
      history: [
        ['3.0.0', 'Added the `COPY` and `REPLACE` options.'],
        ['3.0.6', 'Added the `KEYS` option.'],
        ['4.0.7', 'Added the `AUTH` option.'],
        ['6.0.0', 'Added the `AUTH2` option.'],
      ],
      arguments: [
        arg.string('host'),
        arg.integer('port'),
        arg.oneof('key_or_empty_string', [arg.key('key'), arg.token('empty_string', { token: '' })]),
        arg.integer('destination-db'),
        arg.integer('timeout'),
        arg.token('copy', { since: '3.0.0', optional: true }),
        arg.token('replace', { since: '3.0.0', optional: true }),
        arg.oneof(
          'authentication',
          [
            arg.string('password', { token: 'AUTH', since: '4.0.7', optional: true }),
            arg.block('username_password', [arg.string('username'), arg.string('password')], {
              token: 'AUTH2',
              since: '6.0.0',
              optional: true,
            }),
          ],
          { optional: true },
        ),
        arg.key('key', { token: 'KEYS', since: '3.0.6', optional: true, multiple: true, keySpec: 1 }),
      ],
    },
  },
  restore: {
    arity: -4,
    flags: ['write', 'denyoom'],
    categories: ['keyspace', 'dangerous'],
    keys: [key(1, 'OW', 'update')],
    docs: {
      summary: 'Create a key using the provided serialized value, previously obtained using DUMP.',
      since: '2.6.0',
      group: 'generic',
      complexity:
        'O(1) to create the new key and additional O(N*M) to reconstruct the serialized value, where N is the number of Redis objects composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply O(1). However for sorted set values the complexity is O(N*M*log(N)) because inserting values into sorted sets is O(log(N)).',
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
} satisfies CommandRows;
