import { arg, type CommandRows, key, noted, unknownKeys } from '../row.js';

export const sortRows = {
  sort: {
    arity: -2,
    flags: ['write', 'denyoom'],
    categories: ['set', 'sortedset', 'list', 'dangerous'],
    keys: [
      key(1, 'RO', 'access'),
      noted(
        "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort",
        unknownKeys('RO', 'access'),
      ),
      noted(
        "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array",
        unknownKeys('OW', 'update'),
      ),
    ],
    keysOtherwise: 'sort',
    docs: {
      summary: 'Sort the elements in a list, set or sorted set',
      since: '1.0.0',
      group: 'generic',
      complexity:
        'O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number of returned elements. When the elements are not sorted, complexity is O(N).',
      arguments: [
        arg.key('key'),
        arg.pattern('pattern', { token: 'BY', optional: true, keySpec: 1 }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
        arg.pattern('pattern', {
          token: 'GET',
          optional: true,
          multiple: true,
          multipleToken: true,
          keySpec: 1,
        }),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.token('sorting', { token: 'ALPHA', optional: true }),
        arg.key('destination', { token: 'STORE', optional: true, keySpec: 2 }),
      ],
    },
  },
  sort_ro: {
    arity: -2,
    flags: ['readonly'],
    categories: ['set', 'sortedset', 'list', 'dangerous'],
    keys: [
      key(1, 'RO', 'access'),
      noted(
        "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort",
        unknownKeys('RO', 'access'),
      ),
    ],
    keysOtherwise: 'sort-readonly',
    docs: {
      summary: 'Sort the elements in a list, set or sorted set. Read-only variant of SORT.',
      since: '7.0.0',
      group: 'generic',
      complexity:
        'O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number of returned elements. When the elements are not sorted, complexity is O(N).',
      arguments: [
        arg.key('key'),
        arg.pattern('pattern', { token: 'BY', optional: true, keySpec: 1 }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
        arg.pattern('pattern', {
          token: 'GET',
          optional: true,
          multiple: true,
          multipleToken: true,
          keySpec: 1,
        }),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.token('sorting', { token: 'ALPHA', optional: true }),
      ],
    },
  },
} satisfies CommandRows;
