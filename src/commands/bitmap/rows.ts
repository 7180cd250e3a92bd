import { arg, at, type CommandRows, key, keys, noted, through } from '../row.js';

export const rows = {
  bitcount: {
    arity: -2,
    flags: ['readonly'],
    categories: ['bitmap'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Count set bits in a string',
      since: '2.6.0',
      group: 'bitmap',
      complexity: 'O(N)',
      history: [['7.0.0', 'Added the `BYTE|BIT` option.']],
      arguments: [
        arg.key('key'),
        arg.block(
          'index',
          [
            arg.integer('start'),
            arg.integer('end'),
            arg.oneof('index_unit', [arg.token('byte'), arg.token('bit')], {
              since: '7.0.0',
              optional: true,
            }),
          ],
          { optional: true },
        ),
      ],
    },
  },
  bitfield: {
    arity: -2,
    flags: ['write', 'denyoom'],
    categories: ['bitmap'],
    keys: [
      noted(
        'This command allows both access and modification of the key',
        key(1, 'RW', 'access', 'update', 'variable_flags'),
      ),
    ],
    keysOtherwise: 'bitfield',
    docs: {
      summary: 'Perform arbitrary bitfield integer operations on strings',
      since: '3.2.0',
      group: 'bitmap',
      complexity: 'O(1) for each subcommand specified',
      arguments: [
        arg.key('key'),
        arg.oneof(
          'operation',
          [
            arg.block('encoding_offset', [arg.string('encoding'), arg.integer('offset')], { token: 'GET' }),
            arg.block('write', [
              arg.oneof('wrap_sat_fail', [arg.token('wrap'), arg.token('sat'), arg.token('fail')], {
                token: 'OVERFLOW',
                optional: true,
              }),
              arg.oneof('write_operation', [
                arg.block(
                  'encoding_offset_value',
                  [arg.string('encoding'), arg.integer('offset'), arg.integer('value')],
                  { token: 'SET' },
                ),
                arg.block(
                  'encoding_offset_increment',
                  [arg.string('encoding'), arg.integer('offset'), arg.integer('increment')],
                  { token: 'INCRBY' },
                ),
              ]),
            ]),
          ],
          { optional: true, multiple: true },
        ),
      ],
    },
  },
  bitfield_ro: {
    arity: -2,
    flags: ['readonly', 'fast'],
    categories: ['bitmap'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Perform arbitrary bitfield integer operations on strings. Read-only variant of BITFIELD',
      since: '6.0.0',
      group: 'bitmap',
      complexity: 'O(1) for each subcommand specified',
      arguments: [
        arg.key('key'),
        arg.block('encoding_offset', [arg.string('encoding'), arg.integer('offset')], {
          token: 'GET',
          optional: true,
          multiple: true,
          multipleToken: true,
        }),
      ],
    },
  },
  bitop: {
    arity: -4,
    flags: ['write', 'denyoom'],
    categories: ['bitmap'],
    keys: [key(2, 'OW', 'update'), keys(at(3), through(-1), 'RO', 'access')],
    docs: {
      summary: 'Perform bitwise operations between strings',
      since: '2.6.0',
      group: 'bitmap',
      complexity: 'O(N)',
      arguments: [
        arg.string('operation'),
        arg.key('destkey'),
        arg.key('key', { multiple: true, keySpec: 1 }),
      ],
    },
  },
  bitpos: {
    arity: -3,
    flags: ['readonly'],
    categories: ['bitmap'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Find first bit set or clear in a string',
      since: '2.8.7',
      group: 'bitmap',
      complexity: 'O(N)',
      history: [['7.0.0', 'Added the `BYTE|BIT` option.']],
      arguments: [
        arg.key('key'),
        arg.integer('bit'),
        arg.block(
          'index',
          [
            arg.integer('start'),
            arg.block(
              'end_index',
              [
                arg.integer('end'),
                arg.oneof('index_unit', [arg.token('byte'), arg.token('bit')], {
                  since: '7.0.0',
                  optional: true,
                }),
              ],
              { optional: true },
            ),
          ],
          { optional: true },
        ),
      ],
    },
  },
  getbit: {
    arity: 3,
    flags: ['readonly', 'fast'],
    categories: ['bitmap'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Returns the bit value at offset in the string value stored at key',
      since: '2.2.0',
      group: 'bitmap',
      complexity: 'O(1)',
      arguments: [arg.key('key'), arg.integer('offset')],
    },
  },
  setbit: {
    arity: 4,
    flags: ['write', 'denyoom'],
    categories: ['bitmap'],
    keys: [key(1, 'RW', 'access', 'update')],
    docs: {
      summary: 'Sets or clears the bit at offset in the string value stored at key',
      since: '2.2.0',
      group: 'bitmap',
      complexity: 'O(1)',
      arguments: [arg.key('key'), arg.integer('offset'), arg.integer('value')],
    },
  },
} satisfies CommandRows;
