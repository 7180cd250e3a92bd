import { arg, at, type CommandRows, key, keys, noted, through } from '../row.js';

export const rows = {
  pfadd: {
    arity: -2,
    flags: ['write', 'denyoom', 'fast'],
    categories: ['hyperloglog'],
    keys: [key(1, 'RW', 'insert')],
    docs: {
      summary: 'Adds the specified elements to the specified HyperLogLog.',
      since: '2.8.9',
      group: 'hyperloglog',
      complexity: 'O(1) to add every element.',
      arguments: [arg.key('key'), arg.string('element', { optional: true, multiple: true })],
    },
  },
  pfcount: {
    arity: -2,
    flags: ['readonly', 'may_replicate'],
    categories: ['hyperloglog'],
    keys: [
      noted(
        'RW because it may change the internal representation of the key, and propagate to replicas',
        keys(at(1), through(-1), 'RW', 'access'),
      ),
    ],
    docs: {
      summary: 'Return the approximated cardinality of the set(s) observed by the HyperLogLog at key(s).',
      since: '2.8.9',
      group: 'hyperloglog',
      complexity:
        'O(1) with a very small average constant time when called with a single key. O(N) with N being the number of keys, and much bigger constant times, when called with multiple keys.',
      arguments: [arg.key('key', { multiple: true })],
    },
  },
  pfdebug: {
    arity: 3,
    flags: ['write', 'denyoom', 'admin'],
    categories: ['hyperloglog'],
    keys: [key(2, 'RW', 'access')],
    docs: {
      summary: 'Internal commands for debugging HyperLogLog values',
      since: '2.8.9',
      group: 'hyperloglog',
      complexity: 'N/A',
      system: true,
      arguments: [arg.string('subcommand'), arg.key('key')],
    },
  },
  pfmerge: {
    arity: -2,
    flags: ['write', 'denyoom'],
    categories: ['hyperloglog'],
    keys: [key(1, 'RW', 'access', 'insert'), keys(at(2), through(-1), 'RO', 'access')],
    docs: {
      summary: 'Merge N different HyperLogLogs into a single one.',
      since: '2.8.9',
      group: 'hyperloglog',
      complexity: 'O(N) to merge N HyperLogLogs, but with high constant times.',
      arguments: [arg.key('destkey'), arg.key('sourcekey', { multiple: true, keySpec: 1 })],
    },
  },
  pfselftest: {
    arity: 1,
    flags: ['admin'],
    categories: ['hyperloglog'],
    docs: {
      summary: 'An internal command for testing HyperLogLog values',
      since: '2.8.9',
      group: 'hyperloglog',
      complexity: 'N/A',
      system: true,
    },
  },
} satisfies CommandRows;
